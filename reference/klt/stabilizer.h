// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "klt/stabilizer.h"
#include "reference/camera/ransac.h"
#include "reference/conversion/conversion.h"
#include "reference/klt/klt.h"

namespace reference::klt {

/// The result and output of glcl::klt::Stabilizer, point by point and pixel by pixel.
class Stabilizer {
 public:
  using Settings = glcl::klt::Stabilizer::Settings;
  using State = glcl::klt::StabilizerState;

  /// `ransac`: Ransac::defaults() of the device.
  Stabilizer(int width, int height, const glcl::camera::Ransac::Settings &ransac);

  /// Points of a frame by slots, of which those that are not alive do not count. `fresh`: the frame
  /// follows none; so does a cut.
  void run(const Settings &settings, const std::vector<Point> &slots, bool fresh);
  /// Instead, for a blank frame.
  void hold() { state_.confidence = -1; }
  Frame show(const Frame &frame) const;
  /// The output for a frame in planes: the values at a pixel of a plane, not rounded.
  std::vector<double> values_at(const PlanarFrame &frame, const glcl::ChromaSite &site, int plane,
                                int x, int y) const;
  const State &state() const { return state_; }

 private:
  std::complex<float> source_position(std::complex<float> position) const;

  float width_, height_;
  glcl::camera::Ransac::Settings ransac_;
  State state_{};
  std::map<int, std::complex<float>> anchors_;  // by id
};

}  // namespace reference::klt
