// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

namespace glcl::histogram {

/// The luma of a frame in a coarse grid of cells, and its texture: the logarithm of the luma of a
/// cell minus the mean around it. Texture does not change with brightness, nor with a lamp at one
/// side. Plain C++.
class Structure {
 public:
  static constexpr int columns = 32, rows = 18, cells = columns * rows;
  /// Values of a frame: the luma of the cells, then their detail; see ShotValues.
  static constexpr int values = 2 * cells;
  using Luma = std::array<float, cells>;

  Structure() = default;
  /// `luma`: the mean of each cell, row by row, 256 times the level.
  explicit Structure(const uint32_t *luma);

  /// Levels, row by row.
  const Luma &luma() const { return luma_; }
  /// Sum of squared deviations of the luma of cells [first, end) from their mean.
  double luma_scatter(int first = 0, int end = cells) const;

  /// The differences between two frames in 4 × 3 parts of the frame.
  struct Comparison {
    int textured = 0;   ///< parts with texture in at least one of the frames
    int similar = 0;    ///< of these, parts whose textures correlate
    int equal = 0;      ///< of these, parts that did not change
    double change = 0;  ///< of the texture of the whole frame: 0 the same, about 1 unrelated

    /// Fraction of the textured parts that are similar; 0 without texture.
    double similarity() const { return textured ? double(similar) / textured : 0; }
  };
  static Comparison compare(const Structure &a, const Structure &b);
  static double similarity(const Structure &a, const Structure &b) {
    return compare(a, b).similarity();
  }

  /// Textured rows of cells at the top that are equal: a damaged frame keeps what was decoded
  /// before the damage.
  static int equal_top_rows(const Structure &a, const Structure &b);

  /// True if part of the frame stays, as when a decoder lacks the rest.
  static bool keeps_part(const Structure &a, const Structure &b) {
    return compare(a, b).equal >= 2 || equal_top_rows(a, b) >= 3;
  }

  /// True if cells change across more than a third of the frame's height, and in some rows, across
  /// more than a third of the width, some become brighter and others darker, as where lines of text
  /// replace others. Text that appears only makes cells darker, or only brighter.
  static bool is_rewritten(const Structure &a, const Structure &b);

  /// Root mean square of the difference in luma, in levels.
  static double luma_distance(const Structure &a, const Structure &b);

  /// Fraction of the cells that are brighter in b than in a.
  static double brighter(const Structure &a, const Structure &b);

  /// The mean detail of the cells, in levels²: the sharper a picture, the more.
  static double sharpness(const uint32_t *values);

  /// Parts with texture, of 12.
  int textured_parts() const;

 private:
  static constexpr int part_columns = 8, part_rows = 6;  // cells of a part
  static constexpr int part_cells = part_columns * part_rows;
  static constexpr int parts_across = columns / part_columns, parts_down = rows / part_rows;

  /// Sums over the cells of a part of two frames.
  struct Moments {
    double product = 0, a = 0, b = 0;  // sums of the products of the textures
    double luma = 0;                   // sum of squared differences
  };
  static double least_power(const Structure &a, const Structure &b);
  static Moments moments(const Structure &a, const Structure &b, int part);

  Luma luma_{};
  Luma texture_{};
};

}  // namespace glcl::histogram
