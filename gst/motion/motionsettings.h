// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "search.h"

namespace glcl::motion {

/// The settings of BlockMotion.
struct MotionSettings {
  enum class Method { full, hierarchical, hexagon };
  enum class Precision { full, half, quarter };

  Method method = Method::full;
  /// px, 0 … motion::max_range: candidates −range … +range on both axes. 0: between min_range and
  /// max_range. A full search on one device adapts to each area, see Range. One on several
  /// devices uses min_range if that reaches target_psnr; all others use max_range.
  int range = 0;
  int min_range = 16, max_range = 0;  ///< px, up to motion::max_range; 0: largest_range()
  double target_psnr = 0;             ///< dB, reduces the range with range = 0; 0: no target
  int block = 16;                     ///< px: 4, 8, 16 or 32
  bool partitions = false;  ///< instead of `block`: macroblocks of 16 px, divided at least cost
  Precision precision = Precision::full;
  int lambda = 4;    ///< cost of a bit of a vector, 0 … Search::max_lambda
  double noise = 0;  ///< standard deviation, levels; below 0: measured; 0: without NoiseGate

  /// The block as for Search.
  int search_block() const { return partitions ? Search::partitions : block; }
  bool has_subpel() const { return precision != Precision::full; }
};

/// The value of max_range = 0: a 30th of the longer side, but at least 64 px and at most
/// motion::max_range.
inline int largest_range(int width, int height) {
  return std::clamp(std::max(width, height) / 30, 64, motion::max_range);
}

}  // namespace glcl::motion
