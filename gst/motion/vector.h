// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace glcl::motion {

/// A vector in quarter pixels, +x right, +y down. In a key it points from a block of the current
/// frame to its match in the reference frame. In a field it is the opposite: from the reference
/// frame to the current one, so an object that moves to the right has a positive x.
struct Vector {
  int16_t x = 0, y = 0;

  Vector operator-() const { return {int16_t(-x), int16_t(-y)}; }
};

/// The best candidate of a block as one number: the cost in the upper half, the vector in the lower
/// half, ordered by y, then x. So the least key is the first of the cheapest candidates in raster
/// order, for any order of the search and any division among devices.
using Key = uint64_t;
constexpr Key no_key = ~Key(0);

constexpr Key key_of(uint32_t cost, Vector v) {
  return Key(cost) << 32 | Key(uint16_t(v.y + 32768)) << 16 | uint16_t(v.x + 32768);
}
constexpr uint32_t cost_of(Key key) { return uint32_t(key >> 32); }
constexpr Vector vector_of(Key key) {
  return {int16_t(int(key & 65535) - 32768), int16_t(int(key >> 16 & 65535) - 32768)};
}

/// The candidates of a search along one axis: `count` offsets from `first` on, in px.
struct Span {
  int first = 0, count = 1;

  int last() const { return first + count - 1; }
  /// Offsets −range … +range.
  static constexpr Span of_range(int range) { return {-range, 2 * range + 1}; }
  /// The offsets of a block in a square window of `side` px: n = side − block + 1 of them, centred,
  /// so −⌊n / 2⌋ … ⌈n / 2⌉ − 1; 0 is always among them.
  static constexpr Span of_window(int side, int block) {
    const int n = side - block + 1;
    return {-(n / 2), n};
  }
};

/// The candidates of a search: all combinations of offsets along x and y.
struct SearchWindow {
  Span x, y;

  static constexpr SearchWindow of_range(int range) {
    return {Span::of_range(range), Span::of_range(range)};
  }
  static constexpr SearchWindow of_window(int side, int block) {
    return {Span::of_window(side, block), Span::of_window(side, block)};
  }
};

}  // namespace glcl::motion
