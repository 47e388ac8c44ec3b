// SPDX-License-Identifier: LGPL-2.1-or-later
// Block motion search, one pixel after the other.
#pragma once

#include "motion/search.h"
#include "opencl/rect.h"
#include "reference/frames.h"
#include "reference/noise/noise.h"

namespace reference {

/// A luma plane whose edge is repeated without end.
struct Plane {
  Plane() = default;
  Plane(int w, int h) : width(w), height(h), values(size_t(w) * h) {}

  uint8_t at(int x, int y) const;

  int width = 0, height = 0;  ///< px
  std::vector<uint8_t> values;
};

Plane luma(const Frame &frame);
/// As glcl::motion::LumaPlane lays it out.
std::vector<uint8_t> padded(const Plane &plane);
Plane halved(const Plane &plane);

/// As glcl::motion::Search: the keys of all blocks in raster order; `block` may be
/// Search::partitions.
std::vector<glcl::motion::Key> full_search(const Plane &current, const Plane &reference, int block,
                                           const glcl::motion::SearchWindow &window, int lambda);

/// As glcl::motion::Hexagon and glcl::motion::Hierarchy.
std::vector<glcl::motion::Key> hexagon(const Plane &current, const Plane &reference, int block,
                                       int range, int lambda);
std::vector<glcl::motion::Key> hierarchical(const Plane &current, const Plane &reference, int block,
                                            int range, int lambda);

/// The 41 partitions in the order of their keys, relative to the macroblock.
const std::vector<glcl::Rect> &partitions();

/// The samples of a plane in quarter pixels (H.264, 8.4.2.2.1), up to `margin` px beyond its edge.
class Samples {
 public:
  Samples(const Plane &plane, int margin);
  uint8_t at(int x, int y) const;  ///< in quarter pixels

 private:
  uint8_t half(int x, int y) const;  // in half pixels

  const Plane &plane_;
  int margin_;
  Plane b_, h_, j_;
};

/// As glcl::motion::Subpel.
void refine(std::vector<glcl::motion::Key> &keys, const Plane &current, const Samples &reference,
            int block, int lambda, bool quarter);

/// As glcl::motion::NoiseGate; `between`: vectors may end between pixels; `flicker`: noise of the
/// frames ahead, by default none.
void keep_still(std::vector<glcl::motion::Key> &keys, const Plane &current, const Plane &reference,
                int block, int lambda, const NoiseTable &noise, bool between,
                Flicker *flicker = nullptr);
/// The noise of two planes.
NoiseTable noise_of(const Plane &before, const Plane &after);

/// Vectors of cells, costs and shapes of blocks, as glcl::motion::VectorField has
/// them.
struct Field {
  int cell, columns;
  std::vector<glcl::motion::Vector> vectors;
  std::vector<uint32_t> costs;
  std::vector<uint16_t> shapes;
};
Field field(const std::vector<glcl::motion::Key> &keys, int width, int height, int block,
            int lambda);

Plane predict(const Samples &reference, const Field &field, int width, int height);
double mse(const Plane &a, const Plane &b);

/// Bits of a vector: two signed Exp-Golomb codes.
int vector_bits(glcl::motion::Vector v);

}  // namespace reference
