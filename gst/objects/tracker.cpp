// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracker.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace glcl::objects {

namespace {

// Frames
constexpr int most_reported_missed = 3;  // an object is reported though it was missed so often
constexpr int most_new_missed = 1;       // a new track ends if it was missed more often
constexpr int merge_frames = 8;          // after sharing a region so long, two may be one object
constexpr int exceed_frames = 4;    // after a region exceeded both so long, they are one object
constexpr int settling_frames = 8;  // after a cut any number of objects may begin
constexpr int crowd_size = 5;       // so many new regions at once come from an encoder or light
constexpr int lead_frames = 3;      // a parked object starts if one side moved on so long
constexpr int jump_frames = 3;      // detections before an object that jumps begins
// Fractions
constexpr float explained = 0.6f;     // of a region; it exceeds two objects that cover less
constexpr float wide_share = 0.8f;    // of the frame along an axis
constexpr float most_unlike = 1;      // difference_of(): a factor of two in size, or 24 levels
constexpr float usual_speed = 0.25f;  // of the frame's longer side, per frame
constexpr float most_wobble = 0.5f;   // change of size per frame, beyond which it is no object
// Others
constexpr float own_side = 3;       // px by which a side must exceed the other objects
constexpr float faint_wobbles = 2;  // a faint object must move by so many changes of its size
constexpr float light_levels = 4;   // after such a change of light objects must move twice as far
constexpr float clear_score = 0.8f, faint_score = 0.5f;
constexpr float least_score = 0.1f;    // a new object with less is noise
constexpr float score_gain = 0.3f;     // of a new score and change of size
constexpr float velocity_gain = 0.4f;  // of a new velocity

float overlap(const Box &a, const Box &b) {  // of the smaller one
  return common(a, b) / std::max(std::min(a.area(), b.area()), 1.0f);
}

Box grown(const Box &box, float by) {
  return {box.left - by, box.top - by, box.right + by, box.bottom + by};
}

Box clipped(const Box &box, float width, float height) {
  return {std::clamp(box.left, 0.0f, width), std::clamp(box.top, 0.0f, height),
          std::clamp(box.right, 0.0f, width), std::clamp(box.bottom, 0.0f, height)};
}

}  // namespace

float common(const Box &a, const Box &b) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left),
              height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

