// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.h"

namespace glcl::histogram {

/// The levels of black and white, and the step between code values, in 8-bit levels: 16, 235 and
/// 0.25 for limited range with 10 bits.
struct LevelRange {
  double black = 0, white = 255;
  double step = 1;  ///< from a code value to the next

  /// The range of the counts of a format.
  static LevelRange of(const Histogram::Format &format, const FrameFormat &frame);
};

/// Statistics of a channel's histogram. Levels are those of the range; a bin of several levels
/// counts as their mean.
struct Statistics {
  double mean = 0, stddev = 0;
  double p5 = 0, median = 0,
         p95 = 0;  ///< percentiles: the lowest level that 5, 50, 95 % of the pixels do not exceed
  double clipped_low = 0;   ///< the fraction in the bin of black, and below
  double clipped_high = 0;  ///< the fraction in the bin of white, and above
};

/// The counts of each channel; for joint formats those of R, G and B.
std::vector<std::vector<uint32_t>> channel_counts(const Histogram::Format &format,
                                                  const uint32_t *counts);

/// All zeros without counts.
Statistics statistics(const std::vector<uint32_t> &counts, const LevelRange &range = {});

}  // namespace glcl::histogram
