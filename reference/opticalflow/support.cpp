// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

namespace {

constexpr int strip = 8;  // cells that vote together

double ramp(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

double one_way(double x, double y, double weight, double square) {
  return weight * square > 0 ? (x * x + y * y) / (weight * square) : 0;
}

/// Whether what moves contrasts with a change of light.
double contrasts(double variance, double light) {
  return light > 0.5 ? ramp(std::sqrt(variance) / std::min(light - 0.5, 3.0), 1, 2) : 1;
}

/// Whether a cell is more than what an encoder leaves on a wall.
double stands_out(double variance) { return ramp(std::sqrt(variance), 2, 3); }

}  // namespace

RowLight::RowLight(const Plane<1> &before, const Plane<1> &after) {
  double mean = 0;
  for (int y = 0; y < before.height; y += 2) {
    double ratio = 0;
    for (int sweep = 0; sweep < 3; sweep++) {
      double product = 0, square = 0;
      for (int x = 0; x < before.width; x += 2) {
        const double own = before.at(x, y)[0], change = after.at(x, y)[0] - own,
                     far = (change - ratio * own) / 8, part = 1 / (1 + far * far),
                     weight = sweep ? part * part : 1;
        product += weight * own * change, square += weight * own * own;
      }
      ratio = product / std::max(square, 1.0);
    }
    ratios.push_back(static_cast<float>(ratio));
    mean += ratio;
  }
  const size_t count = ratios.size(), apart = std::max(count / 240, size_t(1));
  mean /= double(count);
  double square = 0, steps = 0;
  for (size_t i = 0; i < count; i++) {
    square += (ratios[i] - mean) * (ratios[i] - mean);
    if (i + apart < count) steps += std::pow(ratios[i + apart] - ratios[i], 2);
  }
  square /= double(count), steps /= double(std::max(count - std::min(apart, count), size_t(1)));
  if (count >= 24)
    rolls = ramp(std::sqrt(square), 0.004, 0.008) *
            (1 - ramp(steps / std::max(square, 1e-9), 0.05, 0.08));
}

Support::Support(const std::vector<Change> &nodes, int width, int height, bool census, double rolls,
                 double noise, double light, bool keeps_all, Flicker &flicker)
    : columns_((width + side - 1) / side),
      rows_((height + side - 1) / side),
      keeps_all_(keeps_all),
      rolls_(rolls),
      flicker_(flicker.variance()),
      cells_(size_t(columns_) * rows_) {
  std::vector<Cell> whole(cells_.size());  // flows without weights
  std::vector<Grey> greys(cells_.size());
  gather(nodes, width, height, whole, greys);
  const double fits = measure(census, noise, whole, greys, flicker);
  const double camera = camera_moves(fits, whole, light);
  for (int row = 0; row < rows_; row++)
    for (int column = 0; column < columns_; column++) {
      parts_.push_back({static_cast<float>(part(column, row, camera, light))});
      motions_.push_back(one_motion(column, row, noise));
    }
}

/// Adds up what each cell's nodes have.
void Support::gather(const std::vector<Change> &nodes, int width, int height,
                     std::vector<Cell> &whole, std::vector<Grey> &greys) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Change &node = nodes[size_t(y) * width + x];
      const size_t at = size_t(y / side) * columns_ + x / side;
      cells_[at].unlit += node.unlit, cells_[at].unlit_noise += node.unlit_noise;
      greys[at].level += node.level, greys[at].nodes++;
      greys[at].level_square += double(node.level) * node.level;
      if (!node.inside) continue;
      const auto add = [&](Cell &cell, double weight) {
        cell.weight += weight;
        cell.x += weight * node.flow[0], cell.y += weight * node.flow[1];
        cell.square += weight * (node.flow[0] * node.flow[0] + node.flow[1] * node.flow[1]);
      };
      add(whole[at], 1);
      const double sure = node.sure + 0.001;
      cells_[at].sure += sure, cells_[at].sure_x += sure * node.flow[0];
      cells_[at].sure_y += sure * node.flow[1];
      cells_[at].sure_square +=
          sure * (double(node.flow[0]) * node.flow[0] + double(node.flow[1]) * node.flow[1]);
      add(cells_[at], std::max(node.still - node.moved, 0.0f));
      cells_[at].still += node.still - node.noise,
          cells_[at].moved += node.moved - node.moved_noise;
      cells_[at].noise += node.noise;
      greys[at].sum += node.grey, greys[at].square += node.grey * node.grey;
      greys[at].noise += node.grey_noise;
      greys[at].went += node.went, greys[at].went_square += node.went * node.went;
      greys[at].went_noise += node.went_noise;
      greys[at].still += node.still_level, greys[at].moved += node.moved_level;
    }
}

