// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gradual.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>

#include "views.h"

namespace glcl::histogram {

namespace {

constexpr double other_texture = 0.25;
constexpr int longest_pan = 30;      // frames
constexpr int short_dissolve = 15;   // frames
constexpr int farthest_return = 25;  // frames
constexpr int after_cover = 45;      // frames from a plain one to the picture before it
constexpr int most_equal = 1;        // parts of the frame that may stay, such as a logo
constexpr int cells = Structure::cells;

/// Consecutive cells of the frame: all, or those without its lower or upper third, in which a
/// caption may appear.
struct Area {
  int first, end;
  int count() const { return end - first; }
};
constexpr Area everywhere{0, cells}, without_lower{0, cells * 2 / 3},
    without_upper{cells / 3, cells};

/// The change from frame `from` to frame `to`, cell by cell.
struct CellChange {
  CellChange(const History &frames, int from, int to, const Area &of = everywhere)
      : area(of),
        first(frames[from].structure.luma()),
        scatter(frames[from].structure.luma_scatter(of.first, of.end) +
                frames[to].structure.luma_scatter(of.first, of.end)) {
    const Structure::Luma &last = frames[to].structure.luma();
    for (int i = area.first; i < area.end; i++) {
      difference[i] = last[i] - first[i];
      power += double(difference[i]) * difference[i];
    }
  }
  double rms() const { return std::sqrt(power / area.count()); }
  /// True if a quarter of the cells take part, unlike when a logo appears.
  bool is_widespread() const {
    const double least = 0.5 * rms();
    return 4 * std::count_if(&difference[area.first], difference.data() + area.end,
                             [=](float level) { return std::abs(level) >= least; }) >=
           area.count();
  }
  /// True if the change is at least `part` of that between unrelated pictures. Motion takes many
  /// frames to reach it.
  bool is_unrelated(double part = 1) const {
    return power >= 0.75 * part * (scatter + 1) && rms() >= 8 && is_widespread();
  }

  const Area area;
  const Structure::Luma &first;
  const double scatter;
  Structure::Luma difference{};
  double power = 0;  // sum of squares
};

/// True if parts of the frame are the same, such as a caption.
bool has_caption(const History &frames, int from, int to) {
  return Structure::compare(frames[from].structure, frames[to].structure).equal > most_equal;
}

/// Both shots change less outside the transition than in it, and differ in more than brightness.
bool joins_shots(const History &frames, int from, int to, const CellChange &change) {
  const int margin = std::min(to - from, gradual_margin);
  const auto &before = frames[from - margin].structure, &first = frames[from].structure;
  const auto &last = frames[to].structure, &after = frames[to + margin].structure;
  if (has_caption(frames, from, to)) return false;
  const auto [calmer, livelier] =
      std::minmax({Structure::luma_distance(before, first), Structure::luma_distance(last, after)});
  if (calmer > 0.75 * change.rms() || livelier > change.rms()) return false;
  const double gain = frames[to].brightness / std::max(frames[from].brightness, 1.0);
  if (scaled_distance(frames[from], frames[to], gain) < 0.6 * distance(frames[from], frames[to]))
    return false;
  return Structure::similarity(before, after) < other_texture &&
         Structure::similarity(first, last) < same_texture;
}

/// True if one of the shots appears on the other side too, for example after an object has passed.
bool returns(const History &frames, int from, int to) {
  const double whole = distance(frames[from], frames[to]);
  const auto alike = [&](int a, int b) {
    return Structure::similarity(frames[a].structure, frames[b].structure) >= same_texture ||
           distance(frames[a], frames[b]) <= 0.4 * whole;
  };
  for (int k = to + 1; k < static_cast<int>(frames.size()); k++)
    if (alike(from, k)) return true;
  const int farthest = is_plain(frames[from].structure) ? after_cover : farthest_return;
  for (int k = std::max(from - farthest, 0); k < from; k++)
    if (alike(k, to)) return true;
  return false;
}

/// True if each cell changes linearly between the two frames.
bool mixes_cells(const History &frames, int from, int to, const CellChange &change,
                 double part_tolerance, double most_residual) {
  const auto fits = [&](int k) {
    const Structure::Luma &luma = frames[k].structure.luma();
    double along = 0, all = 0;
    for (int i = change.area.first; i < change.area.end; i++) {
      const double moved = double(luma[i]) - change.first[i];
      along += moved * change.difference[i];
      all += moved * moved;
    }
    const double part = along / change.power, expected = double(k - from) / (to - from);
    return std::abs(part - expected) <= part_tolerance &&
           all / change.power - part * part <= most_residual;
  };
  if (!fits((from + to) / 2)) return false;
  for (int k = from + 1; k < to; k++)
    if (!fits(k)) return false;
  return true;
}

/// True if the frame's cells mix without its lower third, and without its upper third too, unlike
/// when a caption slides or fades in while the rest moves.
bool mixes_everywhere(const History &frames, int from, int to, double part_tolerance,
                      double most_residual) {
  const CellChange whole(frames, from, to);
  if (!whole.is_unrelated() || !joins_shots(frames, from, to, whole)) return false;
  if (!mixes_cells(frames, from, to, whole, part_tolerance, most_residual)) return false;
  // The longer it is, the more the shots move.
  const double wider = to - from <= short_dissolve ? 1.5 : 2.5;
  for (const Area &area : {without_lower, without_upper})
    if (!mixes_cells(frames, from, to, CellChange(frames, from, to, area), wider * part_tolerance,
                     wider * most_residual))
      return false;
  return true;
}

/// A front that crosses the frame at constant speed between frames `from` and `to`, where cells
/// change more than elsewhere, although both shots move.
class WipeFront {
 public:
  static constexpr int directions = 8;

