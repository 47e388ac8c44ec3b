// SPDX-License-Identifier: LGPL-2.1-or-later
// The global motion without what stands still in the picture, edge by edge.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hough/interface.h"
#include "opencl/rect.h"

namespace reference {

/// The edges of a frame and of the next one, see glcl::hough::Canny::edges().
struct EdgeMaps {
  std::vector<uint16_t> before, after;
  int width, height;  ///< px
};

/// A motion: scale times cosine and sine of the clockwise rotation, the shift of the frame's
/// middle, the part of the edges that meet one, and the number of edges.
using AlignedMotion = std::array<float, 6>;

/// The edges in each area of `region`, with those that `motion` leaves on an edge.
std::vector<glcl::hough::AreaEdges> sampled_edges(const EdgeMaps &maps, const glcl::Rect &region,
                                                  const AlignedMotion &motion);

/// True if moved edges are to be aligned.
bool moved_needed(const std::vector<glcl::hough::AreaEdges> &areas);

/// Votes of moved edges for shifts, row by row.
std::vector<uint32_t> moved_votes(const EdgeMaps &maps,
                                  const std::vector<glcl::hough::AreaEdges> &areas);

/// The motion of the moved edges, if it replaces that of all edges.
std::optional<AlignedMotion> moved_alignment(const EdgeMaps &maps,
                                             const std::vector<glcl::hough::AreaEdges> &areas,
                                             const std::vector<uint32_t> &votes);

}  // namespace reference
