// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canny.h"
#include "opencl/rect.h"

namespace glcl::hough {

/// The settings of Hough.
struct HoughSettings : Canny::Settings {
  static constexpr int most_templates = 16, most_objects = 64;
  static constexpr double least_scale = 0.25, most_scale = 4;

  double min_score = 0.1;
  int max_objects = 10;                      ///< 1 … most_objects
  double scale_min = 0.5, scale_max = 1.5;   ///< least_scale … most_scale
  double angle_min = -180, angle_max = 180;  ///< degrees; the range is counter-clockwise from min
  Rect region;                               ///< the searched region; empty: the whole frame

  /// Degrees from angle_min counter-clockwise to angle_max.
  double rotation_range() const {
    const double range = angle_max - angle_min;
    return range < 0 ? range + 360 : range;
  }
};

}  // namespace glcl::hough
