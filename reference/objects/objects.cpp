// SPDX-License-Identifier: LGPL-2.1-or-later
#include "objects.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <complex>

namespace reference {

using glcl::camera::State;
using glcl::objects::Region;

namespace {

constexpr int oldest = 90, slowest = 20, young = 3, sure_frames = 5, sure_bent = 3, takes_over = 3;
constexpr float faint = 0.5f, white = 250;
constexpr int cell = 4, strong = 9, weak = 4, reach = 2;

/// The four pixels around a point and how much each counts.
struct Around {
  Around(std::complex<float> p, int width, int height) {
    const int x = std::clamp(int(std::floor(p.real())), 0, std::max(width - 2, 0)),
              y = std::clamp(int(std::floor(p.imag())), 0, std::max(height - 2, 0));
    const float u = std::clamp(p.real() - float(x), 0.0f, 1.0f),
                v = std::clamp(p.imag() - float(y), 0.0f, 1.0f);
    for (int i = 0; i < 4; i++) {
      at[i] = std::min(y + i / 2, height - 1) * width + std::min(x + i % 2, width - 1);
      part[i] = (i % 2 ? u : 1 - u) * (i / 2 ? v : 1 - v);
    }
  }
  int at[4];
  float part[4];
};

bool inside(std::complex<float> p, int width, int height) {
  return p.real() >= -0.01f && p.imag() >= -0.01f && p.real() <= float(width) - 0.99f &&
         p.imag() <= float(height) - 0.99f;
}

float cubic_part(float t, int i) {
  switch (i) {
    case 0:
      return ((-0.5f * t + 1) * t - 0.5f) * t;
    case 1:
      return (1.5f * t - 2.5f) * t * t + 1;
    case 2:
      return ((-1.5f * t + 2) * t + 0.5f) * t;
    default:
      return (0.5f * t - 0.5f) * t * t;
  }
}

}  // namespace

Memory::Memory(const glcl::camera::Frame &frame)
    : pixels(size_t(frame.size.s[0]) * frame.size.s[1]), frame_(frame), rows_(frame) {}

void Memory::next(const glcl::objects::Memory::Bounds &bounds, const std::vector<float> &small,
                  const State &state, const NoiseTable &noise, const std::vector<Region> &regions) {
  std::vector<Pixel> now;
  for (int y = 0; y < frame_.size.s[1]; y++)
    for (int x = 0; x < frame_.size.s[0]; x++)
      now.push_back(pixel(x, y, bounds, small, state, noise, regions));
  pixels = now;
  // How far most of those that count are away.
  std::vector<float> away;
  for (int y = 0; y < frame_.size.s[1]; y += 8)
    for (int x = 0; x < frame_.size.s[0]; x += 8)
      if (const Pixel &p = pixels[size_t(y) * frame_.size.s[0] + x]; p.counts)
        away.push_back(p.strays);
  counted_deviation_ = deviation(away, last_deviation_);
}

float deviation(const std::vector<float> &distances, float before) {
  constexpr int counters = 32;
  std::array<int, counters> of{};
  int below = int(distances.size());
  for (float distance : distances)
    if (const float place = (std::log2(distance) + 3) * 4; place >= 0)
      of[size_t(std::min(int(place), counters - 1))]++, below--;
  const float wanted = 0.98f * float(distances.size());
  float now = 0;
  for (int i = 0; i < counters && float(below) < wanted; below += of[size_t(i++)])
    if (const auto count = float(of[size_t(i)]); float(below) + count >= wanted)
      now = std::exp2((float(i) + (wanted - float(below)) / count) / 4 - 3);
  now = std::min(now / 2.17f, 8.0f);
  return now > before ? before + 0.2f * (now - before) : std::max(now, 0.99f * before);
}

Memory::Pixel Memory::pixel(int x, int y, const glcl::objects::Memory::Bounds &bounds,
                            const std::vector<float> &small, const State &state,
                            const NoiseTable &noise, const std::vector<Region> &regions) const {
  const int width = frame_.size.s[0], height = frame_.size.s[1];
  const std::complex<float> centre(frame_.centre.s[0], frame_.centre.s[1]),
      z = std::complex<float>(float(x), float(y)) - centre;
  const std::complex<float> bend(state.bend_picture[0], state.bend_picture[1]),
      bend_frame(state.bend_frame[0], state.bend_frame[1]);
  const auto old = unbent(state.from_picture, bend, z) + centre,
             here = bent(state.from_frame, bend_frame, z) + centre;
  const Around now(here, width, height), before(old, width, height);
  const auto contrast_of = [](const auto &value) {
    const auto [least, most] = std::minmax({value(0), value(1), value(2), value(3)});
    return most - least;
  };
  float level = 0, scenery = 0;
  for (int i = 0; i < 4; i++) level += now.part[i] * small[size_t(now.at[i])];
  const float contrast = contrast_of([&](int i) { return pixels[size_t(before.at[i])].scenery; });
  const bool turns = state.from_picture.dilation != 0 || state.from_picture.rotation != 0 ||
                     bend != std::complex<float>();
  if (turns) {
    const int left = int(std::floor(old.real())), top = int(std::floor(old.imag()));
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++)
        scenery += cubic_part(old.imag() - float(top), j) *
                   cubic_part(old.real() - float(left), i) *
                   pixels[size_t(std::clamp(top + j - 1, 0, height - 1)) * width +
                          std::clamp(left + i - 1, 0, width - 1)]
                       .scenery;
  } else {
    for (int i = 0; i < 4; i++) scenery += before.part[i] * pixels[size_t(before.at[i])].scenery;
  }
  const int nearest_x = std::clamp(int(std::rint(old.real())), 0, width - 1),
            nearest_y = std::clamp(int(std::rint(old.imag())), 0, height - 1);
  const Pixel &nearest = pixels[size_t(nearest_y) * width + nearest_x];
  const float row = rows_.at(here.imag());
  Pixel p{row * (state.fit.gain * scenery + state.fit.offset),
          row * (state.fit.gain * nearest.other + state.fit.offset),
          nearest.age,
          nearest.other_age,
          0,
          1e9f,
          nearest.variance};
  const bool seen = inside(here, width, height);
  if (!inside(old, width, height) || state.fresh || p.age == 0) return {level, 0, seen, 0, 0, 1e9f};
  if (!seen) return p;
  const float quiet = 0.375f * 0.375f / (frame_.shrink * frame_.shrink);
  const float variance =
      quiet * noise_correlation * noise_at(noise, level) * (1 + 1 / float(p.age)) +
      std::max(noise.back(), 0.15f) + renewed_;
  const float slack = std::clamp(std::abs(bend) * frame_.radius * frame_.radius - 0.5f, 0.0f, 1.0f);
  float least = p.scenery, most = p.scenery;
  for (int k = 0; k < 9; k++) {
    const size_t beside = size_t(std::clamp(nearest_y + k / 3 - 1, 0, height - 1)) * width +
                          std::clamp(nearest_x + k % 3 - 1, 0, width - 1);
    const float near = row * (state.fit.gain * pixels[beside].scenery + state.fit.offset),
                taken = p.scenery + slack * (near - p.scenery);
    least = std::min(least, taken), most = std::max(most, taken);
  }
  const float expected = p.scenery;
  if (scenery >= white) most = std::max(most, level);
  if (level >= white) least = std::min(least, level);
  const float noise_alone = bounds.sure * std::sqrt(variance),
              coded = bounds.sure * std::clamp(std::sqrt(nearest.variance), scene_, 2 * scene_),
              explained = (turns ? 1.6f : 1) * bounds.edges * contrast +
                          0.5f * (state.lag + rows_.swing * expected),
              bound = std::max(noise_alone, coded) + explained,
              distance = std::max({level - most, least - level, 0.0f}),
              other = std::abs(level - p.other);
  const bool in = std::any_of(regions.begin(), regions.end(), [&](const Region &region) {
    return nearest_x >= region.left && nearest_x <= region.right && nearest_y >= region.top &&
           nearest_y <= region.bottom;
  });
  const float enough = in ? std::max(faint * noise_alone, coded) + explained : bound;
  const float strays = std::max(distance - explained, 0.0f);
  p.variance = nearest.variance;
  p.counts = p.age >= young && strays < 24;
  if (p.counts) {
    p.strays = strays;
    p.variance += (strays * strays - p.variance) / 50;
    p.variance = std::rint(64 * p.variance) / 64;
  }
  p.margin = std::min(std::abs(distance - enough), std::abs(other - bound));
  const int scenery_frames =
      std::max(turns ? 0 : int(float(slowest) / (1 + 0.75f * state.lag)), slowest / 4);
  if (distance <= enough) {
    const bool hidden = in && p.age >= young - 1 && p.age < 2 * young;
    p.age = hidden ? young - 1 : std::min(p.age + 1, oldest);
    p.scenery += (level - p.scenery) / float(std::min(p.age, scenery_frames));
    return p;
  }
  p.away = int(std::min(8 * distance / bound, 255.0f));
  p.margin = std::min(p.margin, std::abs(8 * distance / bound - std::rint(8 * distance / bound)));
  if (p.age < young) {
    if (state.frames > 2 * young && !in) p.away = 0;
    p.scenery = level, p.age = 1, p.other_age = 0;
    return p;
  }
  if (p.other_age && other <= bound) {
    p.other_age = std::min(p.other_age + 1, oldest);
    p.other += (level - p.other) / float(std::min(p.other_age, slowest));
    if (p.other_age >=
        std::min(p.age, std::max(slack > 0.5f ? sure_bent : sure_frames, p.age / takes_over))) {
      std::swap(p.scenery, p.other);
      std::swap(p.age, p.other_age);
      p.away = 0;
    }
  } else if (p.other_age > 3) {
    p.other_age /= 2;
  } else {
    p.other = level;
    p.other_age = 1;
  }
  return p;
}

