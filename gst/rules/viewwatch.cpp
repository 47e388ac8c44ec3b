// SPDX-License-Identifier: LGPL-2.1-or-later
#include "viewwatch.h"

#include <algorithm>
#include <cmath>

#include "path.h"

namespace glcl::rules {

namespace {

constexpr uint64_t second = 1000000000;  // ns
// Learning
constexpr double known_after = 3;  // s
constexpr double rise_seconds = 20, fall_seconds = 5, level_seconds = 20;
constexpr uint64_t new_view = 2 * second;  // another picture for so long is another view
// Cells
constexpr float textured = 1;      // levels²; detail of a cell that counts
constexpr float lost_part = 0.2f;  // of the known detail
constexpr float soft_part = 0.3f;  // the same relative to the contrast that is left
constexpr double least_cells = 16, least_part = 0.06;  // that are textured
constexpr float white = 250;                           // levels
// The picture
constexpr double most_lost = 0.8, few_lost = 0.4, some_lost = 0.15, many_lost = 0.5;  // of cells
constexpr double same = 0.6, gone = 0.45, evenly = 0.85;                              // likeness
constexpr double same_contrast = 0.45, low_contrast = 0.6;
constexpr double dark = 16;            // levels, mean
constexpr uint64_t slow = second / 9;  // between frames, of which one may miss a cover
constexpr uint64_t least_time = 2 * second, rest_time = second / 2, calm_time = second;

double part_of(size_t count, size_t all) { return all ? double(count) / double(all) : 0; }

}  // namespace

void ViewWatch::begin(const ScenePicture &picture, uint64_t now) {
  level_ = picture.level;
  detail_ = picture.detail;
  columns_ = picture.columns;
  learnt_ = 0;
  last_ = now;
  partly_ = other_ = {};
  replaced_ = disturbed_ = false;
}

void ViewWatch::learn(const ScenePicture &picture, double seconds) {
  learnt_ += seconds;
  const auto part = [&](double time) {
    return static_cast<float>(std::min(seconds / std::min(time, learnt_ + 1e-9), 1.0));
  };
  const float level = part(level_seconds), rise = part(rise_seconds), fall = part(fall_seconds);
  for (size_t i = 0; i < level_.size(); i++) {
    level_[i] += level * (picture.level[i] - level_[i]);
    const float change = picture.detail[i] - detail_[i];
    detail_[i] += (change > 0 ? rise : fall) * change;
  }
}

ViewWatch::Comparison ViewWatch::compare(const ScenePicture &picture) const {
  Comparison seen;
  seen.coarse = likeness(columns_, level_, picture.level);
  const auto contrast = static_cast<float>(std::min(seen.coarse.contrast, 1.0));
  size_t cells = 0, lost = 0, blurred = 0, whites = 0;
  for (size_t i = 0; i < detail_.size(); i++) {
    whites += picture.level[i] >= white;
    if (detail_[i] < textured) continue;
    cells++;
    lost += picture.detail[i] < lost_part * detail_[i];
    blurred += picture.detail[i] < soft_part * contrast * contrast * detail_[i];
  }
  seen.known = learnt_ >= known_after && seen.coarse.known &&
               double(cells) >= std::max(least_cells, least_part * double(detail_.size()));
  seen.lost = part_of(lost, cells), seen.blurred = part_of(blurred, cells);
  seen.blinded = 2 * whites > detail_.size();
  return seen;
}

/// Takes another view that has been there for a while: the old one does not return.
void ViewWatch::take_other(const ScenePicture &picture, bool other, uint64_t now,
                           Changes &changes) {
  if (!other) {
    other_ = {};
    return;
  }
  if (!other_) other_ = now;
  if (elapsed(now, *other_) < new_view) return;
  if (const auto ended = covered_.end(now)) changes.covered = ended;
  if (const auto ended = defocused_.end(now)) changes.defocused = ended;
  begin(picture, now);
}

/// True if the view has been hidden. Light that goes out and a fade leave the directions of edges
/// until the end. A cut replaces the picture from one frame to the next.
bool ViewWatch::is_hidden(const Comparison &seen, const ScenePicture &picture, uint64_t now) {
  if (!seen.known) return false;
  if (seen.lost >= some_lost && seen.lost < most_lost && seen.coarse.alike < evenly) partly_ = now;
  const bool hidden = seen.lost >= most_lost && seen.coarse.alike < gone &&
                      seen.coarse.contrast < low_contrast && !seen.blinded;
  if (!hidden) {
    replaced_ = false;
    return false;
  }
  if (covered_.lasts()) return true;
  const bool in_parts = partly_ && elapsed(now, *partly_) <= new_view,
             missed = last_ && elapsed(now, *last_) > slow && mean_of(picture.level) >= dark;
  if (!in_parts && !missed) replaced_ = true;
  return !replaced_;
}

ViewWatch::Changes ViewWatch::step(const ScenePicture &picture, bool covered, bool defocused,
                                   uint64_t now) {
  if (level_.size() != picture.level.size() || !last_ || now < *last_) {
    Changes changes = end(now);
    begin(picture, now);
    return changes;
  }
  const Comparison seen = compare(picture);
  const bool hidden = is_hidden(seen, picture, now),
             same_view = seen.coarse.alike >= same && seen.coarse.contrast >= same_contrast,
             soft = seen.known && seen.blurred >= most_lost && same_view && !picture.moves;
  Changes changes;
  changes.covered = covered_.step(covered && hidden, !covered || seen.lost < few_lost, now,
                                  least_time, rest_time);
  changes.defocused =
      defocused_.step(defocused && soft && !covered_.begun(),
                      !defocused || seen.blurred < few_lost || (covered_.begun() && !same_view),
                      now, least_time, rest_time);
  const double seconds = double(elapsed(now, *last_)) / double(second);
  const bool lasts = covered_.lasts() || defocused_.lasts();
  if (!lasts && seen.lost < few_lost && seen.blurred < few_lost && seen.coarse.alike >= same) {
    learn(picture, seconds);
    other_ = {};
  } else {
    const bool seen_well = likeness(columns_, picture.level, picture.level).known;
    take_other(picture, !lasts || (!hidden && !soft && seen_well), now, changes);
  }
  last_ = now;
  const bool disturbs =
      lasts || (seen.known && (seen.lost >= many_lost || (seen.blurred >= many_lost && same_view)));
  if (disturbs) calm_ = now;
  disturbed_ = disturbs || (disturbed_ && elapsed(now, calm_) < calm_time);
  return changes;
}

ViewWatch::Changes ViewWatch::end(uint64_t now) {
  last_ = {};
  disturbed_ = false;
  return {covered_.end(now), defocused_.end(now)};
}

}  // namespace glcl::rules
