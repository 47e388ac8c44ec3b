// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "hough/hough.h"

namespace reference {

/// An entry of a list of the strongest values of a map.
struct Listed {
  uint32_t key, place;
};
/// What glcl::hough::Strongest lists.
std::vector<Listed> strongest(const std::vector<uint16_t> &map, int width, int shift, int strengths,
                              int wanted, size_t room, const glcl::hough::Region &region);

/// The votes of the strong edges of a map for a shape, in a space laid out as `space`.
std::vector<uint32_t> votes(const std::vector<uint16_t> &edges, int width,
                            const glcl::hough::Shape &shape, const glcl::hough::Hough::Space &space,
                            double scale_min, double scale_max);

/// How well a shape at a pose meets the edges of a map.
double score(const std::vector<uint16_t> &edges, int width, int height,
             const glcl::hough::Shape &shape, double x, double y, double angle, double scale);

}  // namespace reference
