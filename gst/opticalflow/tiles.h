// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles of the flow's lattices for work-groups, and the local memory that they need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "opencl/cl.h"
#include "opencl/kernel.h"
#include "opencl/tuning.h"
#include "opticalflow/interface.h"

namespace glcl::opticalflow {

constexpr int most_spacing = 2;  // maximum distance between the nodes of the median

inline int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }
inline int divide_up(int n, int unit) { return (n + unit - 1) / unit; }

/// The work-groups and tiles for a lattice and windows with a radius of `radius` nodes.
struct SolverForm {
  int radius = 0;
  int sums = 0;  ///< neighbouring sums that an item adds up at a time
  Size group;    ///< items
  Size tile;     ///< nodes

  SolverForm() = default;
  SolverForm(int radius, int sums, Size group, Size tile)
      : radius(radius), sums(sums), group(group), tile(tile) {}
  /// The parameters tile-x and tile-y also count the surrounding nodes whose right-hand sides a
  /// tile needs.
  SolverForm(const Parameters &variant, int radius)
      : SolverForm(radius, variant.at("sums"),
                   {size_t(variant.at("group-x")), size_t(variant.at("group-y"))},
                   {size_t(variant.at("tile-x") - 2 * radius),
                    size_t(variant.at("tile-y") - 2 * radius)}) {}
};

inline int tile_count(Size tile, int columns, int rows) {
  return divide_up(columns, static_cast<int>(tile.x)) * divide_up(rows, static_cast<int>(tile.y));
}

/// Elements of a work-group's arrays in local memory. `tile`: right-hand sides of the nodes in and
/// around its tile. `strip`: their sums along y. `nodes`: the nodes of the tile.
struct TileMemory {
  size_t tile, strip, nodes;

  TileMemory(Size side, int radius, int sums) : nodes(side.x * side.y) {
    const size_t window_nodes = side.x + 2 * radius;
    tile = window_nodes * (round_up(static_cast<int>(side.y), sums) + 2 * radius);
    strip = window_nodes * side.y;
  }
  /// For flow_warp: every element has two floats.
  size_t bytes() const { return (tile + strip + nodes) * sizeof(cl_float2); }
  /// For flow_dense: right-hand sides and sums have five floats, nodes two.
  size_t dense_bytes() const {
    return (tile + strip) * (sizeof(cl_float4) + sizeof(cl_float)) + nodes * sizeof(cl_float2);
  }
  /// For flow_dense: also the flow of the lattice of flow_warp, whose nodes are twice as far apart.
  /// Two vectors fit into one element.
  static TileMemory dense(Size side, int radius, int sums) {
    TileMemory memory(side, radius, sums);
    const auto within = [&](size_t nodes) {
      return (nodes + 2 * radius) / 2 + 3 + 4 * most_spacing;
    };
    memory.tile = std::max(memory.tile, (within(side.x) * within(side.y) + 1) / 2);
    return memory;
  }
  /// For flow_tensors, whose elements have four floats: two of them per node in and around the
  /// tile.
  static TileMemory sums(Size side, int radius, int sums) {
    TileMemory memory(side, radius, sums);
    memory.tile *= 2;
    return memory;
  }
  /// For `warps` warps in one launch: also the flow and its medians.
  TileMemory(Size side, const Size &lattice, int radius, int sums, int spacing, int warps)
      : TileMemory(side, radius, sums) {
    const int reach = 2 * spacing;  // of the median in noise, nodes
    const size_t around = 2 * radius + 1, more = 2 * (radius + reach);
    const auto within = [&](size_t grow) {
      return std::min(side.x + grow, lattice.x) * std::min(side.y + grow, lattice.y);
    };
    tile = std::max(tile, within(around + 2 * reach)), strip = std::max(strip, within(around));
    if (warps > 1) {
      const Size larger{std::min(side.x + more, lattice.x), std::min(side.y + more, lattice.y)};
      const TileMemory before(larger, lattice, radius, sums, spacing, warps - 1);
      tile = std::max(tile, before.tile), strip = std::max(strip, before.strip);
      nodes = std::max(nodes, before.nodes);
    }
  }
};

/// The size of tiles that divide a lattice evenly into at most `most` tiles, none larger than
/// `largest`. The area of a tile with `around` more nodes along each axis is minimal. `most` tiles
/// of the size `largest` must suffice.
inline Size even_tile(Size lattice, Size largest, size_t most, size_t around) {
  Size best = largest;
  size_t least = SIZE_MAX;
  const auto part = [](size_t side, size_t count) { return (side + count - 1) / count; };
  for (size_t columns = part(lattice.x, largest.x); columns <= std::min(lattice.x, most);
       columns++) {
    const size_t rows = std::min(most / columns, lattice.y);
    if (!rows || rows < part(lattice.y, largest.y)) continue;
    const Size tile{part(lattice.x, columns), part(lattice.y, rows)};
    const size_t area = (tile.x + around) * (tile.y + around);
    if (area < least) least = area, best = tile;
  }
  return best;
}

/// The taps of a Gaussian for nodes `step` px apart; they end at the edge of the window or at
/// `radius`. `node_variance`: the variance that a single node already has, px².
inline Window make_window(int window, int step, int radius, double node_variance = 0) {
  Window result{};
  const double variance = std::max(window * window / 36.0 - node_variance, 1e-6);
  double sum = 0;
  for (int i = 0; i <= std::min(radius, window / 2 / step); i++) {
    const double tap = std::exp(-0.5 * (i * step) * (i * step) / variance);
    result.tap[i] = static_cast<float>(tap);
    sum += i ? 2 * tap : tap;
  }
  for (float &tap : result.tap) tap = static_cast<float>(tap / sum);
  return result;
}

/// The sum of the squared weights of a window.
inline float spread(const Window &window) {
  float along = 0;
  for (int i = 0; i < static_cast<int>(std::size(window.tap)); i++)
    along += (i ? 2 : 1) * window.tap[i] * window.tap[i];
  return along * along;
}

}  // namespace glcl::opticalflow
