// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gradual.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace glcl::histogram {

namespace {

constexpr double other_texture = 0.25, same_texture = 0.4;
constexpr int longest_pan = 30;      // frames
constexpr int farthest_return = 25;  // frames
constexpr int cells = Structure::cells;

/// The change from frame `from` to frame `to`, cell by cell.
struct CellChange {
  CellChange(const History &frames, int from, int to)
      : first(frames[from].structure.luma()), last(frames[to].structure.luma()) {
    for (int i = 0; i < cells; i++) {
      difference[i] = last[i] - first[i];
      power += double(difference[i]) * difference[i];
    }
  }
  double rms() const { return std::sqrt(power / cells); }
  /// About 1 between unrelated frames, which motion reaches slowly.
  double relative_power() const { return power / (variance(first) + variance(last) + 1); }

  static double variance(const Structure::Luma &luma) {
    double sum = 0, squares = 0;
    for (const float level : luma) {
      sum += level;
      squares += double(level) * level;
    }
    return squares - sum * sum / cells;
  }

  const Structure::Luma &first, &last;
  Structure::Luma difference{};
  double power = 0;  // sum of squares
};

/// Both shots change less beside the transition than in it, and differ in more than brightness.
bool joins_shots(const History &frames, int from, int to, const CellChange &change) {
  const int margin = std::min(to - from, gradual_margin);
  const auto &before = frames[from - margin].structure, &first = frames[from].structure;
  const auto &last = frames[to].structure, &after = frames[to + margin].structure;
  const auto [calmer, livelier] =
      std::minmax({Structure::luma_distance(before, first), Structure::luma_distance(last, after)});
  if (calmer > 0.75 * change.rms() || livelier > change.rms()) return false;
  const double gain = frames[to].brightness / std::max(frames[from].brightness, 1.0);
  if (scaled_distance(frames[from], frames[to], gain) < 0.6 * distance(frames[from], frames[to]))
    return false;
  return Structure::similarity(before, after) < other_texture &&
         Structure::similarity(first, last) < same_texture;
}

/// Whether one of the shots is there on the other side too, as behind a thing that passes.
bool returns(const History &frames, int from, int to) {
  const double whole = distance(frames[from], frames[to]);
  const auto alike = [&](int a, int b) {
    return Structure::similarity(frames[a].structure, frames[b].structure) >= same_texture ||
           distance(frames[a], frames[b]) <= 0.4 * whole;
  };
  for (int k = to + 1; k < static_cast<int>(frames.size()); k++)
    if (alike(from, k)) return true;
  for (int k = std::max(from - farthest_return, 0); k < from; k++)
    if (alike(k, to)) return true;
  return false;
}

bool is_unrelated(const CellChange &change) {
  return change.relative_power() >= 0.75 && change.rms() >= 8;
}

bool mixes_cells(const History &frames, int from, int to, double part_tolerance,
                 double most_residual) {
  const CellChange change(frames, from, to);
  if (!is_unrelated(change)) return false;
  const auto fits = [&](int k) {
    const Structure::Luma &luma = frames[k].structure.luma();
    double along = 0, all = 0;
    for (int i = 0; i < cells; i++) {
      const double moved = double(luma[i]) - change.first[i];
      along += moved * change.difference[i];
      all += moved * moved;
    }
    const double part = along / change.power, expected = double(k - from) / (to - from);
    return std::abs(part - expected) <= part_tolerance &&
           all / change.power - part * part <= most_residual;
  };
  if (!fits((from + to) / 2) || !joins_shots(frames, from, to, change)) return false;
  for (int k = from + 1; k < to; k++)
    if (!fits(k)) return false;
  return true;
}

/// Least squares of the times at which cells change, by their places.
class TimesByPlace {
 public:
  void add(double x, double y, double time) {
    const double values[] = {x, y, time, 1};
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) sums_[a][b] += values[a] * values[b];
  }
  double count() const { return sums_[3][3]; }
  double variance() const { return covariance(2, 2) / count(); }
  /// Fraction of the variance that a front which crosses the frame steadily explains.
  double explained() const {
    const double xx = covariance(0, 0), yy = covariance(1, 1), xy = covariance(0, 1);
    const double xt = covariance(0, 2), yt = covariance(1, 2), determinant = xx * yy - xy * xy;
    if (determinant <= 0) return 0;
    const double along_x = (xt * yy - yt * xy) / determinant;
    const double along_y = (yt * xx - xt * xy) / determinant;
    return (along_x * xt + along_y * yt) / covariance(2, 2);
  }

 private:
  double covariance(int a, int b) const {
    return sums_[a][b] - sums_[a][3] * sums_[b][3] / count();
  }
  double sums_[4][4] = {};
};

}  // namespace

bool fits_dissolve(const History &frames, int from, int to) {
  return mixes_cells(frames, from, to, 0.15, 0.2);
}

bool may_be_dissolve(const History &frames, int from, int to) {
  return to - from > longest_pan || mixes_cells(frames, from, to, 0.4, 0.6);
}

bool fits_wipe(const History &frames, int from, int to) {
  constexpr float least = 12;  // levels, of a cell
  const CellChange change(frames, from, to);
  if (!is_unrelated(change)) return false;
  TimesByPlace times;
  int changing = 0, undecided = 0, inconsistent = 0, all = 0;
  for (int i = 0; i < cells; i++) {
    if (std::abs(change.difference[i]) < least) continue;
    changing++;
    int old = 0;  // frames before the cell changes
    std::vector<bool> is_new;
    for (int k = from + 1; k < to; k++) {
      const double part =
          (double(frames[k].structure.luma()[i]) - change.first[i]) / change.difference[i];
      undecided += part > 0.3 && part < 0.7;
      is_new.push_back(part > 0.5);
      old += part <= 0.5;
    }
    int wrong = 0;
    for (int k = 0; k < static_cast<int>(is_new.size()); k++) wrong += is_new[k] != (k >= old);
    inconsistent += wrong;
    all += static_cast<int>(is_new.size());
    const int row = i / Structure::columns;
    if (wrong || std::abs(change.difference[i]) < 2 * least) continue;
    times.add(double(i % Structure::columns) / Structure::columns, double(row) / Structure::rows,
              double(old + 1) / (to - from));
  }
  return changing >= cells * 0.5 && times.count() >= cells * 0.2 && undecided <= 0.25 * all &&
         inconsistent <= 0.12 * all && times.variance() > 0.03 && times.explained() > 0.7 &&
         joins_shots(frames, from, to, change) && !returns(frames, from, to);
}

}  // namespace glcl::histogram
