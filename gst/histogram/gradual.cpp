// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gradual.h"

#include <algorithm>
#include <bitset>
#include <cmath>

namespace glcl::histogram {

namespace {

constexpr double other_texture = 0.25, same_texture = 0.4;
constexpr int longest_pan = 30;      // frames
constexpr int farthest_return = 25;  // frames
constexpr int cells = Structure::cells;

/// The change from frame `from` to frame `to`, cell by cell.
struct CellChange {
  CellChange(const History &frames, int from, int to)
      : first(frames[from].structure.luma()),
        scatter(frames[from].structure.luma_scatter() + frames[to].structure.luma_scatter()) {
    const Structure::Luma &last = frames[to].structure.luma();
    for (int i = 0; i < cells; i++) {
      difference[i] = last[i] - first[i];
      power += double(difference[i]) * difference[i];
    }
  }
  double rms() const { return std::sqrt(power / cells); }
  /// True if it is as large as between unrelated pictures; motion reaches that slowly.
  bool is_unrelated() const { return power >= 0.75 * (scatter + 1) && rms() >= 8; }

  const Structure::Luma &first;
  const double scatter;
  Structure::Luma difference;
  double power = 0;  // sum of squares
};

/// Both shots change less outside the transition than in it, and differ in more than brightness.
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

/// Whether one of the shots appears on the other side too, as after an object that passes.
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

bool mixes_cells(const History &frames, int from, int to, const CellChange &change,
                 double part_tolerance, double most_residual) {
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

/// Least squares fit of the times at which cells change, by their positions.
class TimesByPlace {
 public:
  void add(double x, double y, double time) {
    const double values[] = {x, y, time, 1};
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) sums_[a][b] += values[a] * values[b];
  }
  double count() const { return sums_[3][3]; }
  double variance() const { return covariance(2, 2) / count(); }
  /// Fraction of the variance that a front at constant speed explains.
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

/// The time at which a cell changes. Each frame in between has a bit, the first one highest; it is
/// set if the cell is new.
struct CellTime {
  CellTime(const History &frames, int from, int to, int cell, const CellChange &change) {
    for (int k = from + 1; k < to; k++) {
      const double part =
          (double(frames[k].structure.luma()[cell]) - change.first[cell]) / change.difference[cell];
      undecided += part > 0.3 && part < 0.7;
      is_new = is_new << 1 | std::bitset<64>(part > 0.5);
    }
    all = to - from - 1;
    old = all - int(is_new.count());
    const std::bitset<64> once((uint64_t(1) << (all - old)) - 1);  // old, then new
    wrong = int((is_new ^ once).count());
  }

  int all, old, wrong, undecided = 0;  // frames; wrong: not in the order old, then new
  std::bitset<64> is_new;
};

bool fits_wipe(const History &frames, int from, int to, const CellChange &change) {
  constexpr float least = 12;  // levels, of a cell
  constexpr int shortest = 7;  // frames
  if (to - from < shortest || !joins_shots(frames, from, to, change)) return false;
  TimesByPlace times;
  int changing = 0, undecided = 0, inconsistent = 0, all = 0;
  for (int i = 0; i < cells; i++) {
    if (std::abs(change.difference[i]) < least) continue;
    changing++;
    const CellTime time(frames, from, to, i, change);
    undecided += time.undecided;
    inconsistent += time.wrong;
    all += time.all;
    const int row = i / Structure::columns;
    if (time.wrong || std::abs(change.difference[i]) < 2 * least) continue;
    times.add(double(i % Structure::columns) / Structure::columns, double(row) / Structure::rows,
              double(time.old + 1) / (to - from));
  }
  return changing >= cells * 0.5 && times.count() >= cells * 0.2 && undecided <= 0.25 * all &&
         inconsistent <= 0.12 * all && times.variance() > 0.03 && times.explained() > 0.7 &&
         !returns(frames, from, to);
}

}  // namespace

GradualFit fit_gradual(const History &frames, int from, int to) {
  const CellChange change(frames, from, to);
  if (!change.is_unrelated()) return GradualFit::none;
  if (mixes_cells(frames, from, to, change, 0.15, 0.2)) return GradualFit::dissolve;
  return fits_wipe(frames, from, to, change) ? GradualFit::wipe : GradualFit::none;
}

bool may_be_dissolve(const History &frames, int from, int to) {
  if (to - from > longest_pan) return true;
  const CellChange change(frames, from, to);
  return change.is_unrelated() && mixes_cells(frames, from, to, change, 0.4, 0.6);
}

}  // namespace glcl::histogram