  WipeFront(const History &frames, int from, int to, int direction, const Area &area) {
    const double angle = 2 * M_PI * direction / directions, x = std::cos(angle),
                 y = std::sin(angle);
    const double start = std::min(x, 0.0) + std::min(y, 0.0), span = std::abs(x) + std::abs(y);
    for (int i = area.first; i < area.end; i++) {
      const int column = i % Structure::columns, row = i / Structure::columns;
      const double across = (column + 0.5) / Structure::columns,
                   down = (row + 0.5) / Structure::rows;
      add(frames, from, to, i, (across * x + down * y - start) / span);
    }
  }

  /// Ratio of the change at the front to that elsewhere: over its whole way, and in the quarter of
  /// the way with the least ratio.
  double contrast() const {
    Mean all;
    for (const Mean &quarter : quarters_) all.sum += quarter.sum, all.count += quarter.count;
    return all.value() / elsewhere();
  }
  double least_contrast() const {
    double least = quarters_[0].value();
    for (const Mean &quarter : quarters_) least = std::min(least, quarter.value());
    return least / elsewhere();
  }

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    double value() const { return sum / std::max(count, 1); }
  };
  double elsewhere() const { return elsewhere_.value() + 0.3; }  // 0.3 levels of noise

  /// `way`: the part of the front's way after which it reaches the cell.
  void add(const History &frames, int from, int to, int cell, double way) {
    constexpr float largest = 60;  // levels; limits the weight of single cells
    const double reached = from + (to - from) * way, tolerance = std::max(1.5, 0.1 * (to - from));
    for (int k = from + 1; k <= to; k++) {
      const float step =
          std::abs(frames[k].structure.luma()[cell] - frames[k - 1].structure.luma()[cell]);
      Mean &mean = std::abs(k - 0.5 - reached) <= tolerance
                       ? quarters_[std::min(static_cast<int>(4 * way), 3)]
                       : elsewhere_;
      mean.sum += std::min(step, largest);
      mean.count++;
    }
  }

  std::array<Mean, 4> quarters_;
  Mean elsewhere_;
};

/// True if a front crosses the frame. A whip pan has a contrast of 2.2 at most.
/// It is there without the frame's lower or upper third too, unlike when a caption slides in.
bool has_front(const History &frames, int from, int to) {
  for (int direction = 0; direction < WipeFront::directions; direction++) {
    const WipeFront front(frames, from, to, direction, everywhere);
    if (front.contrast() < 2.3 || front.least_contrast() < 1.1) continue;
    if (std::min(WipeFront(frames, from, to, direction, without_lower).contrast(),
                 WipeFront(frames, from, to, direction, without_upper).contrast()) >= 1.5)
      return true;
  }
  return false;
}

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
    const std::bitset<64> once((uint64_t(1) << is_new.count()) - 1);  // old, then new
    wrong = int((is_new ^ once).count());
  }

  int all, wrong, undecided = 0;  // frames; wrong: not in the order old, then new
  std::bitset<64> is_new;
};

bool fits_wipe(const History &frames, int from, int to, const CellChange &change) {
  constexpr float least = 12;  // levels, of a cell
  constexpr int shortest = 7;  // frames
  if (to - from < shortest || !joins_shots(frames, from, to, change)) return false;
  int changing = 0, undecided = 0, inconsistent = 0, all = 0;
  for (int i = 0; i < cells; i++) {
    if (std::abs(change.difference[i]) < least) continue;
    changing++;
    const CellTime time(frames, from, to, i, change);
    undecided += time.undecided;
    inconsistent += time.wrong;
    all += time.all;
  }
  return changing >= cells * 0.5 && undecided <= 0.25 * all && inconsistent <= 0.12 * all &&
         has_front(frames, from, to) && !returns(frames, from, to);
}

/// True if the variance of the cells in the area is that of mixtures of both frames.
bool mixes_variance(const History &frames, int from, int to, const Area &area) {
  const auto variance = [&](int k) {
    return frames[k].structure.luma_scatter(area.first, area.end);
  };
  const double first = variance(from), last = variance(to), mean = (first + last) / 2,
               middle = variance((from + to) / 2), covariance = 2 * middle - mean;
  if (middle > mean) return false;
  for (int k = from + 1; k < to; k++) {
    const double part = double(k - from) / (to - from), rest = 1 - part;
    const double mixed = rest * rest * first + part * part * last + 2 * part * rest * covariance;
    if (std::abs(variance(k) - mixed) > 0.5 * mean) return false;
  }
  return true;
}

}  // namespace

GradualFit fit_gradual(const History &frames, int from, int to) {
  if (mixes_everywhere(frames, from, to, 0.15, 0.2)) return GradualFit::dissolve;
  // Moving shots may become similar to each other.
  const CellChange change(frames, from, to);
  return change.is_unrelated(2.0 / 3) && fits_wipe(frames, from, to, change) ? GradualFit::wipe
                                                                             : GradualFit::none;
}

bool may_be_dissolve(const History &frames, int from, int to) {
  if (has_caption(frames, from, to)) return false;
  for (const Area &area : {without_lower, without_upper})
    if (!mixes_variance(frames, from, to, area)) return false;
  return to - from > longest_pan || mixes_everywhere(frames, from, to, 0.4, 0.6);
}

}  // namespace glcl::histogram
