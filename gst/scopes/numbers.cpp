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

/// The first of `steps` that `part` of the samples do not exceed. `count_of (step)`: its samples.
template <class CountOf>
int percentile(int steps, const CountOf &count_of, uint64_t all, double part) {
  uint64_t sum = 0;
  for (int i = 0; i < steps; i++) {
    sum += count_of(i);
    if (static_cast<double>(sum) >= part * static_cast<double>(all)) return i;
  }
  return steps - 1;
}

ScopeNumbers::Saturation saturation_of(const uint32_t *counts, uint64_t all) {
  ScopeNumbers::Saturation saturation;
  for (int i = 0; i < SATURATIONS; i++) {
    saturation.mean += double(i) * counts[i];
    if (counts[i]) saturation.maximum = i;
  }
  saturation.mean /= static_cast<double>(all);
  const auto part = [&](double of) {
    return percentile(
        SATURATIONS, [=](int i) { return counts[i]; }, all, of);
  };
  saturation.median = part(0.5);
  saturation.p95 = part(0.95);
  return saturation;
}

ScopeNumbers::Hue hue_of(const uint32_t *counts, int loudest) {
  ScopeNumbers::Hue hue;
  hue.most_frequent = static_cast<int>(std::max_element(counts, counts + HUES) - counts);
  hue.loudest = loudest;
  const uint64_t all = std::accumulate(counts, counts + HUES, uint64_t(0));
  const auto along = [&](int step) { return (hue.most_frequent + HUES / 2 + step) % HUES; };
  const auto part = [&](double of) {
    return along(percentile(
        HUES, [&](int i) { return counts[along(i)]; }, all, of));
  };
  hue.p5 = part(0.05), hue.median = part(0.5), hue.p95 = part(0.95);
  return hue;
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
  if (hues[HUES] != NO_HUE) hue = hue_of(hues, static_cast<int>(hues[HUES]));
}

}  // namespace glcl::scopes
