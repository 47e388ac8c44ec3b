// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.h"

namespace glcl::histogram {

/// Statistics of a channel's histogram. Levels run from 0 to 255; a bin of several levels counts as
/// their mean.
struct Statistics {
  double mean = 0, stddev = 0;
  double p5 = 0, median = 0,
         p95 = 0;  ///< the lowest level that this fraction of the pixels does not exceed
  double clipped_low = 0, clipped_high = 0;  ///< the fractions in the first and in the last bin
};

/// The counts of each channel; for joint formats those of R, G and B.
std::vector<std::vector<uint32_t>> channel_counts(const Histogram::Format &format,
                                                  const uint32_t *counts);

/// All zeros without counts.
Statistics statistics(const std::vector<uint32_t> &counts);

}  // namespace glcl::histogram
