// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

namespace glcl::histogram {

/// Where a frame has texture: the logarithm of the luma of its cells, less what it is around each
/// cell. Light that changes, also from a lamp at one side, leaves it as it is. Plain C++.
class Structure {
 public:
  static constexpr int columns = 32, rows = 18, cells = columns * rows;

  Structure() = default;
  /// `luma`: the mean of each cell, row by row, 256 times the level.
  explicit Structure(const uint32_t *luma);

  /// How much of the texture of one frame the other has, 0–1: the share of the parts of the frame,
  /// four by three, in which both correlate. Parts where neither has texture do not count; 0 where
  /// none does.
  static double similarity(const Structure &a, const Structure &b);

 private:
  std::array<float, cells> detail_{};
};

}  // namespace glcl::histogram
