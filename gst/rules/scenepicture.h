// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace glcl::rules {

/// The looks of a frame, cell by cell and row by row.
struct ScenePicture {
  int columns = 0, rows = 0;
  std::vector<float> level;   ///< mean, 0 to 255
  std::vector<float> detail;  ///< of edges and texture, without noise, levels²
  std::vector<float> colour;  ///< mean distance from grey, levels; empty: unknown
  bool repeats = false;       ///< the luma is that of the frame before
  bool moves = false;         ///< the camera moves
};

double mean_of(const std::vector<float> &values);

/// How much of a picture's coarse structure another one has.
struct Likeness {
  bool known = false;   ///< the first picture has structure
  double alike = 0;     ///< of the directions of edges: 1 for the same, about 0 for other scenes
  double contrast = 0;  ///< of these edges, relative to the first picture
};

/// Compares pictures by their levels. Neither the light nor its direction matter much, because
/// edges count by direction, and brighter and darker sides alike. Zero for a picture without
/// structure.
Likeness likeness(int columns, const std::vector<float> &known, const std::vector<float> &seen);

}  // namespace glcl::rules
