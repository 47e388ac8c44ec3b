// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "filter.h"

namespace glcl::chain {

/// The limits of .cube files.
constexpr int max_curve = 65536;                     // points of a 1D table
constexpr int max_lattice = 129;                     // points along an edge of a 3D table
constexpr size_t max_cube_text = size_t(128) << 20;  // bytes
constexpr double least_domain = 1e-6;                // width of the range of an input

/// Colours at equal steps of the input.
struct ColourTable {
  int size = 0;                                       ///< points along an axis; 0: no table
  std::array<double, 3> low{0, 0, 0}, high{1, 1, 1};  ///< range of the input
  std::vector<float> points;                          ///< red, green, blue and a 0 for each point
};

/// The tables of a .cube file, at least one of them. A colour goes through the curve first.
struct Cube {
  ColourTable curve;    ///< 1D: each channel by itself
  ColourTable lattice;  ///< 3D: all channels together; red varies fastest
};

/// True if the name ends with .cube, in any case.
bool is_cube(const std::string &name);

/// Reads the text of a .cube file; `file` is for messages. Throws Error::settings with file and
/// line.
std::shared_ptr<const Cube> parse_cube(const std::string &text, const std::string &file);

/// The filter `cube` with these tables.
std::shared_ptr<const Filter> cube_filter(std::shared_ptr<const Cube> cube);

}  // namespace glcl::chain
