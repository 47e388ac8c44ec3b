// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenepicture.h"

#include <cmath>
#include <complex>
#include <numeric>

namespace glcl::rules {

namespace {

constexpr double clear_edge = 2;    // levels per cell; an edge that counts
constexpr double faint_edge = 0.5;  // levels per cell; less has no direction
constexpr size_t least_edges = 16;  // of a picture with structure

/// The change per cell along x and y.
std::complex<double> edge_at(const std::vector<float> &level, size_t columns, size_t at) {
  return {(double(level[at + 1]) - double(level[at - 1])) / 2,
          (double(level[at + columns]) - double(level[at - columns])) / 2};
}

}  // namespace

double mean_of(const std::vector<float> &values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

Likeness likeness(int columns, const std::vector<float> &known, const std::vector<float> &seen) {
  const auto width = size_t(columns);
  if (width < 3 || known.size() != seen.size()) return {};
  double weight = 0, alike = 0, contrast = 0;
  size_t edges = 0;
  for (size_t at = width; at + width < known.size(); at++) {
    if (at % width == 0 || at % width == width - 1) continue;
    const std::complex<double> before = edge_at(known, width, at), now = edge_at(seen, width, at);
    const double length = std::abs(before), other = std::abs(now);
    if (length < clear_edge) continue;
    edges++;
    weight += length;
    contrast += other;
    // Twice the angle: an edge that is brighter on the other side has the same direction.
    if (other >= faint_edge)
      alike += length * (before * before * std::conj(now * now)).real() /
               (length * length * other * other);
  }
  if (edges < least_edges) return {};
  return {true, alike / weight, contrast / weight};
}

}  // namespace glcl::rules
