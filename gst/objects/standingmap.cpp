// SPDX-License-Identifier: LGPL-2.1-or-later
#include "standingmap.h"

#include <algorithm>
#include <cmath>

#include "camera/crowded.h"

namespace glcl::objects {

namespace {

// A resting camera may be off by this, px of the reduced frame; one off by more moves, if it lasts.
constexpr float most_shift = 1.5f, moved_shift = 2;
constexpr double least_off_seconds = 0.5;
constexpr int least_off_frames = 4;
constexpr double shift_seconds = 5;                            // in which slow shifts are followed
constexpr double learning_seconds = 1.5;                       // before the first old background
constexpr int learning_frames = 90;                            // the background is settled by then
constexpr float least_difference = 10, contrast_part = 0.15f;  // levels; part of the contrast
constexpr float follow_seconds = 10;  // in which the old background follows slow changes
constexpr float clear_edges = 1.5f;   // ratio of the edges of two pictures
constexpr float least_step = 0.4f;    // of an outline, as part of the difference; light fades
constexpr float alike_light = 0.8f;   // correlation of a scene in two lights
constexpr double least_texture = 3;   // standard deviation of levels
constexpr size_t light_spacing = 7, least_ratios = 20;  // cells that show a change of the light
constexpr float least_light = 8;                        // levels, of these
constexpr int edge_cells = 2;  // at the frame's edges, where the background is not sure
constexpr int reach = 2;       // cells between parts of one area
constexpr int enclosing = 5;   // of the 8 cells around one that belongs to an area

bool is_edge(int at, int length) { return std::min(at, length - 1 - at) < edge_cells; }

/// The correlation of two lists of levels; 0 without texture.
class Correlation {
 public:
  void add(double a, double b) { n_++, a_ += a, b_ += b, aa_ += a * a, bb_ += b * b, ab_ += a * b; }
  double value() const {
    const double va = aa_ - a_ * a_ / n_, vb = bb_ - b_ * b_ / n_,
                 least = n_ * least_texture * least_texture;
    return va < least || vb < least ? 0 : (ab_ - a_ * b_ / n_) / std::sqrt(va * vb);
  }

 private:
  double n_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
};

}  // namespace

bool CameraRest::moves(const camera::CameraState &state, const camera::FrameGeometry &frame,
                       double seconds) {
  const cl_float4 &now = state.path;
  if (!path_) path_ = last_ = now;
  const bool crowded = camera::is_crowded(state);
  for (int i = 0; i < 4 && crowded; i++) path_->s[i] += now.s[i] - last_.s[i];
  last_ = now;
  const auto off = [&](int i) { return now.s[i] - path_->s[i]; };
  const float corner = frame.radius * frame.reduction,
              shift = std::hypot(off(0), off(1)) + corner * (std::abs(off(2)) + std::abs(off(3)));
  aligned_ = shift <= most_shift * frame.reduction;
  if (shift > moved_shift * frame.reduction) {
    off_ += seconds;
    if (++off_frames_ < least_off_frames || off_ < least_off_seconds) return false;
    *this = {};
    path_ = last_ = now;
    moved_ = true;
    aligned_ = false;
    return true;
  }
  off_ = 0, off_frames_ = 0;
  const auto part = float(1 - std::exp(-seconds / shift_seconds));
  for (int i = 0; i < 4; i++) path_->s[i] += part * off(i);
  quiet_ += seconds;
  return false;
}

bool StandingMap::differs(int x, int y) const {
  return cells_[size_t(y) * size_t(columns_) + size_t(x)].seconds >= 0;
}

/// True if a cell differs, or is enclosed by such cells.
bool StandingMap::in_area(int x, int y) const {
  if (differs(x, y)) return true;
  int count = 0;
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, rows_ - 1); v++)
    for (int u = std::max(x - 1, 0); u <= std::min(x + 1, columns_ - 1); u++)
      count += differs(u, v);
  return count >= enclosing;
}

/// The contrast of the old background around a cell.
float StandingMap::contrast_at(int x, int y) const {
  float least = 1e9f, most = -1;
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, rows_ - 1); v++)
    for (int u = std::max(x - 1, 0); u <= std::min(x + 1, columns_ - 1); u++) {
      const float level = cells_[size_t(v) * size_t(columns_) + size_t(u)].level;
      if (level >= 0) least = std::min(least, level), most = std::max(most, level);
    }
  return std::max(most - least, 0.0f);
}

