// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "rules.h"

namespace glcl::rules {

/// The camera has come to rest in another place: the centre of the picture has moved by `shift` px,
/// and the picture has turned and grown by the factor `scale`.
struct CameraMoved {
  std::complex<double> shift, scale;
};

/// Notices when the light is switched and when a camera that stood still has been moved.
class SceneEvents {
 public:
  /// For frames of width × height px.
  SceneEvents(int width, int height) : width_(width), height_(height) {}

  /// The change of mid-grey, levels, in the frame in which the light was switched. `light`: its
  /// recent change.
  std::optional<double> light(double light);
  /// A move, in the first frame in which the camera has stood still for a second after it. After a
  /// cut its place is unknown.
  std::optional<CameraMoved> camera(const CameraPlace &place, uint64_t now);

 private:
  void carry(const CameraPlace &to);
  void forget_errors(uint64_t passed);
  double distance(const CameraPlace &from, const CameraPlace &to) const;

  int width_, height_;
  bool switched_ = false;
  bool began_ = false;
  CameraPlace place_;                // where the camera stands, or was last
  uint64_t since_ = 0;               // when it came there
  std::optional<CameraPlace> rest_;  // where it last stood for long enough
  CameraPlace last_;                 // that of the last frame
  uint64_t last_time_ = 0;           // of the last frame
};

}  // namespace glcl::rules
