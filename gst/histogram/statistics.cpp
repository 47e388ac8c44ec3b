// SPDX-License-Identifier: LGPL-2.1-or-later
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glcl::histogram {

std::vector<std::vector<uint32_t>> channel_counts(const Histogram::Format &format,
                                                  const uint32_t *counts) {
  const int levels = format.levels(), channels = format.channels();
  std::vector<std::vector<uint32_t>> separate;
  if (format.counters() == channels * levels) {
    for (int i = 0; i < channels; i++)
      separate.emplace_back(counts + i * levels, counts + (i + 1) * levels);
    return separate;
  }
  separate.assign(3, std::vector<uint32_t>(levels));
  for (int i = 0; i < format.counters(); i++) {
    separate[0][i / (levels * levels)] += counts[i];
    separate[1][i / levels % levels] += counts[i];
    separate[2][i % levels] += counts[i];
  }
  return separate;
}

LevelRange LevelRange::of(const Histogram::Format &format, const FrameFormat &frame) {
  if (!Histogram::counts_code(format, frame)) return {};
  const double step = std::ldexp(1, 8 - frame.pixels->bits);
  return frame.colorimetry.full_range ? LevelRange{0, 256 - step, step} : LevelRange{16, 235, step};
}

Statistics statistics(const std::vector<uint32_t> &counts, const LevelRange &range) {
  const uint64_t all = std::accumulate(counts.begin(), counts.end(), uint64_t(0));
  if (!all) return {};
  const double width = 256.0 / static_cast<double>(counts.size());
  const auto level = [&](size_t bin) {
    return static_cast<double>(bin) * width + (width - range.step) / 2;
  };
  double sum = 0, squares = 0;
  for (size_t bin = 0; bin < counts.size(); bin++) {
    sum += counts[bin] * level(bin);
    squares += counts[bin] * level(bin) * level(bin);
  }
  const auto percentile = [&](unsigned percent) {
    uint64_t below = 0;
    size_t bin = 0;
    while ((below += counts[bin]) * 100 < all * percent) bin++;
    return level(bin);
  };
  const double n = static_cast<double>(all);
  Statistics result;
  result.mean = sum / n;
  result.stddev = std::sqrt(std::max(squares / n - result.mean * result.mean, 0.0));
  result.p5 = percentile(5);
  result.median = percentile(50);
  result.p95 = percentile(95);
  const auto black = counts.begin() + static_cast<int>(range.black / width),
             white = counts.begin() + static_cast<int>(range.white / width);
  result.clipped_low = std::accumulate(counts.begin(), black + 1, 0.0) / n;
  result.clipped_high = std::accumulate(white, counts.end(), 0.0) / n;
  return result;
}

}  // namespace glcl::histogram