/// The cells' changes beyond noise; returns how many of them grey goes with.
double Support::measure(bool census, double noise, const std::vector<Cell> &whole,
                        const std::vector<Grey> &greys, Flicker &flicker) {
  double fits = 0;
  for (size_t i = 0; i < cells_.size(); i++) {
    const double count = std::max(whole[i].weight, 1.0), mean = greys[i].sum / count;
    Cell &cell = cells_[i];
    cell.still -= greys[i].still * greys[i].still / count;
    cell.moved -= greys[i].moved * greys[i].moved / count;
    cell.grey = std::max((greys[i].square - greys[i].noise) / count - mean * mean, 0.0);
    const double level = greys[i].level / greys[i].nodes;
    cell.contrast = std::max(greys[i].level_square / greys[i].nodes - level * level -
                                 0.35254 * noise_correlation * noise * noise,
                             0.0);
    double left = cell.still > 0 ? std::clamp(cell.moved / cell.still, 0.0, 1.0) : 1;
    if (census) {
      double fit = 0;
      const double went = greys[i].went / count, noise = greys[i].noise / count,
                   after = (greys[i].went_square - greys[i].went_noise) / count - went * went;
      left = cell.grey > 0 ? std::clamp(after / cell.grey, 0.0, 1.0) : 1;
      if (!keeps_all_)
        fit = std::min(cell.grey / (0.5 * noise + 0.05), 1.0) * (0.52 - ramp(left, 0.4, 0.6));
      fits += fit, cell.fits = fit * cell.weight;
    }
    flicker.count(left > (census ? 0.4 : 0.7) ? static_cast<float>(cell.grey * left) : 0);
  }
  return fits;
}

/// How far the camera moves, 0..1.
double Support::camera_moves(double fits, const std::vector<Cell> &whole, double light) const {
  double changing = 0, going = 0, edge_going = 0;
  for (int row = 0; row < rows_; row++)
    for (int first = 0; first < columns_; first += strip) {
      Cell sum;
      int count = 0, at_edge = 0;
      double most = 0;
      for (int column = first; column < std::min(first + strip, columns_); column++) {
        const size_t at = size_t(row) * columns_ + column;
        sum.weight += whole[at].weight, sum.square += whole[at].square;
        sum.x += whole[at].x, sum.y += whole[at].y;
        if (cells_[at].still <= 0) continue;
        sum.still += cells_[at].still, sum.moved += cells_[at].moved, count++;
        sum.grey += cells_[at].grey, sum.contrast += cells_[at].contrast;
        most = std::max(most, cells_[at].contrast);
        const bool inner = row >= 2 && row < rows_ - 2 && column >= 2 && column < columns_ - 2;
        at_edge += !inner && cells_[at].moved < 0.97 * cells_[at].still;
      }
      changing += count;
      if (sum.grey >= 3 * flicker_ * count && contrasts(sum.contrast / count, light) > 0.5 &&
          stands_out(most) > 0.5 && sum.moved < 0.85 * sum.still &&
          one_way(sum.x, sum.y, sum.weight, sum.square) > 0.5)
        going += count, edge_going += at_edge;
    }
  const double all = columns_ * rows_,
               edge = (all - std::max(columns_ - 4, 0) * std::max(rows_ - 4, 0)) / all;
  return ramp(fits / all, -0.06, -0.01) *
         std::min({ramp(going / std::max(changing, 1.0), 0.4, 0.6), ramp(going / all, 0.05, 0.1),
                   ramp(edge_going / (edge * std::max(going, 1.0)), 0.4, 0.55)});
}

