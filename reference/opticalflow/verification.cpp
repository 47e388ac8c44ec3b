// SPDX-License-Identifier: LGPL-2.1-or-later
#include "verification.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

namespace {

constexpr int strip = 8;  // cells that vote together

double ramp(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

double consistency(double x, double y, double weight, double square) {
  return weight * square > 0 ? (x * x + y * y) / (weight * square) : 0;
}

/// True if the contrast exceeds a change of brightness.
double contrast_weight(double variance, double brightness) {
  return brightness > 0.5 ? ramp(std::sqrt(variance) / std::min(brightness - 0.5, 3.0), 1, 2) : 1;
}

/// True if a cell has more contrast than an encoder leaves on a wall.
double visibility(double variance) { return ramp(std::sqrt(variance), 2, 3); }

}  // namespace

RowRatios::RowRatios(const Plane<1> &before, const Plane<1> &after) {
  double mean = 0;
  for (int y = 0; y < before.height; y += 2) {
    double ratio = 0;
    for (int sweep = 0; sweep < 3; sweep++) {
      double product = 0, square = 0;
      for (int x = 0; x < before.width; x += 2) {
        const double own = before.at(x, y)[0], change = after.at(x, y)[0] - own,
                     distance = (change - ratio * own) / 8, part = 1 / (1 + distance * distance),
                     weight = sweep ? part * part : 1;
        product += weight * own * change, square += weight * own * own;
      }
      ratio = product / std::max(square, 1.0);
    }
    ratios.push_back(static_cast<float>(ratio));
    mean += ratio;
  }
  const size_t count = ratios.size(), spacing = std::max(count / 240, size_t(1));
  mean /= double(count);
  double square = 0, steps = 0;
  for (size_t i = 0; i < count; i++) {
    square += (ratios[i] - mean) * (ratios[i] - mean);
    if (i + spacing < count) steps += std::pow(ratios[i + spacing] - ratios[i], 2);
  }
  square /= double(count), steps /= double(std::max(count - std::min(spacing, count), size_t(1)));
  if (count >= 24)
    rolling = ramp(std::sqrt(square), 0.004, 0.008) *
              (1 - ramp(steps / std::max(square, 1e-9), 0.05, 0.08));
}

Verification::Verification(const std::vector<Change> &nodes, int width, int height, bool census,
                           double rolling, double noise, double brightness, bool keep_all,
                           Flicker &flicker)
    : columns_((width + side - 1) / side),
      rows_((height + side - 1) / side),
      keep_all_(keep_all),
      rolling_(rolling),
      flicker_(flicker.variance()),
      cells_(size_t(columns_) * rows_) {
  std::vector<Cell> plain_sums(cells_.size());  // unweighted flow
  std::vector<Grey> greys(cells_.size());
  gather(nodes, width, height, plain_sums, greys);
  const double agreement = measure(census, noise, plain_sums, greys, flicker);
  const double camera = camera_motion(agreement, plain_sums, brightness);
  for (int row = 0; row < rows_; row++)
    for (int column = 0; column < columns_; column++) {
      keep_factors_.push_back(
          {static_cast<float>(cell_keep_factor(column, row, camera, brightness))});
      motions_.push_back(one_motion(column, row, noise));
    }
}

/// Sums up the nodes of each cell.
void Verification::gather(const std::vector<Change> &nodes, int width, int height,
                          std::vector<Cell> &plain_sums, std::vector<Grey> &greys) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Change &node = nodes[size_t(y) * width + x];
      const size_t at = size_t(y / side) * columns_ + x / side;
      cells_[at].row_residual += node.row_residual, cells_[at].row_noise += node.row_noise;
      greys[at].grey_level += node.grey_level, greys[at].nodes++;
      greys[at].grey_square += double(node.grey_level) * node.grey_level;
      if (!node.inside) continue;
      const auto add = [&](Cell &cell, double weight) {
        cell.weight += weight;
        cell.x += weight * node.flow[0], cell.y += weight * node.flow[1];
        cell.square += weight * (node.flow[0] * node.flow[0] + node.flow[1] * node.flow[1]);
      };
      add(plain_sums[at], 1);
      const double confidence = node.confidence + 0.001;
      cells_[at].confidence += confidence, cells_[at].flow_x += confidence * node.flow[0];
      cells_[at].flow_y += confidence * node.flow[1];
      cells_[at].flow_square +=
          confidence * (double(node.flow[0]) * node.flow[0] + double(node.flow[1]) * node.flow[1]);
      add(cells_[at], std::max(node.frame_square - node.displaced_square, 0.0f));
      cells_[at].frame_square += node.frame_square - node.noise,
          cells_[at].displaced_square += node.displaced_square - node.displaced_noise;
      cells_[at].noise += node.noise;
      greys[at].sum += node.grey_difference,
          greys[at].square += node.grey_difference * node.grey_difference;
      greys[at].noise += node.grey_noise;
      greys[at].displaced_grey += node.displaced_grey,
          greys[at].displaced_grey_square += node.displaced_grey * node.displaced_grey;
      greys[at].displaced_grey_noise += node.displaced_grey_noise;
      greys[at].frame_difference += node.frame_difference,
          greys[at].displaced_difference += node.displaced_difference;
    }
}

