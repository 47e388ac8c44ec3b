// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shapeshots.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace glcl::histogram {

namespace {

constexpr int around = 8;        // frames on either side for comparison with a cut
constexpr int averaged = 3;      // frames of a mean
constexpr int flash = 5;         // longest flash, in frames
constexpr int stays_blank = 25;  // frames after which a fade ends the shot
constexpr uint32_t least_edges = 40;
constexpr int history_length = around + stays_blank + 2 * longest_cover;

template <class Values>
void scale_to_one(Values &values) {
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  if (squares > 0)
    for (float &value : values) value /= static_cast<float>(std::sqrt(squares));
}

}  // namespace

/// Smoothed square roots of the counts; without the root a few long lines would dominate.
std::vector<float> ShapeShots::normalized(const uint32_t *space) {
  std::vector<float> result(cells), from(cells);
  for (int i = 0; i < kinds; i++)
    result[i / steps / coarse * side + i % steps / coarse] += static_cast<float>(space[i]);
  for (float &value : result) value = std::sqrt(value);
  for (int i = 0; i < cells; i++) {
    const int row = i / side * side, column = i % side;
    from[i] = result[row + (column + side - 1) % side] + 2 * result[i] +
              result[row + (column + 1) % side];
  }
  for (int i = 0; i < cells; i++)
    result[i] = from[(i + cells - side) % cells] + 2 * from[i] + from[(i + side) % cells];
  const float mean = std::accumulate(result.begin(), result.end(), 0.0f) / cells;
  for (float &value : result) value -= mean;
  scale_to_one(result);
  return result;
}

bool ShapeShots::blank(const WindowFrame &entry) { return entry.edges < least_edges; }

double ShapeShots::distance(const WindowFrame &a, const WindowFrame &b) {
  if (blank(a) || blank(b)) return blank(a) && blank(b) ? 0 : 1;
  const double r = std::inner_product(a.space.begin(), a.space.end(), b.space.begin(), 0.0f);
  return std::clamp(1 - r, 0.0, 1.0);
}

/// The mean of the frames from entry i on, as far as they exist.
ShapeShots::WindowFrame ShapeShots::mean(int i) const {
  WindowFrame all;
  all.space.resize(cells);
  const int end = std::min(i + averaged, static_cast<int>(entries_.size()));
  for (int k = std::max(i, 0); k < end; k++) {
    for (int c = 0; c < cells; c++) all.space[c] += at(k).space[c];
    all.edges = std::max(all.edges, at(k).edges);
  }
  scale_to_one(all.space);
  return all;
}

/// Distance from the previous entry; 0 outside of the entries.
double ShapeShots::step(int i) const {
  return i > 0 && i < static_cast<int>(entries_.size()) ? entries_[i].distance : 0;
}

uint32_t ShapeShots::most_edges(int from, int to) const {
  uint32_t most = 0;
  for (int i = std::max(from, 0); i <= std::min(to, static_cast<int>(entries_.size()) - 1); i++)
    most = std::max(most, at(i).edges);
  return most;
}

bool ShapeShots::is_peak(int i) const {
  const double d = step(i);
  if (d < 0.5 * threshold_) return false;
  for (const int k : {i - 2, i - 1, i + 1, i + 2})
    if (d < 1.4 * step(k)) return false;
  std::vector<double> others;
  for (int k = -around; k <= around; k++)
    if (k) others.push_back(step(i + k));
  const auto upper = others.begin() + ptrdiff_t(others.size() * 3 / 4);
  std::nth_element(others.begin(), upper, others.end());
  return d >= 1.5 * *upper;
}

/// True if a fade reduces the edges before entry i or restores them after it.
bool ShapeShots::is_fade(int i) const {
  const int size = static_cast<int>(entries_.size());
  if (blank(at(i))) return 2 * at(i - 1).edges < most_edges(i - around, i - 1);
  if (blank(at(i - 1))) return 2 * at(i).edges < most_edges(i, i + around - 1);
  for (int k = std::max(i - around, 0); k < std::min(i + around, size); k++)
    if (blank(at(k))) return true;
  return false;
}

Views ShapeShots::views() const {
  return [this](int i) {
    return i >= 0 && i < static_cast<int>(entries_.size()) ? &at(i).structure : nullptr;
  };
}

/// Change of luma from the previous entry, in levels; 0 outside of the entries.
double ShapeShots::luma_step(int i) const {
  return i > 0 && i < static_cast<int>(entries_.size()) ? at(i).luma_distance : 0;
}

/// True if a page of text replaces another at entry i, of which the lines may be at the same
/// places: see Structure::is_rewritten(). The frames around it are equal.
bool ShapeShots::is_new_page(int i) const {
  return is_step([this](int k) { return luma_step(k); }, i) &&
         Structure::is_rewritten(at(i - 1).structure, at(i).structure);
}

