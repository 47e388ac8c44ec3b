// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "hough/hough.h"

namespace reference {

/// An entry of a list of the strongest values of a map.
struct Listed {
  uint32_t key, index;
};
/// The list of glcl::hough::TopK.
std::vector<Listed> strongest(const std::vector<uint16_t> &map, int width, int shift, int strengths,
                              int wanted, size_t capacity, const glcl::Rect &region);

/// How many of a shape's matched points meet an edge of their direction, by position, rotation and
/// scale.
class Match {
 public:
  Match(const std::vector<uint16_t> &edges, int width, int height, int half);
  /// From 0 to Shape::matched_points, with the shape's middle at a pixel.
  int points(const glcl::hough::Template &shape, int x, int y, double rotation, double scale) const;
  /// The part of all directions that edges near a pixel have; 0 outside.
  double directions(int x, int y) const;

 private:
  int width_, height_;
  std::vector<uint16_t> map_;
};

/// How well a level of a template of this radius meets the edges of a map at a pose, over all
/// points or on one side.
double score(const std::vector<uint16_t> &edges, int width, int height,
             const glcl::hough::Template::ScaleLevel &level, double radius, double x, double y,
             double angle, double scale);

}  // namespace reference
