// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
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
  using Similarity = glcl::camera::SimilarityMotion;
  using KeepsAnchor = std::function<bool(std::complex<float>)>;
  /// The motion of the camera: the expected one if it is not known.
  struct Moved {
    Similarity motion, expected;
    bool known = false, few_agree = false;
    float confidence = -1;
  };

  Moved find_motion(const Settings &settings, const std::vector<Point> &slots) const;
  /// Moves the anchors by `from` and `to`; a point gets a new one unless it keeps it at this
  /// distance.
  void move_anchors(const std::vector<Point> &slots, const Similarity &from, const Similarity &to,
                    const KeepsAnchor &keeps);
  void remember(State &next, const Moved &found) const;
  std::complex<float> source_position(std::complex<float> position) const;

  float width_, height_;
  glcl::camera::Ransac::Settings ransac_;
  State state_{};
  std::map<int, std::complex<float>> anchors_;  // by id
};

}  // namespace reference::klt
