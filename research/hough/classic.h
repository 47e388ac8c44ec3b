// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "hough/transform.h"

namespace glcl::research {

/// The generalised Hough transform (Ballard 1981), for comparison with the fast one. It covers all
/// rotations of 2° and scales of 0.1 in the space of four dimensions, one rotation at a time.
class Classic {
 public:
  static constexpr int rotations = hough::EdgePairs::steps, scales = hough::Transform::scales;

  /// For up to `edges` of a second picture of width × height px. Throws Error::failed where the
  /// device refuses.
  Classic(Context &context, int width, int height, size_t edges);

  /// Enqueues the votes of both pictures' edges. `known`: has the rotations as numbers.
  void run(Queue &queue, const hough::EdgePairs &before, const hough::EdgePairs &after,
           const hough::Transform &known);
  /// Two uint for each rotation: the most votes, and where, row by row and scale by scale; of
  /// equals the first.
  const cl::Buffer &most() const { return most_; }

 private:
  size_t edges_, cells_;
  hough::Argmax argmax_;
  Kernel vote_;
  cl::Buffer space_, count_, maximum_, most_;
};

/// The edges of a picture, by direction.
struct EdgeList {
  int width, height;
  std::vector<uint32_t> indices;  ///< in the map
  std::vector<int> directions;    ///< 0 … rotations - 1
};

/// What Classic::most() is.
std::vector<uint32_t> classic_most(const EdgeList &before, const EdgeList &after);

}  // namespace glcl::research
