// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "camera/align.h"

namespace reference {

/// The brightness of a frame's rows, as glcl::camera::RowBrightness.
struct RowBrightness {
  float part = 0, swing = 0;
  std::vector<float> ratios;  ///< of bands of 8 rows

  explicit RowBrightness(const glcl::camera::FrameGeometry &frame);
  float at(float y) const;
  float mean() const;
  /// After the next frame, whose alignment is `state`; and the estimate for that alignment, by its
  /// vectors if `motion`. `background`, `visible`: see align().
  RowBrightness measured(const std::vector<float> &small, const std::vector<float> &background,
                         const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
                         const glcl::camera::CameraState &state) const;
  RowBrightness estimated(const std::vector<float> &small, const std::vector<float> &background,
                          const std::vector<bool> &visible,
                          const glcl::camera::FrameGeometry &frame,
                          const glcl::camera::CameraState &state, bool motion) const;
};

}  // namespace reference
