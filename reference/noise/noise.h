// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>

#include "noise/noise.h"

namespace reference {

/// The variances over all, by brightness and of compression noise, as glcl::noise::Noise defines
/// them.
using NoiseTable = std::array<float, glcl::noise::NOISE_VALUES>;

/// The factor for the variance of sums over neighbouring pixels, whose noise is correlated.
constexpr float noise_correlation = 1.33f;

/// A texel of a plane; those outside are asked for too.
using Texel = std::function<float(int x, int y)>;

/// `kept`: the table that stays if no square has noise.
NoiseTable noise(glcl::noise::Noise::Texels texels, int width, int height, const Texel &before,
                 const Texel &after, const NoiseTable *kept = nullptr);

/// The same level at every brightness, without compression noise.
NoiseTable even_noise(double level);

/// Flicker noise through the frames of a stream, as glcl::noise::Noise defines it.
class Flicker {
 public:
  /// Counts a cell whose change of this variance, levels², nothing explains.
  void count(float variance);
  /// Counts a cell that moved beyond what flicker explains.
  void move() { moved_++; }
  /// Counts that a cell stood still that could have seemed to move.
  void rest() { rested_++; }
  /// Updates the noise from the counters, for the next frame.
  void next();
  /// Levels².
  float variance() const { return variance_; }
  /// 0..1, how far most of the last picture moved.
  float camera() const { return camera_; }
  /// 0..1, how far the last picture moved as a whole.
  float pans() const { return pans_; }

 private:
  std::array<int, 33> counters_{};
  int cells_ = 0, moved_ = 0, rested_ = 0;
  float variance_ = 0, camera_ = 0, pans_ = 0;
};

/// The variance at a level.
float noise_at(const NoiseTable &table, float level);

}  // namespace reference
