// SPDX-License-Identifier: LGPL-2.1-or-later
#include "parked.h"

#include <algorithm>
#include <cmath>

namespace glcl::objects {

namespace {

constexpr int least_frames = 3;          // in which a track has stood
constexpr float least_part = 0.35f;      // of a place that differs from the old background
constexpr float least_kept_part = 0.2f;  // the same once an object is parked
constexpr double gone_seconds = 0.6;     // without that part until an object ends
constexpr float same_place = 0.4f;       // common part of both boxes together
constexpr float same_size = 0.4f;        // ratio of the areas of a track and its place
constexpr float inside_part = 0.7f;      // of a box in a parked one
constexpr float most_part = 0.5f;        // of what moved, of a thing that it put down
constexpr float largest = 0.5f;          // part of the frame; more is light
constexpr double start_seconds = 60;     // for which a start is remembered
constexpr double stand_seconds = 1;      // then a small move does not end it
constexpr double longest_stay = 5;       // s in a place of something that moves slowly
constexpr float slack_part = 0.15f, least_slack = 3;  // of the box; px
constexpr float whole_part = 0.9f;                    // of its place, of a box that has not shrunk
constexpr float area_gain = 0.1f;

float common_part(const RectF &a, const RectF &b) {
  const float common = common_area(a, b);
  return common / std::max(a.area() + b.area() - common, 1.0f);
}

RectF grown(const RectF &box, float by) {
  return {box.left - by, box.top - by, box.right + by, box.bottom + by};
}

/// A place and what belongs to it.
RectF around(const RectF &place) {
  return grown(place, std::max(least_slack, slack_part * std::min(place.width(), place.height())));
}

bool contains(const RectF &outer, const RectF &inner) {
  return inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right &&
         inner.bottom <= outer.bottom;
}

}  // namespace

void TrackStand::update(const RectF &box, double passed) {
  const float slack = std::max(least_slack, slack_part * std::min(place.width(), place.height())) *
                      (seconds >= stand_seconds ? 2.0f : 1.0f);
  // A box shrinks while its object becomes background.
  if (frames && contains(grown(place, slack), box)) {
    if (box.area() >= whole_part * place.area()) whole = box;
    seconds += passed;
    frames++;
    return;
  }
  moving_area += (moving_area > 0 ? area_gain : 1.0f) * (box.area() - moving_area);
  if (frames) least_seconds = 2 * std::min(seconds, longest_stay);
  place = whole = box;
  seconds = 0, frames = 1, over = false;
}

bool ParkedObjects::takes(const Track &track, const StandingMap &map) {
  const TrackStand &stand = track.motion.stand;
  if (stand.frames < least_frames || map.part_of(stand.place) < least_part) return false;
  for (const Parked &parked : list_)
    if (common_area(parked.object.box, stand.place) > inside_part * stand.place.area())
      return false;
  Parked parked{track.object, stand.place.area() < most_part * stand.moving_area, 0};
  parked.object.box = stand.whole;
  parked.object.vx = parked.object.vy = 0;
  parked.object.state = ObjectState::stationary;
  parked.object.still_seconds = stand.seconds;
  list_.push_back(parked);
  return true;
}

bool ParkedObjects::holds(const Track &track) const {
  const RectF &box = track.box, &start = track.start_box;
  const float moved = std::hypot(box.x() - start.x(), box.y() - start.y());
  return moved < std::min(box.width(), box.height()) &&
         std::any_of(list_.begin(), list_.end(), [&](const Parked &parked) {
           return common_area(around(parked.object.box), box) >= inside_part * box.area();
         });
}

std::optional<Object> ParkedObjects::departs(const Track &track, StandingMap &map) {
  const float size = track.box.area();
  const auto departs = [&](const Parked &parked) {
    const RectF &place = parked.object.box;
    return common_area(place, track.box) >= same_place * std::min(place.area(), size) &&
           size > same_size * place.area() && place.area() > same_size * size;
  };
  const auto found = std::find_if(list_.begin(), list_.end(), departs);
  if (found == list_.end()) return {};
  const Object object = found->object;
  map.adopt(around(object.box));  // until the background is known there
  list_.erase(found);
  return object;
}

/// A part of what moved here was left, or something was taken away, if the outline is clear.
void ParkedObjects::classify(const Settings &settings, const StandingMap &map) {
  using Outline = StandingMap::StandingArea::Outline;
  const auto is_open = [&](const Parked &parked) {
    return parked.is_part && parked.object.state == ObjectState::stationary &&
           parked.object.still_seconds >= settings.left_after;
  };
  if (std::none_of(list_.begin(), list_.end(), is_open)) return;
  const std::vector<StandingMap::StandingArea> areas = map.areas({}, settings.least);
  for (Parked &parked : list_) {
    Object &object = parked.object;
    if (!is_open(parked)) continue;
    for (const StandingMap::StandingArea &area : areas) {
      if (area.outline == Outline::unclear || common_part(area.box, object.box) < same_place)
        continue;
      object.state = area.outline == Outline::present ? ObjectState::left : ObjectState::removed;
    }
  }
}

/// Things that stand there without an object.
std::vector<Object> ParkedObjects::find(const Settings &settings, StandingMap &map,
                                        const std::vector<RectF> &others) const {
  using StandingArea = StandingMap::StandingArea;
  std::vector<RectF> taken = others;
  for (const Parked &parked : list_) taken.push_back(around(parked.object.box));
  std::vector<Object> found;
  for (const StandingArea &area : map.areas(taken, settings.least)) {
    const bool started = std::any_of(starts_.begin(), starts_.end(), [&](const Start &start) {
      return common_part(start.box, area.box) >= same_place;
    });
    if (started) map.adopt(area.box, true);
    if (started || area.lit || area.outline == StandingArea::Outline::unclear ||
        area.seconds < settings.left_after ||
        area.box.area() > largest * float(settings.size.width) * float(settings.size.height))
      continue;
    Object object;
    object.box = area.box;
    object.score = 1;
    object.age = 1;
    object.state =
        area.outline == StandingArea::Outline::present ? ObjectState::left : ObjectState::removed;
    object.still_seconds = area.seconds;
    found.push_back(object);
  }
  return found;
}

ParkedObjects::Changes ParkedObjects::step(const Settings &settings, StandingMap &map,
                                           double seconds, bool fresh,
                                           const std::vector<RectF> &others) {
  for (Start &start : starts_) start.seconds += seconds;
  starts_.erase(std::remove_if(starts_.begin(), starts_.end(),
                               [](const Start &start) { return start.seconds > start_seconds; }),
                starts_.end());
  Changes changes;
  for (size_t i = 0; i < list_.size();) {
    Parked &parked = list_[i];
    parked.object.age++;
    parked.object.still_seconds += seconds;
    const bool covered = map.part_of(parked.object.box) >= least_kept_part,
               over = parked.object.still_seconds >= settings.max_duration;
    parked.uncovered = covered ? 0 : parked.uncovered + seconds;
    if (!over && parked.uncovered < gone_seconds) {
      if (fresh) map.hold(around(parked.object.box));
      i++;
      continue;
    }
    map.adopt(around(parked.object.box));
    changes.ended.push_back(parked.object);
    list_.erase(list_.begin() + ptrdiff_t(i));
  }
  if (!fresh) return changes;
  classify(settings, map);
  changes.found = find(settings, map, others);
  return changes;
}

void ParkedObjects::add(const Object &object) { list_.push_back({object, false, 0}); }

std::vector<Object> ParkedObjects::objects() const {
  std::vector<Object> all;
  for (const Parked &parked : list_) all.push_back(parked.object);
  return all;
}

}  // namespace glcl::objects
