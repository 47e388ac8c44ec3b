// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "opencl/rect.h"
#include "values.h"

namespace glcl::scopes {

/// Numbers of a frame. Plain C++.
struct ScopeNumbers {
  /// Of one channel, in code values.
  struct Channel {
    int minimum = 0, maximum = 0;
    double mean = 0;
    double below = 0, above = 0;  ///< fractions of the samples outside of the legal range
    std::vector<double> column_means;
  };
  /// In steps of 8 bits from grey.
  struct Saturation {
    double mean = 0, median = 0, p95 = 0, maximum = 0;
  };
  /// In degrees.
  struct Hue {
    int most_frequent = 0;
    /// Percentiles along the circle, from the hue opposite to the most frequent one.
    int p5 = 0, median = 0, p95 = 0;
    int loudest = 0;  ///< of the most saturated sample
  };

  /// `numbers`: of ScopeCounts::numbers() for an area counted in `columns` columns.
  ScopeNumbers(const ScopeValues &values, const Rect &area, int columns, const uint32_t *numbers);

  std::vector<Channel> channels;
  std::optional<Saturation> saturation;  ///< of frames with chroma
  std::optional<Hue> hue;                ///< if there is colour
};

}  // namespace glcl::scopes