void StandingMap::update(int x, int y, float now, float passed, double most_seconds) {
  Cell &cell = cells_[size_t(y) * size_t(columns_) + size_t(x)];
  cell.now = now;
  if (cell.level < 0) {
    cell.level = now;
    return;
  }
  const auto is_near = [&](float level) {
    const float off = std::abs(now - level);
    return off <= least_difference || off <= least_difference + contrast_part * contrast_at(x, y);
  };
  if (is_near(cell.level)) {
    cell.level += (1 - std::exp(-passed / follow_seconds)) * (now - cell.level);
    cell.seconds = -1;
  } else if (cell.before >= 0 && is_near(cell.before)) {
    std::swap(cell.level, cell.before);
    cell.seconds = -1;
  } else {
    cell.seconds = std::max(cell.seconds, 0.0f) + passed;
    if (double(cell.seconds) < most_seconds) return;
    cell.before = cell.level, cell.level = now;
    cell.seconds = -1;
  }
}

/// The change of the light since the last sample: the median over some cells that show the old
/// background.
float StandingMap::gain_of(const cl_ushort *means) const {
  std::vector<float> ratios;
  for (size_t i = 0; i < cells_.size(); i += light_spacing)
    if (cells_[i].level >= 0 && cells_[i].seconds < 0 && means[i] != UNKNOWN_LEVEL &&
        cells_[i].now >= least_light)
      ratios.push_back(float(means[i]) / 256 / cells_[i].now);
  if (ratios.size() < least_ratios) return 1;
  const auto middle = ratios.begin() + ptrdiff_t(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

void StandingMap::sample(const cl_ushort *means, const camera::FrameGeometry &frame,
                         double most_seconds) {
  if (age_ < learning_seconds || frames_ < learning_frames) return;
  columns_ = (frame.size.s[0] + STANDING_CELL - 1) / STANDING_CELL;
  rows_ = (frame.size.s[1] + STANDING_CELL - 1) / STANDING_CELL;
  side_ = STANDING_CELL * frame.reduction;
  cells_.resize(size_t(columns_) * size_t(rows_));
  const float gain = gain_of(means);
  for (Cell &cell : cells_) cell.level *= gain, cell.before *= gain;
  const auto passed = float(passed_);
  passed_ = 0;
  count_ = 0;
  for (int y = 0; y < rows_; y++)
    for (int x = 0; x < columns_; x++) {
      const cl_ushort mean = means[size_t(y) * size_t(columns_) + size_t(x)];
      if (mean == UNKNOWN_LEVEL || is_edge(x, columns_) || is_edge(y, rows_)) continue;
      update(x, y, float(mean) / 256, passed, most_seconds);
      count_ += differs(x, y);
    }
}

StandingMap::CellSpan StandingMap::span_of(const RectF &box) const {
  const auto cell = [this](float at, int most) {
    return std::clamp(int(std::lround(at / side_)), 0, most);
  };
  return {cell(box.left, columns_), cell(box.top, rows_), cell(box.right, columns_),
          cell(box.bottom, rows_)};
}

float StandingMap::part_of(const RectF &box) const {
  const CellSpan span = span_of(box);
  int count = 0;
  for (int y = span.top; y < span.bottom && count_; y++)
    for (int x = span.left; x < span.right; x++) count += differs(x, y);
  return float(count) / float(std::max((span.right - span.left) * (span.bottom - span.top), 1));
}

void StandingMap::hold(const RectF &box) {
  const CellSpan span = span_of(box);
  for (int y = span.top; y < span.bottom; y++)
    for (int x = span.left; x < span.right; x++) {
      float &seconds = cells_[size_t(y) * size_t(columns_) + size_t(x)].seconds;
      seconds = std::min(seconds, 0.0f);
    }
}

void StandingMap::adopt(const RectF &box, bool in_between) {
  const CellSpan span = span_of(box);
  for (int y = span.top; y < span.bottom; y++)
    for (int x = span.left; x < span.right; x++) {
      Cell &cell = cells_[size_t(y) * size_t(columns_) + size_t(x)];
      if (cell.seconds < 0) continue;
      if (!in_between || cell.before < 0) cell.before = cell.level;
      cell.level = cell.now;
      cell.seconds = -1;
      count_--;
    }
}

std::vector<StandingMap::StandingArea> StandingMap::areas(const std::vector<RectF> &without,
                                                          float least) const {
  std::vector<StandingArea> list;
  if (!count_) return list;
  std::vector<bool> seen(cells_.size()), inside(cells_.size());
  for (const RectF &box : without) {
    const CellSpan span = span_of(box);
    for (int y = span.top; y < span.bottom; y++)
      for (int x = span.left; x < span.right; x++)
        seen[size_t(y) * size_t(columns_) + size_t(x)] = true;
  }
  for (size_t first = 0; first < cells_.size(); first++) {
    if (seen[first] || cells_[first].seconds < 0) continue;
    Cells cells{int(first)};
    seen[first] = true;
    for (size_t i = 0; i < cells.size(); i++) {
      const int x = cells[i] % columns_, y = cells[i] / columns_;
      for (int v = std::max(y - reach, 0); v <= std::min(y + reach, rows_ - 1); v++)
        for (int u = std::max(x - reach, 0); u <= std::min(x + reach, columns_ - 1); u++) {
          const size_t at = size_t(v) * size_t(columns_) + size_t(u);
          if (seen[at] || !in_area(u, v)) continue;
          seen[at] = true;
          cells.push_back(int(at));
        }
    }
    if (float(cells.size()) * side_ * side_ >= least) list.push_back(area_of(cells, inside));
  }
  return list;
}

/// Sums of the steps across an outline, in the background of now and in the old background.
struct StandingMap::Edges {
  float now = 0, before = 0;
  int count = 0;
  void add(const Cell &a, const Cell &b) {
    now += std::abs(a.now - b.now), before += std::abs(a.level - b.level), count++;
  }
  bool present() const { return now > clear_edges * before; }
  bool old() const { return before > clear_edges * now; }
  /// Things end at their outline; light and soft shadows fade. `difference`: of the backgrounds.
  bool sharp(float difference) const {
    return std::max(now, before) >= least_step * difference * float(count);
  }
};

/// `inside`: a flag per cell, all false before and after.
StandingMap::StandingArea StandingMap::area_of(const Cells &cells,
                                               std::vector<bool> &inside) const {
  for (int at : cells) inside[size_t(at)] = true;
  StandingArea area{{1e9f, 1e9f, -1, -1},
                    float(cells.size()) * side_ * side_,
                    0,
                    outline_of(cells, inside),
                    is_lit(cells)};
  for (int at : cells) inside[size_t(at)] = false;
  int count = 0;
  for (int at : cells) {
    const auto x = float(at % columns_), y = float(at / columns_);
    area.box = united(area.box, {side_ * x, side_ * y, side_ * (x + 1), side_ * (y + 1)});
    if (const double seconds = double(cells_[size_t(at)].seconds); seconds >= 0)
      area.seconds += seconds, count++;
  }
  area.seconds /= std::max(count, 1);
  return area;
}

/// Compares the steps of level across the outline in the background of now and in the old
/// background.
StandingMap::StandingArea::Outline StandingMap::outline_of(const Cells &cells,
                                                           const std::vector<bool> &inside) const {
  const auto index_at = [this](int x, int y) -> std::optional<size_t> {
    if (x < 0 || y < 0 || x >= columns_ || y >= rows_) return {};
    return size_t(y) * size_t(columns_) + size_t(x);
  };
  const auto is_old = [&](size_t at) {
    return !inside[at] && cells_[at].seconds < 0 && cells_[at].level >= 0;
  };
  // Steps between cells side by side, and three cells apart.
  Edges near, far;
  float difference = 0;
  for (int at : cells) {
    difference += std::abs(cells_[size_t(at)].now - cells_[size_t(at)].level);
    for (const auto &[dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
      const int x = at % columns_, y = at / columns_;
      const auto next = index_at(x + dx, y + dy), out = index_at(x + 2 * dx, y + 2 * dy),
                 in = index_at(x - dx, y - dy);
      if (!next || !is_old(*next)) continue;
      near.add(cells_[size_t(at)], cells_[*next]);
      far.add(cells_[in && inside[*in] ? *in : size_t(at)],
              cells_[out && is_old(*out) ? *out : *next]);
    }
  }
  using Outline = StandingArea::Outline;
  return !far.sharp(difference / float(cells.size())) ? Outline::unclear
         : near.present() && far.present()            ? Outline::present
         : near.old() && far.old()                    ? Outline::old
                                                      : Outline::unclear;
}

/// True if the texture of the old background is still there: then only the light has changed.
bool StandingMap::is_lit(const Cells &cells) const {
  Correlation correlation;
  for (int at : cells)
    correlation.add(double(cells_[size_t(at)].now), double(cells_[size_t(at)].level));
  return correlation.value() >= double(alike_light);
}

}  // namespace glcl::objects
