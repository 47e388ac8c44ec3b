// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framefeatures.h"

#include <algorithm>
#include <cmath>

namespace glcl::histogram {

namespace {

constexpr double blank_deviation = 6;    // levels, of noise
constexpr double faint_scatter = 2;      // levels, rms between cells, of which noise leaves little
constexpr double brightness_part = 0.4;  // part of the distance that may remain after a gain

using Bins = std::array<float, size_t(FrameFeatures::bins) * FrameFeatures::channels>;

/// Adds a part of the pixels at `place` (in bins) to the two nearest bins.
void spread(Bins &histogram, int channel, double place, double part) {
  constexpr int bins = FrameFeatures::bins;
  place = std::clamp(place - 0.5, 0.0, bins - 1.0);
  const int bin = std::min(static_cast<int>(place), bins - 2);
  const double upper = place - bin;
  float *nearest = &histogram[size_t(channel) * bins + bin];
  nearest[0] += static_cast<float>(part * (1 - upper));
  nearest[1] += static_cast<float>(part * upper);
}

double distance(const Bins &a, const Bins &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) sum += std::abs(a[i] - b[i]);
  return sum / (2 * FrameFeatures::channels);
}

}  // namespace

FrameFeatures::FrameFeatures(uint64_t number, const uint32_t *values)
    : frame(number), structure(values + counts) {
  for (int c = 0; c < channels; c++) {
    double all = 0, sum = 0, squares = 0;
    for (int level = 0; level < levels; level++) {
      const double count = values[c * levels + level];
      all += count;
      sum += count * level;
      squares += count * level * level;
    }
    if (all == 0) continue;
    const double mean = sum / all;
    brightness += mean;
    variance += std::max(squares / all - mean * mean, 0.0) / channels;
    for (int level = 0; level < levels; level++)
      spread(histogram, c, (level + 0.5) * bins / levels, values[c * levels + level] / all);
  }
}

void FrameFeatures::compare_with(const FrameFeatures &previous) {
  distance = histogram::distance(previous, *this);
  luma_distance = Structure::luma_distance(previous.structure, structure);
  comparison = Structure::compare(previous.structure, structure);
}

bool FrameFeatures::is_blank() const { return variance < blank_deviation * blank_deviation; }

bool FrameFeatures::is_faint() const {
  return structure.luma_scatter() >= faint_scatter * faint_scatter * Structure::cells;
}

double FrameFeatures::clipped() const {
  double sum = 0;
  for (int c = 0; c < channels; c++)
    for (const int bin : {0, 1, bins - 2, bins - 1}) sum += histogram[c * bins + bin];
  return sum / channels;
}

double distance(const FrameFeatures &a, const FrameFeatures &b) {
  return distance(a.histogram, b.histogram);
}

double scaled_distance(const FrameFeatures &before, const FrameFeatures &after, double gain) {
  constexpr int bins = FrameFeatures::bins;
  Bins scaled{};
  for (int i = 0; i < static_cast<int>(scaled.size()); i++)
    spread(scaled, i / bins, (i % bins + 0.5) * gain, before.histogram[i]);
  return distance(scaled, after.histogram);
}

bool differs_in_brightness(const FrameFeatures &before, const FrameFeatures &after) {
  if (before.is_blank() || after.is_blank()) return false;
  double least = 1;
  for (int i = -32; i <= 32; i++)
    least = std::min(least, scaled_distance(before, after, std::exp2(i / 24.0)));
  return least < brightness_part * distance(before, after);
}

}  // namespace glcl::histogram