double Support::part(int column, int row, double camera, double light) const {
  const struct {
    int reach;
    double left[2], gone[2];
  } areas[] = {
      {0, {0.05, 0.1}, {0.9, 0.95}}, {1, {0.15, 0.25}, {0.35, 0.45}}, {3, {0.3, 0.4}, {0.2, 0.3}}};
  double kept = 0, large = 1, unlit = 1, shows = 1;
  Cell sum;
  for (const auto &[reach, left, gone] : areas) {
    sum = {};
    int count = 0;
    double most = 0;
    for (int y = std::max(row - reach, 0); y <= std::min(row + reach, rows_ - 1); y++)
      for (int x = std::max(column - reach, 0); x <= std::min(column + reach, columns_ - 1); x++) {
        const Cell &cell = cells_[size_t(y) * columns_ + x];
        sum.still += cell.still, sum.moved += cell.moved, sum.noise += cell.noise;
        sum.weight += cell.weight, sum.square += cell.square, sum.x += cell.x, sum.y += cell.y;
        sum.grey += cell.grey, sum.contrast += cell.contrast, count++;
        most = std::max(most, cell.contrast);
        sum.fits += cell.fits;
        sum.unlit += cell.unlit, sum.unlit_noise += cell.unlit_noise;
      }
    if (reach == 1) shows = std::min(contrasts(sum.contrast / count, light), stands_out(most));
    if (reach == 1 && flicker_ > 0) large = ramp(sum.grey / (count * flicker_), 2.25, 3);
    if (reach == 1 && rolls_ * sum.unlit_noise > 0)
      unlit = ramp(sum.unlit / (rolls_ * sum.unlit_noise), 1.5, 2);
    const double together = one_way(sum.x, sum.y, sum.weight, sum.square);
    double part = 0;
    if (sum.still > 0.25 * sum.noise) {
      const double stays = sum.moved / sum.still, goes = (1 - stays) * together;
      part = std::max(1 - ramp(stays, left[0], left[1]), ramp(goes, gone[0], gone[1]));
    } else if (reach == 3 && sum.noise > 0) {
      part = ramp((sum.still - sum.moved) / sum.noise * together, 0.005, 0.02);
    }
    if (reach == 3 && sum.fits != 0) part *= ramp(sum.fits / sum.weight, 0.05, 0.15);
    kept = std::max(kept, part);
  }
  return keeps_all_ ? 1 : unlit * std::max(camera, shows * large * kept);
}

std::array<float, 3> Support::one_motion(int column, int row, double noise) const {
  double weight = 0, x_sum = 0, y_sum = 0, square = 0;
  for (int y = std::max(row - 3, 0); y <= std::min(row + 3, rows_ - 1); y++)
    for (int x = std::max(column - 3, 0); x <= std::min(column + 3, columns_ - 1); x++) {
      const Cell &cell = cells_[size_t(y) * columns_ + x];
      weight += cell.sure, square += cell.sure_square;
      x_sum += cell.sure_x, y_sum += cell.sure_y;
    }
  if (weight <= 0) return {0, 0, 0};
  const double x = x_sum / weight, y = y_sum / weight,
               deviation = std::sqrt(std::max(square / weight - x * x - y * y, 0.0)),
               one = std::clamp(2 - deviation / (0.02 * (1 + noise)), 0.0, 1.0);
  return {static_cast<float>(one), static_cast<float>(one * x), static_cast<float>(one * y)};
}

/// Between the middles of cells, at a place in nodes.
template <size_t n>
std::array<float, n> Support::between(const std::vector<std::array<float, n>> &cells, float x,
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

float Support::at(float x, float y) const { return between(parts_, x, y)[0]; }

Vector Support::with_all(Vector flow, float far, float x, float y) const {
  const auto [one, all_x, all_y] = between(motions_, x, y);
  const float to_x = all_x / std::max(one, 1e-9f), to_y = all_y / std::max(one, 1e-9f);
  const double moves = std::clamp(std::hypot(flow[0], flow[1]) / 0.1 - 1, 0.0, 1.0),
               near = 1 - ramp(std::hypot(to_x - flow[0], to_y - flow[1]), 0.5, 1);
  const auto part = static_cast<float>(far * one * moves * near);
  return {flow[0] + part * (to_x - flow[0]), flow[1] + part * (to_y - flow[1])};
}

}  // namespace reference::opticalflow
