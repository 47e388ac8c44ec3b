// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "structure.h"

namespace glcl::histogram {

/// The features of a frame for the detection of shot boundaries. Plain C++.
struct FrameFeatures {
  static constexpr int bins = 32, channels = 3, levels = 256, counts = channels * levels;
  static constexpr int values = counts + Structure::values;

  FrameFeatures() = default;
  /// `values`: the counts of R, then of G, then of B, then the Structure::values.
  FrameFeatures(uint64_t frame, const uint32_t *values);

  /// Compares with the previous frame.
  void compare_with(const FrameFeatures &previous);

  /// True if the frame has only one level, apart from noise.
  bool is_blank() const;
  /// True if the frame, though is_blank(), shows a picture of very little contrast.
  bool is_faint() const;
  /// Fraction of the values in the darkest and the brightest bins.
  double clipped() const;

  uint64_t frame = 0;
  std::array<float, bins * channels> histogram{};  ///< bins with soft edges
  double brightness = 0;                           ///< sum of the channels' means, in levels
  double variance = 0;                             ///< levels², mean of the channels
  Structure structure;

  // Compared with the previous frame:
  double distance = 0;       ///< of the histograms
  double luma_distance = 0;  ///< levels
  Structure::Comparison comparison;
};

using History = std::deque<FrameFeatures>;

/// Half the sum of the differences distance of the histograms, averaged over the channels: 0–1.
double distance(const FrameFeatures &a, const FrameFeatures &b);
/// The distance after `before` is scaled in brightness by `gain`.
double scaled_distance(const FrameFeatures &before, const FrameFeatures &after, double gain);
/// True if a gain in brightness explains most of the distance, as with a step of exposure. The
/// means do not give the gain if highlights are clipped. False for blank frames, which any gain
/// makes equal.
bool differs_in_brightness(const FrameFeatures &before, const FrameFeatures &after);

}  // namespace glcl::histogram
