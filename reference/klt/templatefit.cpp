// SPDX-License-Identifier: LGPL-2.1-or-later
#include "templatefit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace reference::klt {

namespace {

/// Solves four linear equations in place, by elimination; false where they have no one solution.
bool solve(const double (&matrix)[4][4], double (&right)[4]) {
  double m[4][4];
  std::copy(&matrix[0][0], &matrix[0][0] + 16, &m[0][0]);
  for (int k = 0; k < 4; k++) {
    if (!(m[k][k] > 0)) return false;
    for (int row = k + 1; row < 4; row++) {
      const double part = m[row][k] / m[k][k];
      for (int column = k; column < 4; column++) m[row][column] -= part * m[k][column];
      right[row] -= part * right[k];
    }
  }
  for (int k = 3; k >= 0; k--) {
    for (int column = k + 1; column < 4; column++) right[k] -= m[k][column] * right[column];
    right[k] /= m[k][k];
  }
  return true;
}

}  // namespace

Fitted fit(const Plane &plane, const Template &patch, Complex at, Complex similarity, int steps,
           double noise) {
  struct Slopes {
    double along[4];
  };
  const size_t count = patch.texels.size();
  const double n = std::max<double>(double(count), 1);
  std::vector<Slopes> slopes;
  double mean = 0, variance = 0, means[4] = {};
  for (const Template::Texel &s : patch.texels) {
    slopes.push_back({{s.gx, s.gy, s.gx * s.i + s.gy * s.j, s.gy * s.i - s.gx * s.j}});
    mean += s.value / n;
    for (int k = 0; k < 4; k++) means[k] += slopes.back().along[k] / n;
  }
  double normal[4][4] = {};
  for (size_t t = 0; t < count; t++) {
    variance += (patch.texels[t].value - mean) * (patch.texels[t].value - mean) / n;
    for (int k = 0; k < 4; k++) slopes[t].along[k] -= means[k];
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < 4; l++) normal[k][l] += slopes[t].along[k] * slopes[t].along[l];
  }
  Fitted result{true, at, similarity, 0, variance};
  Complex change = 0;
  double gain = 1, other = 0;
  std::vector<double> seen(count);
  bool moves = true;
  for (int step = 0; step <= steps && result.good; step++) {
    double value = 0, deviation = 0;
    result.residue = 0;
    for (size_t t = 0; t < count; t++) {
      const Template::Texel &s = patch.texels[t];
      const Complex position = result.at + result.similarity * Complex(s.i, s.j);
      const double x = std::clamp(position.real(), -1.0, plane.width - 0.0625),
                   y = std::clamp(position.imag(), -1.0, plane.height - 0.0625);
      const double fx = std::floor(x), fy = std::floor(y);
      seen[t] = plane.between(int(fx), int(fy), float(x - fx), float(y - fy)) - patch.middle;
      value += seen[t] / n;
      result.residue += std::abs(s.value - mean - gain * (seen[t] - other)) / n;
    }
    if (!moves || step == steps) break;
    other = value;
    for (const double v : seen) deviation += (v - other) * (v - other) / n;
    gain = std::clamp(std::sqrt(variance / std::max(deviation, 1e-6)), 1 / 3.0, 3.0);
    const double prior =
        (std::max(noise, 6 * result.residue * result.residue) + 0.1) / (0.02 * 0.02);
    double matrix[4][4];
    std::copy(&normal[0][0], &normal[0][0] + 16, &matrix[0][0]);
    matrix[2][2] += prior, matrix[3][3] += prior;
    double solved[4] = {0, 0, -prior * change.real(), -prior * change.imag()};
    for (size_t t = 0; t < count; t++)
      for (int k = 0; k < 4; k++)
        solved[k] += slopes[t].along[k] * (patch.texels[t].value - mean - gain * (seen[t] - other));
    if (!solve(matrix, solved)) {
      result.good = false;
      break;
    }
    const Complex shift(solved[0], solved[1]), more(solved[2], solved[3]);
    result.at += result.similarity * shift;
    result.similarity += result.similarity * more;
    change += more;
    const double scale = std::abs(result.similarity);
    result.good = std::abs(result.at - at) <= 0.5 * patch.radius && scale <= 2 && 2 * scale >= 1;
    moves = result.good && std::norm(shift) > 0.005 * 0.005;
  }
  return result;
}

}  // namespace reference::klt
