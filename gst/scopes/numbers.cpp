// SPDX-License-Identifier: LGPL-2.1-or-later
#include "numbers.h"

#include <algorithm>
#include <numeric>

#include "scopes/columns.clh"

namespace glcl::scopes {

namespace {

/// The samples of a column of a channel.
double samples_in(const ScopeValues &values, int channel, const Rect &area, int columns,
                  int column) {
  const int shift = values.is_chroma(channel) ? values.chroma_shift() : 0;
  return double(first_sample(column + 1, columns, area.x, area.width, shift) -
                first_sample(column, columns, area.x, area.width, shift)) *
         samples_of(area.y, area.height, shift);
}

/// The first step that `part` of the samples do not exceed.
double percentile(const uint32_t *counts, uint64_t all, double part) {
  uint64_t sum = 0;
  for (int i = 0; i < SATURATIONS; i++) {
    sum += counts[i];
    if (static_cast<double>(sum) >= part * static_cast<double>(all)) return i;
  }
  return SATURATIONS - 1;
}

ScopeNumbers::Saturation saturation_of(const uint32_t *counts, uint64_t all) {
  ScopeNumbers::Saturation saturation;
  for (int i = 0; i < SATURATIONS; i++) {
    saturation.mean += double(i) * counts[i];
    if (counts[i]) saturation.maximum = i;
  }
  saturation.mean /= static_cast<double>(all);
  saturation.median = percentile(counts, all, 0.5);
  saturation.p95 = percentile(counts, all, 0.95);
  return saturation;
}

}  // namespace

ScopeNumbers::ScopeNumbers(const ScopeValues &values, const Rect &area, int columns,
                           const uint32_t *numbers) {
  for (int i = 0; i < values.channels; i++) {
    const auto value = [=](int which, int column) {
      return numbers[(size_t(i) * COLUMN_VALUES + which) * columns + column];
    };
    Channel channel;
    channel.minimum = values.levels - 1;
    double sum = 0, samples = 0;
    for (int column = 0; column < columns; column++) {
      const double in_column = samples_in(values, i, area, columns, column);
      channel.minimum = std::min(channel.minimum, static_cast<int>(value(COLUMN_LEAST, column)));
      channel.maximum = std::max(channel.maximum, static_cast<int>(value(COLUMN_MOST, column)));
      channel.below += value(COLUMN_BELOW, column);
      channel.above += value(COLUMN_ABOVE, column);
      channel.column_means.push_back(value(COLUMN_SUM, column) / in_column);
      sum += value(COLUMN_SUM, column);
      samples += in_column;
    }
    channel.mean = sum / samples;
    channel.below /= samples;
    channel.above /= samples;
    channels.push_back(channel);
  }
  if (!values.has_chroma()) return;
  const uint32_t *saturations = numbers + size_t(values.channels) * COLUMN_VALUES * columns,
                 *hues = saturations + SATURATIONS;
  const uint64_t all = std::accumulate(saturations, saturations + SATURATIONS, uint64_t(0));
  if (all) saturation = saturation_of(saturations, all);
  const uint32_t *most = std::max_element(hues, hues + HUES);
  if (*most) hue = static_cast<int>(most - hues);
}

}  // namespace glcl::scopes
