// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast generalised Hough transform, edge by edge (Gómez Luna 2012).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hough/interface.h"

namespace reference {

/// Two edges at right angles, by their indices in the list of edges.
struct EdgePair {
  uint32_t kind, from, to;
  bool operator<(const EdgePair &other) const {
    return std::array{kind, from, to} < std::array{other.kind, other.from, other.to};
  }
  bool operator==(const EdgePair &other) const {
    return kind == other.kind && from == other.from && to == other.to;
  }
};

struct EdgePairs {
  static constexpr int steps = glcl::hough::STEPS, scales = glcl::hough::SCALES;

  /// The `edges` strongest of a map with `width` px per row; of more edge pairs than `capacity`,
  /// each second, third, ….
  EdgePairs(const std::vector<uint16_t> &map, int width, std::size_t edges, std::size_t capacity);

  int width, height;
  std::vector<uint32_t> indices;  ///< of the edges in the map, by direction
  std::vector<EdgePair> pairs;    ///< by kind
  std::vector<uint32_t> space;    ///< how many there are of each kind
};

/// The correlation of the spaces, by rotation.
std::vector<uint64_t> correlation(const EdgePairs &before, const EdgePairs &after);
/// Votes for the scales from 0.5 to 1.5.
std::vector<uint32_t> scale_votes(const EdgePairs &before, const EdgePairs &after, int rotation);
/// Votes for where the first picture's middle is, by squares of 2^fine px.
std::vector<uint32_t> shift_votes(const EdgePairs &before, const EdgePairs &after, int rotation,
                                  int scale, int fine);

}  // namespace reference