/// Measures the cells' changes beyond noise; returns the sum of the agreements in grey.
double Verification::measure(bool census, double noise, const std::vector<Cell> &plain_sums,
                             const std::vector<Grey> &greys, Flicker &flicker) {
  double agreement = 0;
  for (size_t i = 0; i < cells_.size(); i++) {
    const double count = std::max(plain_sums[i].weight, 1.0), mean = greys[i].sum / count;
    Cell &cell = cells_[i];
    cell.frame_square -= greys[i].frame_difference * greys[i].frame_difference / count;
    cell.displaced_square -= greys[i].displaced_difference * greys[i].displaced_difference / count;
    cell.grey_variance = std::max((greys[i].square - greys[i].noise) / count - mean * mean, 0.0);
    const double level = greys[i].grey_level / greys[i].nodes;
    cell.contrast = std::max(greys[i].grey_square / greys[i].nodes - level * level -
                                 0.35254 * noise_correlation * noise * noise,
                             0.0);
    double residual =
        cell.frame_square > 0 ? std::clamp(cell.displaced_square / cell.frame_square, 0.0, 1.0) : 1;
    if (census) {
      double cell_agreement = 0;
      const double displaced_grey = greys[i].displaced_grey / count, noise = greys[i].noise / count,
                   after =
                       (greys[i].displaced_grey_square - greys[i].displaced_grey_noise) / count -
                       displaced_grey * displaced_grey;
      residual = cell.grey_variance > 0 ? std::clamp(after / cell.grey_variance, 0.0, 1.0) : 1;
      if (!keep_all_)
        cell_agreement = std::min(cell.grey_variance / (0.5 * noise + 0.05), 1.0) *
                         (0.52 - ramp(residual, 0.4, 0.6));
      agreement += cell_agreement, cell.agreement = cell_agreement * cell.weight;
    }
    flicker.count(
        residual > (census ? 0.4 : 0.7) ? static_cast<float>(cell.grey_variance * residual) : 0);
  }
  return agreement;
}

/// How much the camera moves, 0..1.
double Verification::camera_motion(double agreement, const std::vector<Cell> &plain_sums,
                                   double brightness) const {
  double changing = 0, consistent_cells = 0, consistent_edge = 0;
  for (int row = 0; row < rows_; row++)
    for (int first = 0; first < columns_; first += strip) {
      Cell sum;
      int count = 0, edge_cells = 0;
      double highest = 0;
      for (int column = first; column < std::min(first + strip, columns_); column++) {
        const size_t at = size_t(row) * columns_ + column;
        sum.weight += plain_sums[at].weight, sum.square += plain_sums[at].square;
        sum.x += plain_sums[at].x, sum.y += plain_sums[at].y;
        if (cells_[at].frame_square <= 0) continue;
        sum.frame_square += cells_[at].frame_square,
            sum.displaced_square += cells_[at].displaced_square, count++;
        sum.grey_variance += cells_[at].grey_variance, sum.contrast += cells_[at].contrast;
        highest = std::max(highest, cells_[at].contrast);
        const bool inner = row >= 2 && row < rows_ - 2 && column >= 2 && column < columns_ - 2;
        edge_cells += !inner && cells_[at].displaced_square < 0.97 * cells_[at].frame_square;
      }
      changing += count;
      if (sum.grey_variance >= 3 * flicker_ * count &&
          contrast_weight(sum.contrast / count, brightness) > 0.5 && visibility(highest) > 0.5 &&
          sum.displaced_square < 0.85 * sum.frame_square &&
          consistency(sum.x, sum.y, sum.weight, sum.square) > 0.5)
        consistent_cells += count, consistent_edge += edge_cells;
    }
  const double all = columns_ * rows_,
               edge = (all - std::max(columns_ - 4, 0) * std::max(rows_ - 4, 0)) / all;
  return ramp(agreement / all, -0.06, -0.01) *
         std::min({ramp(consistent_cells / std::max(changing, 1.0), 0.4, 0.6),
                   ramp(consistent_cells / all, 0.05, 0.1),
                   ramp(consistent_edge / (edge * std::max(consistent_cells, 1.0)), 0.4, 0.55)});
}

