// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.h"

namespace glcl::histogram {

/// The values that the bins of a channel divide: 0 to 256, with fractions of more than 8 bits.
struct Scale {
  double black = 0, white = 255;
  double step = 1;  ///< from a value to the next

  /// Of the counts of a format in frames.
  static Scale of(const Histogram::Format &format, const FrameFormat &frame);
};

/// Statistics of a channel's histogram. Levels are values of the scale; a bin of several counts as
/// their mean.
struct Statistics {
  double mean = 0, stddev = 0;
  double p5 = 0, median = 0,
         p95 = 0;           ///< the lowest level that this fraction of the pixels does not exceed
  double clipped_low = 0;   ///< the fraction in the bin of black, and below
  double clipped_high = 0;  ///< the fraction in the bin of white, and above
};

/// The counts of each channel; for joint formats those of R, G and B.
std::vector<std::vector<uint32_t>> channel_counts(const Histogram::Format &format,
                                                  const uint32_t *counts);

/// All zeros without counts.
Statistics statistics(const std::vector<uint32_t> &counts, const Scale &scale = {});

}  // namespace glcl::histogram
