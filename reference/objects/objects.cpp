// SPDX-License-Identifier: LGPL-2.1-or-later
#include "objects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>

namespace reference {

using glcl::camera::CameraState;
using glcl::objects::Region;

namespace {

constexpr int max_age = 90, max_mean_frames = 20, young_age = 3, candidate_frames = 5,
              candidate_frames_bent = 3, candidate_ages = 3;
constexpr float faint = 0.5f, saturated = 250;
constexpr int overlay = 2, doubtful = 3, doubtful_eighths = 8;  // values of the foreground

/// The four pixels around a point and their weights.
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

/// Where a pixel of the background was before this frame, and where it is in the frame.
struct Places {
  Places(const glcl::camera::FrameGeometry &frame, const CameraState &state, int x, int y) {
    const std::complex<float> centre(frame.centre.s[0], frame.centre.s[1]),
        z = std::complex<float>(float(x), float(y)) - centre;
    old =
        unbent(state.from_background, {state.bend_background.s[0], state.bend_background.s[1]}, z) +
        centre;
    here = bent(state.from_frame, {state.bend_frame.s[0], state.bend_frame.s[1]}, z) + centre;
  }
  std::complex<float> old, here;
};

/// The pixel nearest to a point, plus an offset.
size_t nearest(std::complex<float> p, int dx, int dy, int width, int height) {
  return size_t(std::clamp(int(std::rint(p.imag())) + dy, 0, height - 1)) * width +
         std::clamp(int(std::rint(p.real())) + dx, 0, width - 1);
}

}  // namespace

BackgroundModel::BackgroundModel(const glcl::camera::FrameGeometry &frame)
    : pixels(size_t(frame.size.s[0]) * frame.size.s[1]), frame_(frame), rows_(frame) {}

void BackgroundModel::next(const glcl::objects::BackgroundModel::Bounds &bounds,
                           const std::vector<float> &small, const CameraState &state,
                           const NoiseTable &noise, const std::vector<Region> &regions) {
  std::vector<Pixel> now;
  for (int y = 0; y < frame_.size.s[1]; y++)
    for (int x = 0; x < frame_.size.s[0]; x++) {
      const size_t columns = size_t(frame_.size.s[0] + 3) / 4;
      const bool own = !own_bounds_.empty() && own_bounds_[y / 4 * columns + x / 4].deviations >= 0;
      now.push_back(pixel(x, y, own ? own_bounds_[y / 4 * columns + x / 4] : bounds, small, state,
                          noise, regions));
      const int mark = marks_.empty() ? 0 : marks_[now.size() - 1];
      if (mark == overlay) now.back().eighths = overlay;
      if (mark == doubtful) now.back().eighths = std::min(now.back().eighths, doubtful_eighths);
    }
  pixels = now;
  // The deviation is estimated from one pixel in 64.
  std::vector<float> eighths;
  for (int y = 0; y < frame_.size.s[1]; y += 8)
    for (int x = 0; x < frame_.size.s[0]; x += 8)
      if (const Pixel &p = pixels[size_t(y) * frame_.size.s[0] + x]; p.counts)
        eighths.push_back(p.excess);
  counted_deviation_ = deviation(eighths, last_deviation_);
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

/// The background at a place of the frame before, between its pixels.
float BackgroundModel::background_at(std::complex<float> old, bool resampled) const {
  const int width = frame_.size.s[0], height = frame_.size.s[1];
  float background = 0;
  if (resampled) {
    const int left = int(std::floor(old.real())), top = int(std::floor(old.imag()));
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 4; i++)
        background += cubic_part(old.imag() - float(top), j) *
                      cubic_part(old.real() - float(left), i) *
                      pixels[size_t(std::clamp(top + j - 1, 0, height - 1)) * width +
                             std::clamp(left + i - 1, 0, width - 1)]
                          .background;
  } else {
    const Around before(old, width, height);
    for (int i = 0; i < 4; i++)
      background += before.part[i] * pixels[size_t(before.at[i])].background;
  }
  return background;
}

/// Has a pixel follow its level, or become foreground.
void BackgroundModel::update(Pixel &p, const Observation &seen, const CameraState &state) {
  const auto &[level, distance, enough, bound, candidate, slack, in, resampled] = seen;
  const int mean_frames =
      std::max(resampled ? 0 : int(float(max_mean_frames) / (1 + 0.75f * state.brightness_peak)),
               max_mean_frames / 4);
  if (distance <= enough) {
    const bool hidden = in && p.age >= young_age - 1 && p.age < 2 * young_age;
    p.age = hidden ? young_age - 1 : std::min(p.age + 1, max_age);
    p.background += (level - p.background) / float(std::min(p.age, mean_frames));
    return;
  }
  p.eighths = int(std::min(8 * distance / bound, 255.0f));
  p.margin = std::min(p.margin, std::abs(8 * distance / bound - std::rint(8 * distance / bound)));
  if (p.age < young_age) {
    if (state.frames > 2 * young_age && !in) p.eighths = 0;
    p.background = level, p.age = 1, p.candidate_age = 0;
    return;
  }
  if (p.candidate_age && candidate <= bound) {
    p.candidate_age = std::min(p.candidate_age + 1, max_age);
    p.candidate += (level - p.candidate) / float(std::min(p.candidate_age, max_mean_frames));
    if (p.candidate_age >=
        std::min(p.age, std::max(slack > 0.5f ? candidate_frames_bent : candidate_frames,
                                 p.age / candidate_ages))) {
      std::swap(p.background, p.candidate);
      std::swap(p.age, p.candidate_age);
      p.eighths = 0;
    }
  } else if (p.candidate_age > 3) {
    p.candidate_age /= 2;
  } else {
    p.candidate = level;
    p.candidate_age = 1;
  }
}

BackgroundModel::Pixel BackgroundModel::pixel(int x, int y,
                                              const glcl::objects::BackgroundModel::Bounds &bounds,
                                              const std::vector<float> &small,
                                              const CameraState &state, const NoiseTable &noise,
                                              const std::vector<Region> &regions) const {
  const int width = frame_.size.s[0], height = frame_.size.s[1];
  const std::complex<float> bend(state.bend_background.s[0], state.bend_background.s[1]);
  const auto [old, here] = Places(frame_, state, x, y);
  const Around now(here, width, height), before(old, width, height);
  const auto contrast_of = [](const auto &value) {
    const auto [least, most] = std::minmax({value(0), value(1), value(2), value(3)});
    return most - least;
  };
  float level = 0;
  for (int i = 0; i < 4; i++) level += now.part[i] * small[size_t(now.at[i])];
  const float contrast =
      contrast_of([&](int i) { return pixels[size_t(before.at[i])].background; });
  const bool resampled = state.from_background.dilation != 0 ||
                         state.from_background.rotation != 0 || bend != std::complex<float>();
  const float background = background_at(old, resampled);
  const int nearest_x = std::clamp(int(std::rint(old.real())), 0, width - 1),
            nearest_y = std::clamp(int(std::rint(old.imag())), 0, height - 1);
  const Pixel &nearest = pixels[size_t(nearest_y) * width + nearest_x];
  const float row = rows_.at(here.imag());
  Pixel p{row * (state.fit.gain * background + state.fit.offset),
          row * (state.fit.gain * nearest.candidate + state.fit.offset),
          nearest.age,
          nearest.candidate_age,
          0,
          1e9f,
          nearest.variance};
  const bool hidden = !marks_.empty() && marks_[size_t(y) * width + x] == overlay;
  const bool seen = inside(here, width, height) && !hidden;
  if (!inside(old, width, height) || state.model_empty || p.age == 0 || hidden)
    return {level, 0, seen, 0, 0, 1e9f};
  if (!seen) return p;
  const float quiet = 0.375f * 0.375f / (frame_.reduction * frame_.reduction);
  const float variance =
      quiet * noise_correlation * noise_at(noise, level) * (1 + 1 / float(p.age)) +
      std::max(noise.back(), 0.15f) + flicker_;
  const float slack = std::clamp(std::abs(bend) * frame_.radius * frame_.radius - 0.5f, 0.0f, 1.0f);
  float least = p.background, most = p.background;
  for (int k = 0; k < 9; k++) {
    const size_t neighbour = size_t(std::clamp(nearest_y + k / 3 - 1, 0, height - 1)) * width +
                             std::clamp(nearest_x + k % 3 - 1, 0, width - 1);
    const float near = row * (state.fit.gain * pixels[neighbour].background + state.fit.offset),
                taken = p.background + slack * (near - p.background);
    least = std::min(least, taken), most = std::max(most, taken);
  }
  const float expected = p.background;
  if (background >= saturated) most = std::max(most, level);
  if (level >= saturated) least = std::min(least, level);
  const float noise_bound = bounds.deviations * std::sqrt(variance),
              compression =
                  bounds.deviations * std::clamp(std::sqrt(nearest.variance), scene_, 2 * scene_),
              explained = (resampled ? 1.6f : 1) * bounds.edges * contrast +
                          0.5f * (state.brightness_peak + rows_.swing * expected),
              bound = std::max(noise_bound, compression) + explained,
              distance = std::max({level - most, least - level, 0.0f}),
              candidate = std::abs(level - p.candidate);
  const bool in = std::any_of(regions.begin(), regions.end(), [&](const Region &region) {
    return nearest_x >= region.left && nearest_x <= region.right && nearest_y >= region.top &&
           nearest_y <= region.bottom;
  });
  const float enough = in ? std::max(faint * noise_bound, compression) + explained : bound;
  const float excess = std::max(distance - explained, 0.0f);
  p.variance = nearest.variance;
  p.counts = p.age >= young_age && excess < 24;
  if (p.counts) {
    p.excess = excess;
    p.variance += (excess * excess - p.variance) / 50;
    p.variance = std::rint(64 * p.variance) / 64;
  }
  p.margin = std::min(std::abs(distance - enough), std::abs(candidate - bound));
  update(p, {level, distance, enough, bound, candidate, slack, in, resampled}, state);
  return p;
}

Shadows::Shadows(const glcl::camera::FrameGeometry &frame)
    : colours(size_t(frame.size.s[0]) * frame.size.s[1]), frame_(frame) {}

bool Shadows::is_shadow(int x, int y, const std::vector<Colour> &seen,
                        const std::vector<float> &small, const CameraState &state,
                        const std::vector<float> &background, const std::vector<int> &ages,
                        const std::vector<uint8_t> &foreground, float *margin) const {
  const int width = frame_.size.s[0], height = frame_.size.s[1];
  const Places places(frame_, state, x, y);
  std::vector<double> now, before;
  std::array<double, 2> now_colour{}, before_colour{};
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
      const size_t neighbour = size_t(y + dy) * width + x + dx;
      if (foreground[neighbour] <= overlay || ages[neighbour] < young_age) continue;
      const Around around(places.here + std::complex<float>(float(dx), float(dy)), width, height);
      double level = 0;
      for (int i = 0; i < 4; i++) level += around.part[i] * small[size_t(around.at[i])];
      now.push_back(level), before.push_back(background[neighbour]);
      for (size_t c = 0; c < 2; c++) {
        now_colour[c] += seen[nearest(places.here, dx, dy, width, height)][c];
        before_colour[c] += state.fit.gain * colours[nearest(places.old, dx, dy, width, height)][c];
      }
    }
  if (now.size() < 6) return false;
  const auto mean = [](const std::vector<double> &list) {
    return std::accumulate(list.begin(), list.end(), 0.0) / double(list.size());
  };
  const double mean_now = mean(now), mean_before = mean(before), light = mean_now / mean_before;
  double changed = 0, kept = 0;
  for (size_t i = 0; i < now.size(); i++) {
    const double left = light * (before[i] - mean_before);
    kept += left * left, changed += std::pow(now[i] - mean_now - left, 2);
  }
  for (size_t c = 0; c < 2; c++) {
    kept += std::pow(light * before_colour[c], 2) / double(now.size());
    changed += std::pow(now_colour[c] - light * before_colour[c], 2) / double(now.size());
  }
  const bool lit = light >= 0.5 && light < 1;
  *margin = float(std::min({std::abs(light - 0.5), std::abs(light - 1),
                            std::abs(changed - 0.16 * kept) / std::max(kept, 1.0)}));
  return lit && changed <= 0.16 * kept;
}

