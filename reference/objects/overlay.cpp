// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overlay.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/camera/sampler.h"

namespace reference {

namespace {

constexpr float max_evidence = 20, overlay_frames = 8, doubtful_frames = 2;

/// The change of a level that an edge may show: a quarter of a pixel's shift, or ringing.
float edge_bound(const Sampler &picture, int x, int y) {
  const auto level = float(picture.pixel(x, y));
  float steepest = 0, least = level, most = level;
  for (const auto &[dx, dy] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
    steepest = std::max(steepest, std::abs(float(picture.pixel(x + dx, y + dy)) - level));
  for (int dy = -3; dy <= 3; dy += 3)
    for (int dx = -3; dx <= 3; dx += 3) {
      const auto there = float(picture.pixel(x + dx, y + dy));
      least = std::min(least, there), most = std::max(most, there);
    }
  return std::max(0.25f * steepest, 0.08f * (most - least));
}

/// True if `value` reaches `bound`; notes how close the decision was.
bool reaches(StillPixel &pixel, float value, float bound) {
  pixel.margin = std::min(pixel.margin, std::abs(value - bound));
  return value >= bound;
}

}  // namespace

std::vector<StillPixel> still_picture(const std::vector<StillPixel> &before,
                                      const std::vector<float> &small,
                                      const glcl::camera::CameraState &state,
                                      const NoiseTable &noise,
                                      const glcl::camera::FrameGeometry &frame, bool restart) {
  const int width = frame.size.s[0], height = frame.size.s[1];
  const Sampler picture{small, width, height};
  const float quiet = 0.375f * 0.375f / (frame.reduction * frame.reduction);
  const Complex centre(frame.centre.s[0], frame.centre.s[1]);
  Similarity background = state.frame_motion;
  background.x /= frame.reduction, background.y /= frame.reduction;
  const auto evidence_at = [&](int x, int y) {
    return before[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)]
        .evidence;
  };
  std::vector<StillPixel> after(small.size());
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = size_t(y) * width + x;
      const float level = small[at];
      StillPixel &still = after[at];
      still.level = level;
      if (restart) continue;
      still = before[at];
      still.margin = 1e9f;
      const Complex step = vector_at(background, Complex{float(x), float(y)} - centre);
      still.motion *= 0.97f;
      if (reaches(still, std::abs(step), 0.1f)) still.motion += step;
      const float path = std::abs(still.motion),
                  noise_allows =
                      2 + 3 * std::sqrt(2 * (quiet * noise_correlation * noise_at(noise, level) +
                                             noise.back())),
                  allowed = noise_allows + edge_bound(picture, x, y);
      if (!reaches(still, allowed, std::abs(level - still.level))) {
        if (still.evidence >= overlay_frames)
          still.evidence -= 4;
        else
          still = {0, level, 0, still.margin};
        continue;
      }
      still.level += (level - still.level) / 8;
      const Complex here{float(x), float(y)}, by = still.motion / std::max(path, 1.5f);
      const auto change = [&](Complex p) {
        return std::abs(float(picture.at(p.real(), p.imag())) - level);
      };
      const float edge = std::max(change(here + by), change(here - by));
      if (reaches(still, path, 1.5f) &&
          reaches(still, edge, std::max({4 * noise_allows, 1.5f * allowed, 16.0f})))
        still.evidence++;
      if (reaches(still, path, 4))
        for (int distance : {1, 4})
          still.evidence = std::max({still.evidence, evidence_at(x - distance, y) - float(distance),
                                     evidence_at(x + distance, y) - float(distance),
                                     evidence_at(x, y - distance) - float(distance),
                                     evidence_at(x, y + distance) - float(distance)});
      still.evidence = std::min(still.evidence, max_evidence);
    }
  return after;
}

std::vector<uint8_t> overlay_marks(const std::vector<StillPixel> &still,
                                   const glcl::camera::CameraState &state,
                                   const glcl::camera::FrameGeometry &frame) {
  const int width = frame.size.s[0], height = frame.size.s[1];
  const Complex centre(frame.centre.s[0], frame.centre.s[1]),
      bend(state.bend_frame.s[0], state.bend_frame.s[1]);
  std::vector<uint8_t> marks;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Complex here =
          bent(state.from_frame, bend, Complex{float(x), float(y)} - centre) + centre;
      float evidence = 0;
      for (int dy = -2; dy <= 2; dy += 2)
        for (int dx = -2; dx <= 2; dx += 2)
          evidence = std::max(
              evidence,
              still[size_t(std::clamp(int(std::rint(here.imag())) + dy, 0, height - 1)) * width +
                    std::clamp(int(std::rint(here.real())) + dx, 0, width - 1)]
                  .evidence);
      marks.push_back(evidence >= overlay_frames ? 2 : evidence >= doubtful_frames ? 3 : 0);
    }
  return marks;
}

}  // namespace reference