/// True if the texture stays at entry i, or if that of before returns within a few frames. In a
/// dissolve it changes slowly, and luma too.
bool ShapeShots::keeps_texture(int i) const {
  if (is_new_page(i)) return false;
  const auto same = [&](int a, int b) {
    return views()(a) && views()(b) &&
           Structure::similarity(at(a).structure, at(b).structure) >= same_texture;
  };
  const bool sudden = luma_step(i) >= 1.5 * std::max({luma_step(i - 2), luma_step(i - 1),
                                                      luma_step(i + 1), luma_step(i + 2)});
  if (same(i - 1, i) && (sudden || same(i - 1 - averaged, i + averaged))) return true;
  for (int k = 1; sudden && k <= flash; k++)
    if (same(i - 1, i + k) || same(i - 1 - k, i)) return true;
  return Structure::keeps_part(at(i - 1).structure, at(i).structure) || is_cover(views(), i);
}

bool ShapeShots::is_cut(int i) const {
  if (!is_peak(i) || is_fade(i) || keeps_texture(i)) return false;
  const WindowFrame before = mean(i - averaged), after = mean(i);
  const double whole = distance(before, after);
  if (whole < 0.5 * threshold_) return false;
  const int size = static_cast<int>(entries_.size());
  if (i >= 2 * averaged && whole < 3 * distance(mean(i - 2 * averaged), before)) return false;
  if (i + 2 * averaged <= size && whole < 3 * distance(after, mean(i + averaged))) return false;
  // After a flash the previous picture returns.
  for (int k = 1; k <= flash; k++) {
    if (i + k < size && distance(before, mean(i + k)) <= 0.4 * whole) return false;
    if (i - k > 0 && distance(mean(i - averaged - k), after) <= 0.4 * whole) return false;
  }
  return true;
}

/// A fade that ends at entry i: up from a blank picture, or down to one that stays.
std::optional<ShapeShots::Shot> ShapeShots::fade(int i) {
  if (blank(at(i))) {
    if (!blank_frames_++) blank_by_fade_ = seen_picture_, fade_reported_ = false;
    if (blank_frames_ < stays_blank || !blank_by_fade_ || fade_reported_) return {};
    fade_reported_ = true;
    return Shot{at(std::max(i + 1 - blank_frames_, 1)).frame, Kind::fade_out, 1};
  }
  const int blanks = std::exchange(blank_frames_, 0);
  const bool shown_before = std::exchange(seen_picture_, true);
  if (!blanks || !shown_before) return {};
  // The same picture returns, as after a hand before the lens.
  for (int k = 1; k <= around; k++) {
    const auto *shown = views()(i - blanks - k), *later = views()(i + k - 1);
    if (shown && later && Structure::similarity(*shown, *later) >= same_texture) return {};
  }
  return Shot{at(i).frame, Kind::fade_in, 1};
}

std::vector<ShapeShots::Shot> ShapeShots::search(bool to_the_end) {
  const int size = static_cast<int>(entries_.size());
  std::vector<Shot> found;
  // Behind a plain picture the old one may appear again.
  const auto ahead = [&](int i) {
    const bool waits = i + 1 < size && step(i) >= 0.5 * threshold_ && is_plain(at(i + 1).structure);
    return to_the_end ? 0 : waits ? longest_cover + 3 : around;
  };
  for (; next_ < size && next_ < size - ahead(next_); next_++) {
    const int i = next_;
    const bool is_new = is_cut(i);
    if (is_new) found.push_back({at(i).frame, Kind::cut, step(i)});
    const auto faded = fade(i);
    // A cut to or from a blank frame was already reported.
    if (is_new) blank_by_fade_ = false;
    if (faded && !is_new) found.push_back(*faded);
  }
  return found;
}

std::vector<ShapeShots::Shot> ShapeShots::add(uint64_t frame, const uint32_t *values) {
  WindowFrame entry;
  entry.frame = frame;
  entry.edges = values[kinds];
  entry.space = normalized(values);
  entry.structure = Structure(values + counts);
  if (entries_.empty()) {
    seen_picture_ = !blank(entry);
  } else {
    entry.distance = distance(entries_.back(), entry);
    entry.luma_distance = Structure::luma_distance(entries_.back().structure, entry.structure);
  }
  entries_.push_back(std::move(entry));
  std::vector<Shot> found = search(false);
  while (static_cast<int>(entries_.size()) > history_length) {
    entries_.pop_front();
    next_--;
  }
  return found;
}

std::vector<ShapeShots::Shot> ShapeShots::finish() {
  std::vector<Shot> found = search(true);
  // The picture faded out and did not return.
  if (blank_frames_ && blank_by_fade_ && !fade_reported_)
    found.push_back({at(std::max(static_cast<int>(entries_.size()) - blank_frames_, 1)).frame,
                     Kind::fade_out, 1});
  *this = ShapeShots(threshold_);
  return found;
}

}  // namespace glcl::histogram