Box around(const Box &a, const Box &b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

void Tracker::Detection::add(const Detection &other) {
  box = around(box, other.box);
  score = std::max(score, other.score);
  level = (level * area + other.level * other.area) / std::max(area + other.area, 1.0f);
  area += other.area;
}

bool Tracker::inside(const Box &box) const {
  return common(box, {0, 0, float(width_), float(height_)}) >= 0.25f * box.area();
}

/// Whether two regions fill their common box about as densely as the larger one fills its own. Then
/// they are parts of one object.
bool Tracker::fills(const Detection &a, const Detection &b) {
  const Detection &larger = a.area >= b.area ? a : b;
  return (a.area + b.area) * larger.box.area() >= 0.5f * larger.area * around(a.box, b.box).area();
}

std::vector<Tracker::Detection> Tracker::detections(const RegionList &result,
                                                    const camera::FrameGeometry &frame) const {
  std::vector<Detection> list;
  const camera::SimilarityMotion &offset = result.state.from_frame;
  const float scale = frame.shrink;
  for (int i = 0; i < std::min<int>(result.count, RegionList::most); i++) {
    const Region &r = result.regions[i];
    const Box box = {float(r.left) * scale, float(r.top) * scale, float(r.right + 1) * scale,
                     float(r.bottom + 1) * scale};
    const float distance = float(r.distance) / (8 * float(std::max(r.area, 1)));
    list.push_back(
        {clipped(box.moved(offset.x * scale, offset.y * scale), float(width_), float(height_)),
         float(r.area) * scale * scale, std::clamp(1 - 1 / std::max(distance, 1.0f), 0.0f, 1.0f),
         float(r.levels) / float(std::max(r.area, 1))});
  }
  // Regions close together are one object.
  const float near = 0.02f * float(std::min(width_, height_));
  for (size_t i = 0; i < list.size(); i++)
    for (size_t k = 0; k < list.size();) {
      if (k != i && common(grown(list[i].box, near), list[k].box) > 0 && fills(list[i], list[k])) {
        list[i].add(list[k]);
        list.erase(list.begin() + ptrdiff_t(k));
        if (k < i) i--;
        k = 0;
      } else {
        k++;
      }
    }
  return list;
}

/// Moves a track with the camera and by its own velocity.
void Tracker::predict(Track &track, const camera::SimilarityMotion &step) const {
  const auto move = [&](float x, float y) -> Object::Point {
    const float u = x - float(width_) / 2, v = y - float(height_) / 2;
    return {x + step.x + step.dilation * u - step.rotation * v,
            y + step.y + step.dilation * v + step.rotation * u};
  };
  const auto carry = [&](const Box &box) {
    const auto [x, y] = move(box.x(), box.y());
    const float half_width = box.width() / 2 * (1 + step.dilation),
                half_height = box.height() / 2 * (1 + step.dilation);
    return Box{x - half_width, y - half_height, x + half_width, y + half_height};
  };
  track.box = carry(track.box).moved(track.dx, track.dy);
  track.began = carry(track.began);
  for (Object::Point &point : track.object.trail) point = move(point.x, point.y);
}

/// Cuts a box at its lagging side if the other side leads: the area behind a moving object is
/// uncovered background, which stays foreground for a while. `was`: the box without own motion.
Box Tracker::without_uncovered(const Track &track, const Box &was, Box box) const {
  // If one side stays, the whole advance is uncovered background.
  const bool starts = track.leads >= lead_frames;
  const float part = starts ? 1 : 0.9f, more = starts ? 0 : 1;
  const auto cut = [=](float &low, float &high, float was_low, float was_high, float velocity,
                       float length) {
    const float first = low - was_low, last = high - was_high;
    if (std::max(std::abs(first), std::abs(last)) > was_high - was_low) return;  // another object
    // A parked object uncovers more than it advances.
    const bool back =
        first < 0 &&
        (-first > std::abs(last) ? velocity < 0.5f : starts && last > 0 && velocity < -0.5f);
    const bool forth =
        last > 0 &&
        (last > std::abs(first) ? velocity > -0.5f : starts && first < 0 && velocity > 0.5f);
    if (back && was_high < length - 2) high = std::min(high, was_high + part * first + more);
    if (forth && was_low > 2) low = std::max(low, was_low + part * last - more);
  };
  cut(box.left, box.right, was.left, was.right, track.dx, float(width_));
  cut(box.top, box.bottom, was.top, was.bottom, track.dy, float(height_));
  return box;
}

/// The side of a box, from 1, that moved outwards while the others stayed; 0: none.
int Tracker::leading(const Box &was, const Box &box) {
  const float by[] = {was.left - box.left, box.right - was.right, was.top - box.top,
                      box.bottom - was.bottom};
  const auto side = std::max_element(by, by + 4) - by;
  if (by[side] <= 0.5f) return 0;
  for (int i = 0; i < 4; i++)
    if (i != side &&
        std::abs(by[i]) > std::min(1 + 0.03f * (i < 2 ? box.width() : box.height()), 2.0f))
      return 0;
  return int(side) + 1;
}

/// Whether the left and right side, or the top and bottom, moved in the same direction; in a crowd
/// by half of the size. Uncovered background is foreground too, but stays and shrinks.
bool Tracker::has_moved(const Track &track, float lag) const {
  const float small =
                  std::max(1.5f, float(std::min(width_, height_)) / 320) * (1 + lag / light_levels),
              least =
                  track.crowd
                      ? std::max(small, 0.5f * std::min(track.seen.width(), track.seen.height()))
                      : small;
  const float doubt =
      std::clamp((clear_score - track.object.score) / (clear_score - faint_score), 0.0f, 1.0f);
  // A faint object must keep its direction and stay near the predicted position.
  const auto both = [=, age = float(std::max(track.object.age, 1))](
                        float a, float b, float wobble, float off, float size, float velocity) {
    const float way = std::min(std::abs(a), std::abs(b)), on = a > 0 ? velocity : -velocity;
    return a * b > 0 && wobble <= most_wobble * size &&
           way >= least + faint_wobbles * doubt * (wobble + doubt * off) &&
           on >= doubt * std::max(0.5f * way / age, off);
  };
  const Box now = clipped(track.seen, float(width_), float(height_)), &then = track.began;
  float left = now.left - then.left, right = now.right - then.right, top = now.top - then.top,
        bottom = now.bottom - then.bottom;
  // A side at the frame's edge can't move, so the other side must move twice as far. A box that
  // nearly spans the frame may have grown.
  const auto at_edges = [](float &low, float &high, bool low_at, bool high_at) {
    if (low_at && high_at)
      low = high = 0;
    else if (low_at)
      low = high /= 2;
    else if (high_at)
      high = low /= 2;
  };
  const bool wide = now.width() > wide_share * float(width_),
             high = now.height() > wide_share * float(height_);
  at_edges(left, right, wide || now.left <= 1, wide || now.right >= float(width_) - 1);
  at_edges(top, bottom, high || now.top <= 1, high || now.bottom >= float(height_) - 1);
  return both(left, right, track.wobble_x, track.off_x, now.width(), track.dx) ||
         both(top, bottom, track.wobble_y, track.off_y, now.height(), track.dy);
}

/// Matches tracks without a region to regions without a track, by size and level: objects that
/// moved further than their length. Returns which tracks were matched.
std::vector<bool> Tracker::match_distant(const Settings &settings, double least, Claims &claimed,
                                         std::vector<Detection> &list) const {
  std::vector<bool> jumped(tracks_.size());
  std::vector<int> free;
  for (size_t d = 0; d < list.size(); d++)
    if (!list[d].claims && list[d].area >= float(least)) free.push_back(int(d));
  if (free.size() >= crowd_size) return jumped;
  const auto longer = float(std::max(width_, height_));
  const float fastest = settings.max_speed > 0 ? float(settings.max_speed) : usual_speed * longer;
  // The difference of a track and a region, from 0 on. At the frame's edge the size does not count.
  const auto difference_of = [this](const Track &track, const Detection &found) {
    const auto ratio = [](float a, float b) {
      return std::log2(std::max(a, 1.0f) / std::max(b, 1.0f));
    };
    const auto at_edge = [](float low, float high, float length) {
      return low <= 1 || high >= length - 1;
    };
    const Box &a = track.seen, &b = found.box;
    const auto width = float(width_), height = float(height_);
    const float wider = at_edge(a.left, a.right, width) || at_edge(b.left, b.right, width)
                            ? 0
                            : ratio(a.width(), b.width()),
                higher = at_edge(a.top, a.bottom, height) || at_edge(b.top, b.bottom, height)
                             ? 0
                             : ratio(a.height(), b.height()),
                lighter = (found.level - track.level) / 24;
    return std::max({std::abs(wider), std::abs(higher), std::abs(lighter)});
  };
  for (;;) {
    float best = INFINITY;
    size_t which = tracks_.size();
    int what = 0;
    for (size_t t = 0; t < tracks_.size(); t++) {
      const Track &track = tracks_[t];
      if (!claimed[t].empty() || track.hidden || track.crowd) continue;
      // A track with a known velocity changes it by a part only.
      const float length = std::max(track.box.width(), track.box.height()),
                  on = 0.25f * std::hypot(track.dx, track.dy) + (track.jumps ? 0.5f * length : 0),
                  reach =
                      float(track.missed + 1) * (track.found > 1 ? std::min(on, fastest) : fastest);
      for (int d : free) {
        const Detection &found = list[size_t(d)];
        const float distance =
                        std::hypot(found.box.x() - track.box.x(), found.box.y() - track.box.y()),
                    cost = difference_of(track, found) + 0.5f * distance / fastest;
        if (found.claims || distance > reach || difference_of(track, found) > most_unlike ||
            cost >= best)
          continue;
        best = cost, which = t, what = d;
      }
    }
    if (which == tracks_.size()) return jumped;
    claimed[which] = {what};
    list[size_t(what)].claims = 1;
    jumped[which] = true;
  }
}

/// Counts for how many frames a track has shared a region with an older one.
void Tracker::count_shared_frames(size_t which, const Claims &claimed) {
  Track &track = tracks_[which];
  for (size_t o = 0; o < which; o++)
    if (std::find_first_of(claimed[o].begin(), claimed[o].end(), claimed[which].begin(),
                           claimed[which].end()) != claimed[o].end()) {
      track.together = track.met == tracks_[o].serial ? track.together + 1 : 1;
      track.met = tracks_[o].serial;
      return;
    }
}

/// Whether a track and an older one are one object: they overlap and move alike; or they shared a
/// region long enough and move alike or one is held back by it; or the region exceeds both.
bool Tracker::same_object(const Track &older, const Track &track) {
  if (!track.hidden) return false;
  const float difference = std::hypot(older.dx - track.dx, older.dy - track.dy);
  if (older.hidden && common(older.box, track.box) > 0.7f * track.box.area() && difference < 0.5f)
    return true;
  const float fastest = std::max(std::hypot(older.dx, older.dy), std::hypot(track.dx, track.dy));
  if (track.met == older.serial && track.exceeded >= exceed_frames) return true;
  return track.met == older.serial && track.together >= merge_frames &&
         (difference < 0.5f + 0.1f * fastest || held_back(track) || held_back(older));
}

bool Tracker::held_back(const Track &track) {
  return track.held_back_px > 0.5f * std::max(track.box.width(), track.box.height());
}

/// Assigns two regions to two tracks that shared one region before, by predicted position, size and
/// level. The light may have changed for both.
void Tracker::separate(size_t which, size_t older, Claims &claimed, std::vector<Detection> &list) {
  const Track &a = tracks_[which], &b = tracks_[older];
  if (!a.hidden || !b.hidden || a.met != b.serial) return;
  std::vector<int> both = claimed[which];
  for (int d : claimed[older])
    if (std::find(both.begin(), both.end(), d) == both.end()) both.push_back(d);
  if (both.size() != 2) return;
  for (size_t o = 0; o < tracks_.size(); o++)
    if (o != which && o != older)
      for (int d : claimed[o])
        if (d == both[0] || d == both[1]) return;
  const auto cost = [](const Track &track, const Detection &found) {
    const float length = std::max(track.expected.width(), track.expected.height());
    const float far = std::hypot(found.box.x() - track.expected.x(),
                                 found.box.y() - track.expected.y()) /
                      (0.25f * length + 0.05f * length * std::min(float(track.together), 20.0f)),
                larger = std::log(found.box.area() / std::max(track.expected.area(), 1.0f)),
                lighter = (found.level - track.level) / 16;
    return far * far + larger * larger + lighter * lighter;
  };
  const auto fits = [](const Track &track, const Detection &found) {
    const float ratio = found.box.area() / std::max(track.expected.area(), 1.0f);
    return ratio > 0.4f && ratio < 2.5f;
  };
  int mine = both[0], others = both[1];
  if (cost(a, list[size_t(mine)]) + cost(b, list[size_t(others)]) >
      cost(a, list[size_t(others)]) + cost(b, list[size_t(mine)]))
    std::swap(mine, others);
  if (!fits(a, list[size_t(mine)]) || !fits(b, list[size_t(others)])) return;
  claimed[which] = {mine}, claimed[older] = {others};
  list[size_t(mine)].claims = list[size_t(others)].claims = 1;
}

/// Places a track within a region that it shares with others: it moves on by its velocity and
/// follows those sides of the region that are its own.
void Tracker::place_in_shared(size_t which, const Box &all, const std::vector<size_t> &others) {
  Track &track = tracks_[which];
  Box outside{1e9f, 1e9f, -1e9f, -1e9f};
  for (size_t other : others) outside = around(outside, tracks_[other].expected);
  const bool more = common(around(outside, track.expected), all) < explained * all.area();
  track.exceeded = more ? track.exceeded + 1 : 0;
  const auto move_side = [](float &low, float &high, float &velocity, float from, float to,
                            float others_low, float others_high) {
    const float length = high - low, most = 2 + 0.1f * length;
    // The lagging side is uncovered background.
    float off = 0;
    int sides = 0;
    if (low + own_side < others_low && (from > low || velocity < 0.3f)) off += from - low, sides++;
    if (high - own_side > others_high && (to < high || velocity > -0.3f)) off += to - high, sides++;
    if (!sides) return;
    off = std::clamp(off / float(sides), -most, most);
    low += 0.6f * off, high += 0.6f * off;
    velocity += 0.15f * off;
  };
  // Moves it into the region without changing its size; returns the distance.
  const auto fit = [](float &low, float &high, float from, float to) {
    const float length = high - low, was = low + high;
    if (length >= to - from) {
      low = from, high = to;
    } else if (low < from) {
      low = from, high = from + length;
    } else if (high > to) {
      high = to, low = to - length;
    }
    return std::abs(low + high - was) / 2;
  };
  Box box = track.expected;
  move_side(box.left, box.right, track.dx, all.left, all.right, outside.left, outside.right);
  move_side(box.top, box.bottom, track.dy, all.top, all.bottom, outside.top, outside.bottom);
  const float x = fit(box.left, box.right, all.left, all.right),
              y = fit(box.top, box.bottom, all.top, all.bottom);
  track.held_back_px = 0.9f * track.held_back_px + std::max(std::max(x, y) - 1, 0.0f);
  track.box = box;
}

bool Tracker::is_reported(const Settings &settings, const Track &track) const {
  return track.object.id && track.missed <= most_reported_missed && inside(track.box);
}

/// Whether a track becomes an object in this frame. With min_frames of 1 it need not move first.
bool Tracker::begins(const Settings &settings, const Track &track, float lag) const {
  if (track.object.id || track.missed || track.object.score < least_score) return false;
  if (settings.min_frames <= 1 && !track.crowd) return true;
  // The place that a parked object leaves is foreground until the background is known there.
  const bool starts =
      track.leads >= lead_frames && !track.crowd && lag < 1 && track.object.score >= faint_score;
  return track.found >= std::max(settings.min_frames, track.jumps ? jump_frames : 1) &&
         (starts || has_moved(track, lag));
}

Tracker::Claims Tracker::claim(std::vector<Detection> &list) const {
  Claims claimed(tracks_.size());
  for (size_t d = 0; d < list.size(); d++) {
    std::vector<size_t> claims;
    bool some_known = false;
    for (size_t t = 0; t < tracks_.size(); t++) {
      const Track &track = tracks_[t];
      const float reach =
          0.15f * std::max(track.box.width(), track.box.height()) + 2 + 2.0f * float(track.missed);
      if (overlap(grown(track.box, reach), list[d].box) <= 0.3f) continue;
      claims.push_back(t);
      some_known |= known(track);
    }
    for (size_t t : claims) {
      if (claims.size() > 1 && (some_known ? !known(tracks_[t]) : t != claims[0])) continue;
      claimed[t].push_back(int(d));
      list[d].claims++;
    }
  }
  return claimed;
}

void Tracker::keep_nearest(size_t which, std::vector<int> &mine,
                           std::vector<Detection> &list) const {
  const Box &expected = tracks_[which].box;
  if (mine.size() < 2 || !known(tracks_[which])) return;
  std::sort(mine.begin(), mine.end(), [&](int a, int b) {
    return common(list[size_t(a)].box, expected) > common(list[size_t(b)].box, expected);
  });
  Detection all = list[size_t(mine[0])];
  for (size_t i = 1; i < mine.size();) {
    Detection &other = list[size_t(mine[i])];
    const Box more = around(all.box, other.box);
    if (fills(all, other) && more.width() <= 1.3f * expected.width() + 4 &&
        more.height() <= 1.3f * expected.height() + 4) {
      all.add(other);
      i++;
    } else {
      other.claims--;
      mine.erase(mine.begin() + ptrdiff_t(i));
    }
  }
}

Tracker::Claims Tracker::associate(std::vector<Detection> &list) {
  Claims claimed = claim(list);
  for (size_t t = 0; t < tracks_.size(); t++) keep_nearest(t, claimed[t], list);
  for (size_t t = 0; t < tracks_.size(); t++)
    for (size_t o = 0; o < t; o++)
      if (known(tracks_[t]) && known(tracks_[o])) separate(t, o, claimed, list);
  return claimed;
}

Tracker::Found Tracker::found_of(const std::vector<int> &mine, const std::vector<Detection> &list) {
  Found found;
  for (int d : mine) {
    const Detection &detection = list[size_t(d)];
    if (found.all.area > 0)
      found.all.add(detection);
    else
      found.all = detection;
    std::optional<Box> &box = detection.claims > 1 ? found.shared : found.own;
    box = box ? around(*box, detection.box) : detection.box;
    found.score = std::max(found.score, detection.score);
  }
  return found;
}

void Tracker::update_shared(size_t which, const Found &found, const Claims &claimed) {
  count_shared_frames(which, claimed);
  const std::vector<int> &mine = claimed[which];
  std::vector<size_t> others;
  for (size_t o = 0; o < tracks_.size(); o++)
    if (o != which && known(tracks_[o]) &&
        std::find_first_of(claimed[o].begin(), claimed[o].end(), mine.begin(), mine.end()) !=
            claimed[o].end())
      others.push_back(o);
  place_in_shared(which, found.all.box, others);
  Track &track = tracks_[which];
  track.hidden = true;
  track.missed = 0, track.missed_seconds = 0;
}

void Tracker::update_change(Track &track, const Box &expected, const Box &box, bool jumped) {
  // The box grew or contains something else: its motion counts from here on.
  if (!track.object.id && box.area() > 1.6f * track.seen.area()) track.began = box;
  track.wobble_x += score_gain * (std::abs(box.width() - track.seen.width()) - track.wobble_x);
  track.wobble_y += score_gain * (std::abs(box.height() - track.seen.height()) - track.wobble_y);
  track.off_x += 0.5f * (std::abs(box.x() - expected.x()) - track.off_x);
  track.off_y += 0.5f * (std::abs(box.y() - expected.y()) - track.off_y);
  if (track.found == 1) track.off_x *= 2, track.off_y *= 2;
  if (jumped) track.off_x = track.off_y = 0, track.jumps = true;
  const int side = leading(track.seen, box);
  track.leads = side && side == track.leader ? track.leads + 1 : side > 0;
  track.leader = side;
  track.seen = box;
}

void Tracker::update_motion(Track &track, const Box &expected, const Box &box, bool jumped) {
  // A box that suddenly grows or shrinks contains more or fewer objects and says nothing about the
  // velocity.
  const float ratio = box.area() / std::max(expected.area(), 1.0f);
  if (!track.hidden && (track.found < 6 || (ratio > 0.6f && ratio < 1.6f))) {
    const float dx = box.x() - expected.x() + track.dx, dy = box.y() - expected.y() + track.dy;
    const float part = jumped ? 1 : track.found < 3 ? 0.7f : velocity_gain;
    track.dx += part * (dx - track.dx);
    track.dy += part * (dy - track.dy);
  }
}

void Tracker::update_found(Track &track, const Found &found, bool jumped) const {
  const Box expected = track.box;
  Box box = found.own ? *found.own : *found.shared;
  if (found.own && found.shared) box = around(box, *found.shared);
  update_change(track, expected, box, jumped);
  if (!track.hidden) box = without_uncovered(track, expected.moved(-track.dx, -track.dy), box);
  update_motion(track, expected, box, jumped);
  track.hidden = false;
  track.together = std::max(track.together - 1, 0);
  track.held_back_px = 0, track.exceeded = 0;
  track.box = box;
  track.level += (track.found < 3 ? 0.5f : score_gain) * (found.all.level - track.level);
  track.object.score += score_gain * (found.score - track.object.score);
  track.missed = 0, track.missed_seconds = 0;
  track.found++;
}

void Tracker::update_object(Track &track) const {
  const float vx = track.box.x() - track.before.x(), vy = track.box.y() - track.before.y();
  track.object.vx += velocity_gain * (vx - track.object.vx);
  track.object.vy += velocity_gain * (vy - track.object.vy);
  track.object.age++;
  track.object.box = clipped(track.box, float(width_), float(height_));
  track.object.trail.push_back({track.box.x(), track.box.y()});
  if (track.object.trail.size() > trail) track.object.trail.pop_front();
}

void Tracker::update(size_t which, const Claims &claimed, const std::vector<Detection> &list,
                     bool jumped, double seconds) {
  Track &track = tracks_[which];
  const Found found = found_of(claimed[which], list);
  // A region that two tracks claim contains both.
  if (found.shared && known(track)) {
    update_shared(which, found, claimed);
  } else if (found.own || found.shared) {
    update_found(track, found, jumped);
  } else {
    track.missed++;
    track.missed_seconds += seconds;
    track.dx *= 0.8f, track.dy *= 0.8f;
  }
  update_object(track);
}

bool Tracker::is_gone(const Settings &settings, const Track &track) const {
  if (track.object.id)
    return track.missed_seconds >= settings.gap || (track.missed && !inside(track.box));
  return track.missed > most_new_missed;
}

bool Tracker::merges(size_t which) {
  Track &track = tracks_[which];
  for (size_t o = 0; o < which; o++) {
    if (!same_object(tracks_[o], track)) continue;
    // Keep the track that moves on as before, with the number that was reported.
    if (held_back(tracks_[o]) && !held_back(track)) {
      std::swap(tracks_[o], track);
      if (track.object.id) std::swap(tracks_[o].object.id, track.object.id);
    }
    if (!tracks_[o].object.id) std::swap(tracks_[o].object.id, track.object.id);
    return true;
  }
  return false;
}

void Tracker::remove(const Settings &settings, Report &report) {
  for (size_t t = 0; t < tracks_.size();) {
    if (is_gone(settings, tracks_[t]) || merges(t)) {
      if (tracks_[t].object.id) report.ended.push_back(tracks_[t].object);
      tracks_.erase(tracks_.begin() + ptrdiff_t(t));
    } else {
      t++;
    }
  }
}

void Tracker::add(const RegionList &result, const std::vector<Detection> &list, double least) {
  const auto is_new = [least](const Detection &detection) {
    return !detection.claims && detection.area >= float(least) &&
           detection.box.area() >= float(least);
  };
  const bool crowd = std::count_if(list.begin(), list.end(), is_new) >= crowd_size &&
                     result.state.frames >= settling_frames;
  for (const Detection &detection : list)
    if (is_new(detection)) {
      Track track;
      track.crowd = crowd;
      track.box = track.seen = track.began = track.object.box = detection.box;
      track.object.score = detection.score;
      track.level = detection.level;
      track.serial = ++last_serial_;
      tracks_.push_back(track);
    }
}

Tracker::Report Tracker::step(const Settings &settings, const RegionList &result,
                              const camera::FrameGeometry &frame, double least, double seconds) {
  if (result.state.cut || result.state.fresh) return reset();
  std::vector<Detection> list = detections(result, frame);
  for (Track &track : tracks_) {
    track.before = track.box;
    predict(track, result.state.step);
    track.expected = track.box;
  }
  Claims claimed = associate(list);
  const std::vector<bool> jumped = match_distant(settings, least, claimed, list);
  for (size_t t = 0; t < tracks_.size(); t++) update(t, claimed, list, jumped[t], seconds);
  Report report;
  remove(settings, report);
  add(result, list, least);
  for (Track &track : tracks_)
    if (begins(settings, track, result.state.lag)) {
      track.object.id = ++last_id_;
      report.begun.push_back(track.object);
    }
  for (const Track &track : tracks_)
    if (is_reported(settings, track)) report.objects.push_back(track.object);
  return report;
}

Tracker::Report Tracker::reset() {
  Report report;
  for (const Track &track : tracks_)
    if (track.object.id) report.ended.push_back(track.object);
  tracks_.clear();
  return report;
}

std::vector<Object> Tracker::predicted() const {
  std::vector<Object> list;
  for (const Track &track : tracks_)
    if (is_reported({}, track)) {
      list.push_back(track.object);
      list.back().box = clipped(track.object.box.moved(track.object.vx, track.object.vy),
                                float(width_), float(height_));
    }
  return list;
}

}  // namespace glcl::objects