double Verification::cell_keep_factor(int column, int row, double camera, double brightness) const {
  const struct {
    int reach;
    double residual_range[2], explained_range[2];
  } areas[] = {
      {0, {0.05, 0.1}, {0.9, 0.95}}, {1, {0.15, 0.25}, {0.35, 0.45}}, {3, {0.3, 0.4}, {0.2, 0.3}}};
  double best = 0, above_flicker = 1, beyond_rows = 1, visible = 1;
  Cell sum;
  for (const auto &[reach, residual_range, explained_range] : areas) {
    sum = {};
    int count = 0;
    double highest = 0;
    for (int y = std::max(row - reach, 0); y <= std::min(row + reach, rows_ - 1); y++)
      for (int x = std::max(column - reach, 0); x <= std::min(column + reach, columns_ - 1); x++) {
        const Cell &cell = cells_[size_t(y) * columns_ + x];
        sum.frame_square += cell.frame_square, sum.displaced_square += cell.displaced_square,
            sum.noise += cell.noise;
        sum.weight += cell.weight, sum.square += cell.square, sum.x += cell.x, sum.y += cell.y;
        sum.grey_variance += cell.grey_variance, sum.contrast += cell.contrast, count++;
        highest = std::max(highest, cell.contrast);
        sum.agreement += cell.agreement;
        sum.row_residual += cell.row_residual, sum.row_noise += cell.row_noise;
      }
    if (reach == 1)
      visible = std::min(contrast_weight(sum.contrast / count, brightness), visibility(highest));
    if (reach == 1 && flicker_ > 0)
      above_flicker = ramp(sum.grey_variance / (count * flicker_), 2.25, 3);
    if (reach == 1 && rolling_ * sum.row_noise > 0)
      beyond_rows = ramp(sum.row_residual / (rolling_ * sum.row_noise), 1.5, 2);
    const double flow_consistency = consistency(sum.x, sum.y, sum.weight, sum.square);
    double keep_factor = 0;
    if (sum.frame_square > 0.25 * sum.noise) {
      const double residual = sum.displaced_square / sum.frame_square,
                   explained = (1 - residual) * flow_consistency;
      keep_factor = std::max(1 - ramp(residual, residual_range[0], residual_range[1]),
                             ramp(explained, explained_range[0], explained_range[1]));
    } else if (reach == 3 && sum.noise > 0) {
      keep_factor = ramp((sum.frame_square - sum.displaced_square) / sum.noise * flow_consistency,
                         0.005, 0.02);
    }
    if (reach == 3 && sum.agreement != 0)
      keep_factor *= ramp(sum.agreement / sum.weight, 0.05, 0.15);
    best = std::max(best, keep_factor);
  }
  return keep_all_ ? 1 : beyond_rows * std::max(camera, visible * above_flicker * best);
}

std::array<float, 3> Verification::one_motion(int column, int row, double noise) const {
  double weight = 0, x_sum = 0, y_sum = 0, square = 0;
  for (int y = std::max(row - 3, 0); y <= std::min(row + 3, rows_ - 1); y++)
    for (int x = std::max(column - 3, 0); x <= std::min(column + 3, columns_ - 1); x++) {
      const Cell &cell = cells_[size_t(y) * columns_ + x];
      weight += cell.confidence, square += cell.flow_square;
      x_sum += cell.flow_x, y_sum += cell.flow_y;
    }
  if (weight <= 0) return {0, 0, 0};
  const double x = x_sum / weight, y = y_sum / weight,
               deviation = std::sqrt(std::max(square / weight - x * x - y * y, 0.0)),
               one = std::clamp(2 - deviation / (0.02 * (1 + noise)), 0.0, 1.0);
  return {static_cast<float>(one), static_cast<float>(one * x), static_cast<float>(one * y)};
}

/// Interpolates between the centres of cells, at a place in nodes.
template <size_t n>
std::array<float, n> Verification::between(const std::vector<std::array<float, n>> &cells, float x,
                                           float y) const {
  const float px = (x + 0.5f) / side - 0.5f, py = (y + 0.5f) / side - 0.5f;
  const int i = static_cast<int>(std::floor(px)), j = static_cast<int>(std::floor(py));
  const auto cell = [&](int column, int row) {
    return cells[size_t(std::clamp(row, 0, rows_ - 1)) * columns_ +
                 std::clamp(column, 0, columns_ - 1)];
  };
  const float s = px - static_cast<float>(i), t = py - static_cast<float>(j);
  const auto a = cell(i, j), b = cell(i + 1, j), c = cell(i, j + 1), d = cell(i + 1, j + 1);
  std::array<float, n> result;
  for (size_t k = 0; k < n; k++)
    result[k] = (1 - t) * ((1 - s) * a[k] + s * b[k]) + t * ((1 - s) * c[k] + s * d[k]);
  return result;
}

float Verification::keep_factor(float x, float y) const { return between(keep_factors_, x, y)[0]; }

Vector Verification::toward_single_motion(Vector flow, float denoising, float x, float y) const {
  const auto [one, all_x, all_y] = between(motions_, x, y);
  const float to_x = all_x / std::max(one, 1e-9f), to_y = all_y / std::max(one, 1e-9f);
  const double motion_weight = std::clamp(std::hypot(flow[0], flow[1]) / 0.1 - 1, 0.0, 1.0),
               nearness = 1 - ramp(std::hypot(to_x - flow[0], to_y - flow[1]), 0.5, 1);
  const auto part = static_cast<float>(denoising * one * motion_weight * nearness);
  return {flow[0] + part * (to_x - flow[0]), flow[1] + part * (to_y - flow[1])};
}

}  // namespace reference::opticalflow