std::vector<Region> regions(const std::vector<uint8_t> &front, const std::vector<float> &small,
                            int width, int height, int least, const std::vector<uint8_t> &mask) {
  const int columns = (width + cell - 1) / cell, rows = (height + cell - 1) / cell;
  std::vector<int> counts(size_t(columns) * rows);
  const auto each_pixel = [&](int column, int row, auto work) {
    for (int y = row * cell; y < std::min((row + 1) * cell, height); y++)
      for (int x = column * cell; x < std::min((column + 1) * cell, width); x++)
        if (const int value = front[size_t(y) * width + x]) work(x, y, value);
  };
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      const size_t at = size_t(row) * columns + column;
      if (mask.empty() || mask[at]) each_pixel(column, row, [&](int, int, int) { counts[at]++; });
    }
  std::vector<bool> part(counts.size()), done(counts.size());
  const auto around = [&](int column, int row, int by, auto work) {
    for (int y = std::max(row - by, 0); y <= std::min(row + by, rows - 1); y++)
      for (int x = std::max(column - by, 0); x <= std::min(column + by, columns - 1); x++)
        work(x, y, size_t(y) * columns + x);
  };
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      bool beside = false;
      around(column, row, 1, [&](int, int, size_t at) { beside |= counts[at] >= strong; });
      const int count = counts[size_t(row) * columns + column];
      part[size_t(row) * columns + column] = count >= strong || (count >= weak && beside);
    }
  std::vector<Region> list;
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      if (!part[size_t(row) * columns + column] || done[size_t(row) * columns + column]) continue;
      Region region{INT_MAX, INT_MAX, 0, 0, 0, 0, 0, 0};
      std::vector<std::pair<int, int>> open{{column, row}};
      done[size_t(row) * columns + column] = true;
      while (!open.empty()) {
        const auto [x, y] = open.back();
        open.pop_back();
        int squares = 0;
        each_pixel(x, y, [&](int px, int py, int value) {
          const int level = std::clamp(int(small[size_t(py) * width + px]), 0, 255);
          region.levels += level, squares += level * level;
          region.left = std::min(region.left, px), region.right = std::max(region.right, px);
          region.top = std::min(region.top, py), region.bottom = std::max(region.bottom, py);
          region.area++, region.away += value;
        });
        region.squares += squares / 64;
        around(x, y, reach, [&](int u, int v, size_t at) {
          if (!part[at] || done[at]) return;
          done[at] = true;
          open.push_back({u, v});
        });
      }
      if (region.area >= least) list.push_back(region);
    }
  return list;
}

std::vector<uint8_t> region_mask(const std::vector<uint8_t> &front, int width,
                                 const std::vector<Region> &regions) {
  std::vector<uint8_t> mask(front.size());
  for (const Region &region : regions)
    for (int y = region.top; y <= region.bottom; y++)
      for (int x = region.left; x <= region.right; x++) {
        const size_t at = size_t(y) * width + x;
        mask[at] = mask[at] || front[at];
      }
  return mask;
}

}  // namespace reference