std::vector<uint8_t> Shadows::next(const Frame &in, const std::vector<float> &small,
                                   const CameraState &state, const std::vector<float> &background,
                                   const std::vector<int> &ages,
                                   const std::vector<uint8_t> &foreground, bool anew) {
  const int width = frame_.size.s[0], height = frame_.size.s[1], shrink = int(frame_.reduction);
  std::vector<Colour> seen, stored;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint8_t *p = in.at(std::min(x * shrink + shrink / 2, in.width - 1),
                               std::min(y * shrink + shrink / 2, in.height - 1));
      const float luma = 0.30f * p[0] + 0.59f * p[1] + 0.11f * p[2];
      seen.push_back({std::rint(64 * (p[0] - luma)) / 64, std::rint(64 * (p[2] - luma)) / 64});
    }
  std::vector<uint8_t> marked = foreground;
  margins.assign(foreground.size(), 1e9f);
  changes.clear();
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = size_t(y) * width + x;
      const Places places(frame_, state, x, y);
      const Colour now = seen[nearest(places.here, 0, 0, width, height)];
      Colour colour = colours[nearest(places.old, 0, 0, width, height)];
      for (size_t c = 0; c < 2; c++) {
        colour[c] *= state.fit.gain;
        if (anew || state.model_empty || ages[at] <= 1)
          colour[c] = now[c];
        else if (!foreground[at])
          colour[c] += (now[c] - colour[c]) / float(std::min(ages[at], 10));
        colour[c] = std::rint(64 * colour[c]) / 64;
      }
      stored.push_back(colour);
      const Around around(places.here, width, height);
      double level = 0;
      for (int i = 0; i < 4; i++) level += around.part[i] * small[size_t(around.at[i])];
      const bool known = !anew && !state.model_empty && ages[at] >= young_age;
      changes.push_back(known ? int(std::rint(8 * (level - background[at]))) : 0);
      if (foreground[at] > overlay && !anew && !state.model_empty &&
          is_shadow(x, y, seen, small, state, background, ages, foreground, &margins[at]))
        marked[at] = 1;
    }
  colours = stored;
  return marked;
}

}  // namespace reference
