// SPDX-License-Identifier: LGPL-2.1-or-later
#include "grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bilateral.h"
#include "codes.h"

namespace reference {

namespace {

using glcl::bilateral::BilateralFilter;
using Cell = std::array<double, 4>;  // sums of weighted R, G, B and of the weights
using Taps = std::array<double, 3>;  // of a symmetric blur of five, from the centre

constexpr int reach = 2;  // of the blur, nodes

/// Nodes of x, y and z, first[axis]..first[axis] + count[axis] - 1.
struct Nodes {
  Nodes(std::array<int, 3> low, std::array<int, 3> size)
      : first(low), count(size), cells(size_t(size[0]) * size[1] * size[2]) {}

  Cell &at(int x, int y, int z) {
    return cells[(size_t(y - first[1]) * count[0] + x - first[0]) * count[2] + z - first[2]];
  }

  std::array<int, 3> first, count;
  std::vector<Cell> cells;
};

/// Between which two nodes a coordinate lies, and the weight of the second.
struct Place {
  explicit Place(double at) : node(static_cast<int>(std::floor(at))), weight(at - node) {}
  double of(int corner) const { return corner ? weight : 1 - weight; }
  int node;
  double weight;
};

/// A sampled Gaussian of variance 2/3 + `more`.
Taps blur_taps(double more) {
  const double variance = 2.0 / 3 + more;
  const double near = std::exp(-0.5 / variance), far = std::exp(-2 / variance);
  const double sum = 1 + 2 * near + 2 * far;
  return {1 / sum, near / sum, far / sum};
}

void blur(Nodes &nodes, int axis, const Taps &taps) {
  const Nodes from = nodes;
  const std::array<size_t, 3> strides = {size_t(nodes.count[2]),
                                         size_t(nodes.count[2]) * nodes.count[0], 1};
  for (size_t i = 0; i < nodes.cells.size(); i++) {
    const int at = static_cast<int>(i / strides[axis] % nodes.count[axis]);
    Cell sum{};
    for (int d = -reach; d <= reach; d++)
      if (at + d >= 0 && at + d < nodes.count[axis])
        for (int k = 0; k < 4; k++)
          sum[k] += taps[std::abs(d)] * from.cells[i + d * strides[axis]][k];
    nodes.cells[i] = sum;
  }
}

/// Filters R, G, B by a range coordinate that `range` gives for a pixel.
template <class Range>
std::vector<Cell> filter(const Codes &in, double cell, double range_end, Range range) {
  const std::array<int, 3> last = {static_cast<int>((in.width - 1) / cell) + 1,
                                   static_cast<int>((in.height - 1) / cell) + 1,
                                   static_cast<int>(range_end) + 1};
  Nodes nodes({-reach - 1, -reach - 1, 0},
              {last[0] + 2 * reach + 3, last[1] + 2 * reach + 3, last[2] + 1});
  const auto each_corner = [&](double x, double y, double z, auto visit) {
    const Place px(x / cell), py(y / cell), pz(z);
    for (int i = 0; i < 8; i++)
      visit(nodes.at(px.node + (i & 1), py.node + (i >> 1 & 1), pz.node + (i >> 2)),
            px.of(i & 1) * py.of(i >> 1 & 1) * pz.of(i >> 2));
  };

  const auto begin = static_cast<int>(std::ceil(-(reach + 1) * cell));
  for (int y = begin; y < (last[1] + reach + 1) * cell; y++)
    for (int x = begin; x < (last[0] + reach + 1) * cell; x++) {
      const uint16_t *p = in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1));
      each_corner(x, y, range(p), [&](Cell &node, double weight) {
        for (int k = 0; k < 4; k++) node[k] += weight * (k < 3 ? p[k] : 1);
      });
    }

  const Taps space = blur_taps(1 / (3 * cell * cell));
  blur(nodes, 0, space);
  blur(nodes, 1, space);
  blur(nodes, 2, blur_taps(0));

  std::vector<Cell> result;
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      Cell sum{};
      each_corner(x, y, range(in.at(x, y)), [&](const Cell &node, double weight) {
        for (int k = 0; k < 4; k++) sum[k] += weight * node[k];
      });
      result.push_back(sum);
    }
  return result;
}

void filter_channels(const Codes &in, Codes &out, const BilateralFilter::Settings &settings) {
  const auto store = [&](const std::vector<Cell> &cells, int channel) {
    for (size_t i = 0; i < cells.size(); i++)
      out.values[4 * i + channel] =
          static_cast<uint16_t>(std::floor(cells[i][channel] / cells[i][3] + 0.5));
  };
  const double level = in.full_scale * settings.sigma_range;
  if (settings.weight == BilateralFilter::Weight::per_channel) {
    for (int c = 0; c < 3; c++)
      store(filter(in, settings.sigma_space, in.full_scale / level,
                   [&](const uint16_t *p) { return p[c] / level; }),
            c);
    return;
  }
  const bool color = settings.weight == BilateralFilter::Weight::color;
  const auto cells =
      filter(in, settings.sigma_space, (color ? std::sqrt(3.0) : 1) * in.full_scale / level,
             [&](const uint16_t *p) {
               return (color ? (p[0] + p[1] + p[2]) / std::sqrt(3.0)
                             : (30 * p[0] + 59 * p[1] + 11 * p[2]) / 100.0) /
                      level;
             });
  for (int c = 0; c < 3; c++) store(cells, c);
}

Codes filter_by_grid(const Codes &in, const BilateralFilter::Settings &settings) {
  Codes from = in, out = in;
  for (int i = 0; i < settings.iterations; i++) {
    filter_channels(from, out, settings);
    from = out;
  }
  show_split(in, out, settings.split);
  return out;
}

}  // namespace

Frame bilateral_grid(const Frame &in, const BilateralFilter::Settings &settings) {
  return filter_by_grid(Codes(in), settings).frame();
}

PlanarFrame deep_bilateral_grid(const PlanarFrame &in, const BilateralFilter::Settings &settings) {
  return filter_by_grid(Codes(in), settings).planar_frame();
}

}  // namespace reference
