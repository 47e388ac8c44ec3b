// SPDX-License-Identifier: LGPL-2.1-or-later
#include "structure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glcl::histogram {

namespace {

constexpr double dark = 8;       // levels; below, noise dominates the differences of the logarithm
constexpr double most = 0.3;     // of a cell's texture, so that no edge dominates
constexpr double least = 0.015;  // rms of a part's texture; below, it has no texture
constexpr double least_share = 0.5;  // the same relative to the frame, for views of little contrast
constexpr double least_levels =
    0.4;                         // rms in levels, above what noise leaves in the mean of a cell
constexpr double similar = 0.4;  // correlation; unrelated parts of 48 cells stay below 0.3
constexpr double equal = 0.8, equal_luma = 12;  // correlation and rms in levels of unchanged parts
constexpr float rewritten = 6;                  // levels of a cell
constexpr int least_rewritten = 2;              // rows of cells
constexpr double equal_row = 0.6;               // correlation of unchanged rows of cells

double change(double product, double a, double b) {
  return a + b > 0 ? (a + b - 2 * product) / (a + b) : 0;
}

}  // namespace

Structure::Structure(const uint32_t *luma) {
  Luma logarithm;
  for (int i = 0; i < cells; i++) {
    luma_[i] = static_cast<float>(luma[i]) / 256;
    logarithm[i] = static_cast<float>(std::log(luma[i] / 256.0 + dark));
  }
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      double around = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          around += logarithm[std::clamp(y + dy, 0, rows - 1) * columns +
                              std::clamp(x + dx, 0, columns - 1)];
      const int cell = y * columns + x;
      texture_[cell] = static_cast<float>(std::clamp(logarithm[cell] - around / 9, -most, most));
    }
}

double Structure::luma_scatter(int first, int end) const {
  double sum = 0, squares = 0;
  for (int i = first; i < end; i++) {
    sum += luma_[i];
    squares += double(luma_[i]) * luma_[i];
  }
  return squares - sum * sum / (end - first);
}

Structure::Moments Structure::moments(const Structure &a, const Structure &b, int part) {
  const int left = part % parts_across * part_columns, top = part / parts_across * part_rows;
  Moments sum;
  for (int i = 0; i < part_cells; i++) {
    const int cell = (top + i / part_columns) * columns + left + i % part_columns;
    const double of_a = a.texture_[cell], of_b = b.texture_[cell];
    const double difference = double(a.luma_[cell]) - b.luma_[cell];
    sum.product += of_a * of_b;
    sum.a += of_a * of_a;
    sum.b += of_b * of_b;
    sum.luma += difference * difference;
  }
  return sum;
}

int Structure::equal_top_rows(const Structure &a, const Structure &b) {
  const double power = least * least * columns;
  int count = 0;
  for (int y = 0; y < rows; y++) {
    double product = 0, of_a = 0, of_b = 0;
    for (int i = y * columns; i < (y + 1) * columns; i++) {
      product += double(a.texture_[i]) * b.texture_[i];
      of_a += double(a.texture_[i]) * a.texture_[i];
      of_b += double(b.texture_[i]) * b.texture_[i];
    }
    if (std::max(of_a, of_b) <= power) continue;
    if (std::min(of_a, of_b) <= power || product < equal_row * std::sqrt(of_a * of_b)) break;
    count++;
  }
  return count;
}

/// The least power per cell that counts as texture; a view of little contrast needs less.
double Structure::least_power(const Structure &a, const Structure &b) {
  double luma = 0, of_a = 0, of_b = 0;
  for (int i = 0; i < cells; i++) {
    luma += (double(a.luma_[i]) + b.luma_[i]) / (2 * cells);
    of_a += double(a.texture_[i]) * a.texture_[i] / cells;
    of_b += double(b.texture_[i]) * b.texture_[i] / cells;
  }
  const double of_noise = least_levels / (luma + dark);
  const double own = least_share * std::sqrt(std::max(of_a, of_b));
  const double rms = std::min(least, std::max(of_noise, own));
  return rms * rms;
}

Structure::Comparison Structure::compare(const Structure &a, const Structure &b) {
  const double power = least_power(a, b) * part_cells;
  Comparison result;
  Moments whole;
  for (int part = 0; part < parts_across * parts_down; part++) {
    const Moments m = moments(a, b, part);
    whole.product += m.product, whole.a += m.a, whole.b += m.b;
    if (std::max(m.a, m.b) <= power) continue;
    result.textured++;
    if (std::min(m.a, m.b) <= power) continue;
    const double correlation = m.product / std::sqrt(m.a * m.b);
    if (correlation > similar) result.similar++;
    if (correlation > equal && m.luma < equal_luma * equal_luma * part_cells) result.equal++;
  }
  result.change = change(whole.product, whole.a, whole.b);
  return result;
}

bool Structure::is_rewritten(const Structure &a, const Structure &b) {
  int count = 0, first = rows, last = 0;
  for (int y = 0; y < rows; y++) {
    int brighter = 0, darker = 0, left = columns, right = 0;
    for (int x = 0; x < columns; x++) {
      const float difference = b.luma_[y * columns + x] - a.luma_[y * columns + x];
      brighter += difference > rewritten;
      darker += difference < -rewritten;
      if (std::abs(difference) > rewritten) left = std::min(left, x), right = x;
    }
    count += std::min(brighter, darker) >= 2 && right - left > columns / 3;
    if (std::max(brighter, darker) < 2) continue;
    first = std::min(first, y);
    last = y;
  }
  return count >= least_rewritten && last - first >= rows / 3;
}

double Structure::luma_distance(const Structure &a, const Structure &b) {
  double sum = 0;
  for (int i = 0; i < cells; i++) {
    const double difference = double(a.luma_[i]) - b.luma_[i];
    sum += difference * difference;
  }
  return std::sqrt(sum / cells);
}

double Structure::brighter(const Structure &a, const Structure &b) {
  int count = 0;
  for (int i = 0; i < cells; i++) count += b.luma_[i] > a.luma_[i];
  return double(count) / cells;
}

double Structure::sharpness(const uint32_t *values) {
  constexpr double unit = 1.0 / 64;  // levels²
  return unit * std::accumulate(values + cells, values + 2 * cells, 0.0) / cells;
}

int Structure::textured_parts() const {
  int count = 0;
  for (int part = 0; part < parts_across * parts_down; part++)
    count += moments(*this, *this, part).a > least * least * part_cells;
  return count;
}

}  // namespace glcl::histogram
