// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rowbrightness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sampler.h"
#include "similarity.h"

namespace reference {

RowBrightness::RowBrightness(const glcl::camera::FrameGeometry &frame)
    : ratios(size_t(frame.size.s[1] + 7) / 8, 1.0f) {}

float RowBrightness::at(float y) const {
  const int count = int(ratios.size());
  const float place = std::clamp((y + 0.5f) / 8 - 0.5f, 0.0f, float(count - 1));
  const int band = std::min(int(place), std::max(count - 2, 0));
  const float here = ratios[size_t(band)], next = ratios[size_t(std::min(band + 1, count - 1))];
  return 1 + part * (here + (place - float(band)) * (next - here) - 1);
}

float RowBrightness::mean() const {
  const float sum = std::accumulate(ratios.begin(), ratios.end(), 0.0f);
  return 1 + part * (sum / float(ratios.size()) - 1);
}

namespace {

/// The ratios of a frame's pixels to the background.
std::vector<float> ratios_of(const std::vector<float> &small, const std::vector<float> &background,
                             const std::vector<bool> &visible,
                             const glcl::camera::FrameGeometry &frame, const Bent &motion,
                             float gain, float offset) {
  const int width = frame.size.s[0], height = frame.size.s[1];
  const Sampler pixels{small, width, height};
  const Complex centre(frame.centre.s[0], frame.centre.s[1]);
  const Similarity back = inverse(motion.motion);
  constexpr float step = 1.0f / 256, least = 0.75f - step / 2;
  std::vector<float> ratios;
  for (int top = 0; top < height; top += 8) {
    std::array<int, 128> counts{};
    for (int y = top; y < std::min(top + 8, height); y += 2)
      for (int x = 0; x < width; x += 2) {
        const Complex from =
            unbent(back, motion.bend, Complex(float(x), float(y)) - centre) + centre;
        if (!pixels.inside(from.real(), from.imag())) continue;
        const int left = std::clamp(int(std::rint(from.real())), 0, width - 1),
                  above = std::clamp(int(std::rint(from.imag())), 0, height - 1);
        const size_t at = size_t(above) * width + left;
        const float level = gain * background[at] + offset;
        if (!visible[at] || level < 16) continue;
        const float place = (small[size_t(y) * width + x] / level - least) / step;
        if (place >= 0 && place < 128) counts[size_t(place)]++;
      }
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    int below = 0;
    size_t i = 0;
    while (i < 127 && 2 * (below + counts[i]) < all) below += counts[i++];
    ratios.push_back(
        all ? least + step * (float(i) + (0.5f * float(all) - float(below)) / float(counts[i]))
            : 1);
  }
  return ratios;
}

}  // namespace

RowBrightness RowBrightness::estimated(const std::vector<float> &small,
                                       const std::vector<float> &background,
                                       const std::vector<bool> &visible,
                                       const glcl::camera::FrameGeometry &frame,
                                       const glcl::camera::CameraState &state, bool motion) const {
  RowBrightness light = *this;
  Similarity step = motion && state.reliable ? state.vector_motion : Similarity{};
  step.x /= frame.reduction, step.y /= frame.reduction;
  std::fill(light.ratios.begin(), light.ratios.end(), 1.0f);
  if (part > 0)
    light.ratios = ratios_of(
        small, background, visible, frame,
        {after(state.from_frame, step), {state.bend_frame.s[0], state.bend_frame.s[1]}}, 1, 0);
  return light;
}

RowBrightness RowBrightness::measured(const std::vector<float> &small,
                                      const std::vector<float> &background,
                                      const std::vector<bool> &visible,
                                      const glcl::camera::FrameGeometry &frame,
                                      const glcl::camera::CameraState &state) const {
  RowBrightness light(frame);
  if (state.model_empty) return light;
  light.ratios = ratios_of(small, background, visible, frame,
                           {state.fit.motion, {state.fit.bend.s[0], state.fit.bend.s[1]}},
                           state.fit.gain, state.fit.offset);
  const auto count = float(light.ratios.size());
  float rolls = 0, sum = 0, changes = 0;
  for (float ratio : light.ratios) {
    const float roll = std::abs(ratio - 1);
    rolls += float(roll > 0.01f) + float(roll > 0.02f);
    sum += ratio - 1, changes += roll;
  }
  const float now = count < 6 ? 0 : std::clamp(2 * rolls / count - 1, 0.0f, 1.0f);
  const float kept = 0.9f * part;
  light.part = std::max(now, kept < 0.01f ? 0 : kept);
  light.swing = std::max(now * (changes - std::abs(sum)) / count, 0.9f * swing);
  return light;
}

}  // namespace reference
