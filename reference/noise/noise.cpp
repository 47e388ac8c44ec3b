// SPDX-License-Identifier: LGPL-2.1-or-later
#include "noise.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

namespace reference {

namespace {

constexpr int side = 16, bands = glcl::noise::NOISE_BANDS;
constexpr float band = 256.0f / bands;

struct Square {
  float level, variance;
};

/// The sum of the squares of a filter's taps, both axes together.
double energy(std::initializer_list<double> taps) {
  double sum = 0;
  for (double tap : taps) sum += tap * tap;
  return sum * sum;
}

/// Its counter, of an eighth of an octave; 0: it has no noise.
int counter(const Square &square) {
  return static_cast<int>(std::clamp((std::log2(square.variance) + 8) * 8, 0.0f, 159.0f));
}

/// The variance that a tenth of the squares stay below.
float quiet(const std::vector<Square> &squares) {
  std::vector<int> counters(160);
  for (const Square &square : squares) counters[counter(square)]++;
  const float wanted = 0.1f * static_cast<float>(squares.size());
  int below = 0;
  size_t i = 0;
  while (i < 159 && static_cast<float>(below + counters[i]) < wanted) below += counters[i++];
  if (i == 0 || squares.empty()) return 0;
  return std::exp2((static_cast<float>(i) +
                    (wanted - static_cast<float>(below)) / static_cast<float>(counters[i])) /
                       8 -
                   8);
}

}  // namespace

NoiseTable noise(glcl::noise::Noise::Texels texels, int width, int height, const Texel &before,
                 const Texel &after, const NoiseTable *kept) {
  // the filter by itself, and with the mask after it
  const bool grey = texels == glcl::noise::Noise::Texels::grey;
  const bool gaussian = texels == glcl::noise::Noise::Texels::gaussian;
  const double mask[] = {1, -2, 1};
  const double p = 0.0096200556, q = 0.20542368, r0 = 0.56991249;  // of sigma 0.7
  const double mask_gain =
      grey ? energy({1 / 8.0, 4 / 8.0, -10 / 8.0, 4 / 8.0, 1 / 8.0})
      : gaussian
          ? energy({p, q - 2 * p, r0 - 2 * q + p, 2 * q - 2 * r0, r0 - 2 * q + p, q - 2 * p, p})
          : 36;
  const double change_gain = grey       ? 2 * energy({1 / 8.0, 6 / 8.0, 1 / 8.0})
                             : gaussian ? 2 * energy({p, q, r0, q, p})
                                        : 2;
  const int spacing =
      std::max(side, static_cast<int>(std::ceil(std::sqrt(double(width) * height / 2048))));
  std::vector<Square> squares;
  double coding = 0;
  for (int y0 = 0; y0 + side <= height; y0 += spacing)
    for (int x0 = 0; x0 + side <= width; x0 += spacing) {
      double level = 0, response = 0, change = 0, change2 = 0;
      for (int y = y0; y < y0 + side; y++)
        for (int x = x0; x < x0 + side; x++) {
          double r = 0;
          for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) r += mask[i] * mask[j] * before(x + i - 1, y + j - 1);
          const double d = after(x, y) - before(x, y), n = side * side;
          level += before(x, y) / n, response += r * r / n, change += d / n, change2 += d * d / n;
        }
      const double seen = response / mask_gain;
      const double variance = std::max((change2 - change * change) / change_gain, 0.0);
      squares.push_back({static_cast<float>(level), static_cast<float>(std::min(variance, seen))});
      coding += std::clamp(variance - seen, 0.0, 0.5);
    }
  if (kept && std::all_of(squares.begin(), squares.end(),
                          [](const Square &square) { return counter(square) == 0; }))
    return *kept;
  NoiseTable table;
  const float all = quiet(squares);
  for (int i = 0; i <= bands; i++) {
    std::vector<Square> own;
    for (const Square &square : squares) {
      if (i == 0 || std::min(static_cast<int>(square.level / band), bands - 1) == i - 1)
        own.push_back(square);
    }
    const float part = i ? std::min(static_cast<float>(own.size()) / 16, 1.0f) : 0;
    table[i] = 1.2f * (all + part * (quiet(own) - all));
  }
  const double count = std::max<double>(static_cast<double>(squares.size()), 1);
  table[1 + bands] = static_cast<float>(std::max(coding / count, 0.15));
  return table;
}

NoiseTable even_noise(double level) {
  NoiseTable table;
  table.fill(static_cast<float>(level * level));
  table[1 + bands] = 0;
  return table;
}

void Flicker::count(float variance) {
  cells_++;
  const float place = (std::log2(variance) + 4) * 4;
  if (place >= 0) counters_[std::min(static_cast<int>(place), 32)]++;
}

void Flicker::next() {
  const auto known = static_cast<float>(std::max(moved_ + std::exchange(rested_, 0), 1));
  const auto all = static_cast<float>(std::max(cells_, 1));
  pans_ = std::clamp(std::min((static_cast<float>(moved_) / known - 0.8f) / 0.15f,
                              (static_cast<float>(moved_) / all - 0.25f) / 0.15f),
                     0.0f, 1.0f);
  int below = std::exchange(cells_, 0);
  const float moved =
      static_cast<float>(std::exchange(moved_, 0)) / static_cast<float>(std::max(below, 1));
  camera_ = std::clamp((moved - 0.15f) / 0.15f, 0.0f, 1.0f);
  const float wanted = 0.25f * static_cast<float>(below);
  const std::array<int, 33> counters = std::exchange(counters_, {});
  for (int counter : counters) below -= counter;
  float now = 0;
  for (int i = 0; i < 32 && static_cast<float>(below) < wanted; below += counters[i++])
    if (static_cast<float>(below + counters[i]) >= wanted)
      now = std::exp2((static_cast<float>(i) +
                       (wanted - static_cast<float>(below)) / static_cast<float>(counters[i])) /
                          4 -
                      4);
  variance_ = std::max(now, 0.995f * variance_);
}

float noise_at(const NoiseTable &table, float level) {
  const float place = std::clamp(level / band - 0.5f, 0.0f, bands - 1.0f);
  const int i = std::min(static_cast<int>(place), bands - 2);
  return table[1 + i] + (place - static_cast<float>(i)) * (table[2 + i] - table[1 + i]);
}

}  // namespace reference
