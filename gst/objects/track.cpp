// SPDX-License-Identifier: LGPL-2.1-or-later
#include "track.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glcl::objects {

namespace {

constexpr float wide_share = 0.8f;   // part of the frame along an axis
constexpr float most_wobble = 0.5f;  // change of size per frame; objects change less
constexpr float faint_wobbles =
    2;  // a faint object must move by this multiple of the change of its size
constexpr float light_levels = 4;  // after a larger change of light objects must move twice as far
constexpr int departing_frames = 10;    // in which a track may prove to leave its place
constexpr float most_departure = 1.5f;  // of an object from its place, lengths; they part at 1
constexpr float least_advance = 0.5f;   // px per frame, of a leading side
constexpr float most_tremble = 0.1f;    // of the length, of the sides across the motion
constexpr int most_pauses = 2;          // frames in a row in which a leading side may rest
constexpr float alike_speed = 1.5f, alike_part = 0.2f;  // px per frame; part of the speed
constexpr float trail_gain = 0.25f;                     // weight of a new centre
constexpr float score_gain = 0.3f;                      // weight of a new score and change of size
constexpr float velocity_gain = 0.4f;                   // weight of a new velocity

/// Cuts a box at its lagging side if the other side leads: the area behind a moving object is
/// uncovered background, which stays foreground for a while. `was`: the box without own motion.
RectF without_uncovered(const Track &track, const RectF &was, RectF box, const FrameSize &size) {
  // If the lagging side stays, the whole advance is uncovered background.
  const bool starts = track.leading.frames >= lead_frames;
  const float part = starts ? 1 : 0.9f, more = starts ? 0 : 1;
  const auto cut = [=](float &low, float &high, float was_low, float was_high, float velocity,
                       float length) {
    const float first = low - was_low, last = high - was_high;
    if (std::max(std::abs(first), std::abs(last)) > was_high - was_low) return;  // another object
    // An object that starts uncovers more than it advances.
    const bool back =
        first < 0 &&
        (-first > std::abs(last) ? velocity < 0.5f : starts && last > 0 && velocity < -0.5f);
    const bool forth =
        last > 0 &&
        (last > std::abs(first) ? velocity > -0.5f : starts && first < 0 && velocity > 0.5f);
    if (back && was_high < length - 2) high = std::min(high, was_high + part * first + more);
    if (forth && was_low > 2) low = std::max(low, was_low + part * last - more);
  };
  cut(box.left, box.right, was.left, was.right, track.motion.dx, float(size.width));
  cut(box.top, box.bottom, was.top, was.bottom, track.motion.dy, float(size.height));
  return box;
}

/// The sides of a box along an axis.
struct Sides {
  float *leading, *lagging;
  float was_leading, was_lagging, start_leading;
  float length, frame_length;  // the length before, and of the frame
  float outwards;              // 1 or -1
};

Sides sides_of(int side, const RectF &was, const RectF &first, RectF &box, const FrameSize &size) {
  const float width = std::min(was.width(), first.width()),
              height = std::min(was.height(), first.height());
  const auto w = float(size.width), h = float(size.height);
  switch (side) {
    case 1:
      return {&box.left, &box.right, was.left, was.right, first.left, width, w, -1};
    case 2:
      return {&box.right, &box.left, was.right, was.left, first.right, width, w, 1};
    case 3:
      return {&box.top, &box.bottom, was.top, was.bottom, first.top, height, h, -1};
    default:
      return {&box.bottom, &box.top, was.bottom, was.top, first.bottom, height, h, 1};
  }
}

bool is_at_edge(float side, float frame_length) { return side <= 2 || side >= frame_length - 2; }

/// True if a track that drives off is leaving the frame.
bool leaves_frame(const Track &track, const RectF &box, const FrameSize &size) {
  RectF copy = box;
  const Sides s = sides_of(track.leading.departing, box, box, copy, size);
  return track.leading.departing && is_at_edge(*s.leading, s.frame_length);
}

/// Separates an object that drives off from the place where it was parked, which stays foreground
/// until the background is known there: the box keeps its first length behind its leading side,
/// until the region's lagging side has caught up. If it never does, the object came out from behind
/// an edge. Once its leading side has reached the frame's edge, the other one goes on as fast as
/// before.
RectF without_place(Track &track, const RectF &was, RectF box, const FrameSize &size) {
  const Sides s = sides_of(track.leading.departing, was, track.start_box, box, size);
  const bool leaves = is_at_edge(*s.leading, s.frame_length);
  const float on = track.leading.departing < 3 ? track.motion.dx : track.motion.dy,
              lagging = leaves ? s.was_lagging + on : *s.leading - s.outwards * s.length;
  const bool caught_up = (lagging - *s.lagging) * s.outwards <= 0,
             other = std::abs(*s.leading - s.was_leading) > s.length,
             away = (*s.leading - s.start_leading) * s.outwards > most_departure * s.length;
  if (caught_up || (!leaves && (other || away)) || is_at_edge(*s.lagging, s.frame_length))
    track.leading.departing = 0;
  else
    *s.lagging = s.outwards * std::min(lagging * s.outwards, *s.leading * s.outwards - 1);
  return box;
}

/// How far the sides of a box have moved outwards.
std::array<float, 4> outwards(const RectF &was, const RectF &box) {
  return {was.left - box.left, box.right - was.right, was.top - box.top, box.bottom - was.bottom};
}

/// True if all sides but one have stayed while it moved by `way`. After an encoder those across the
/// motion tremble; where both grow it is no motion.
bool others_stay(const RectF &from, size_t side, float way, const RectF &box) {
  const std::array<float, 4> by = outwards(from, box);
  const auto most = [&](size_t i) {
    const float length = i < 2 ? from.width() : from.height();
    const float tremble = std::min(most_tremble * length, by[i] > 0 ? way / 2 : length);
    return std::max(std::min(1 + 0.03f * length, 2.0f), i / 2 == side / 2 ? way / 3 : tremble);
  };
  for (size_t i = 0; i < 4; i++)
    if (i != side && std::abs(by[i]) > most(i)) return false;
  return true;
}

/// Updates the side that leads, by the boxes of the frame before and of this one. After an encoder
/// a side rests in some frames.
void update_leading(LeadingSide &leading, const RectF &before, const RectF &box) {
  leading.side = leading.frames = 0;
  for (size_t i = 0; i < 4; i++) {
    SideAdvance &side = leading.sides[i];
    const auto goes_on = [&] {
      const float way = outwards(side.from, box)[i];
      const bool on = way > side.way + least_advance;
      side.pauses = on ? 0 : side.pauses + 1;
      side.frames += on;
      side.way = std::max(way, side.way);
      return side.pauses <= most_pauses && others_stay(side.from, i, side.way, box);
    };
    if (side.frames && goes_on()) continue;
    side = {0, 0, 0, before};
    if (!goes_on()) side.frames = 0;
  }
  for (size_t i = 0; i < 4; i++)
    if (leading.sides[i].frames > leading.frames)
      leading.side = int(i) + 1, leading.frames = leading.sides[i].frames;
}

/// True if the track is new, the side has moved by less than half of the first length, and the
/// opposite one by less than a third of that. Otherwise it moves, or comes out from behind an edge.
bool leaves_place(const Track &track, int side, const RectF &box) {
  const std::array<float, 4> by = outwards(track.start_box, box);
  const float on = by[size_t(side - 1)], lagging = by[size_t(side - 1) ^ 1];
  return track.found <= departing_frames &&
         on < 0.5f * (side < 3 ? track.start_box.width() : track.start_box.height()) &&
         std::abs(lagging) < on / 3;
}

/// Updates the changes of size and position, and the leading side.
void update_change(Track &track, const RectF &expected, const RectF &box, bool jumped) {
  // The box grew or contains something else: its motion counts from here on.
  if (!track.object.id && box.area() > 1.6f * track.observed.area()) track.start_box = box;
  TrackMotion &motion = track.motion;
  motion.size_change_x +=
      score_gain * (std::abs(box.width() - track.observed.width()) - motion.size_change_x);
  motion.size_change_y +=
      score_gain * (std::abs(box.height() - track.observed.height()) - motion.size_change_y);
  motion.prediction_error_x +=
      0.5f * (std::abs(box.x() - expected.x()) - motion.prediction_error_x);
  motion.prediction_error_y +=
      0.5f * (std::abs(box.y() - expected.y()) - motion.prediction_error_y);
  if (track.found == 1) motion.prediction_error_x *= 2, motion.prediction_error_y *= 2;
  if (jumped) motion.prediction_error_x = motion.prediction_error_y = 0, motion.jumps = true;
  update_leading(track.leading, track.observed, box);
  if (track.leading.frames >= lead_frames && leaves_place(track, track.leading.side, box))
    track.leading.departing = track.leading.side;
  track.observed = box;
}

/// Counts the frames in which vectors show the same motion.
void update_vectors(Track &track, const Detection &found, bool jumped) {
  TrackMotion &motion = track.motion;
  const float change = std::hypot(found.vx - motion.vx, found.vy - motion.vy),
              speed = std::max(std::hypot(found.vx, found.vy), std::hypot(motion.vx, motion.vy));
  const bool same = motion.moving && change <= alike_speed + alike_part * speed && !jumped;
  motion.moving = found.moving ? (same ? motion.moving + 1 : 1) : 0;
  motion.vx = found.vx, motion.vy = found.vy;
}

void update_motion(Track &track, const RectF &expected, const RectF &box, bool jumped) {
  // A box that suddenly grows or shrinks contains more or fewer objects and says nothing about the
  // velocity.
  const float ratio = box.area() / std::max(expected.area(), 1.0f);
  if (!track.occlusion.shares_region && (track.found < 6 || (ratio > 0.6f && ratio < 1.6f))) {
    TrackMotion &motion = track.motion;
    const float dx = box.x() - expected.x() + motion.dx, dy = box.y() - expected.y() + motion.dy;
    const float part = jumped ? 1 : track.found < 3 ? 0.7f : velocity_gain;
    motion.dx += part * (dx - motion.dx);
    motion.dy += part * (dy - motion.dy);
  }
  if (track.motion.moving) track.motion.dx = track.motion.vx, track.motion.dy = track.motion.vy;
}

/// The next point of a trail: where the track's own motion takes the last one, and from there a
/// part of the way to the centre of the box. Boxes change their size from frame to frame.
Object::Point next_point(const Track &track) {
  const Object::Point centre{track.box.x(), track.box.y()};
  if (track.object.trail.size() < 3) return centre;
  const Object::Point &last = track.object.trail.back();
  const float x = last.x + track.motion.dx, y = last.y + track.motion.dy;
  return {x + trail_gain * (centre.x - x), y + trail_gain * (centre.y - y)};
}

}  // namespace

void Detection::add(const Detection &other) {
  box = united(box, other.box);
  score = std::max(score, other.score);
  level = (level * area + other.level * other.area) / std::max(area + other.area, 1.0f);
  if (other.moving && (!moving || other.area > area)) vx = other.vx, vy = other.vy;
  if (other.area > area) softness = other.softness;
  area += other.area;
  moving |= other.moving;
}

void predict(Track &track, const camera::SimilarityMotion &step, const FrameSize &size) {
  const auto move = [&](float x, float y) -> Object::Point {
    const float u = x - float(size.width) / 2, v = y - float(size.height) / 2;
    return {x + step.x + step.dilation * u - step.rotation * v,
            y + step.y + step.dilation * v + step.rotation * u};
  };
  const auto carry = [&](const RectF &box) {
    const auto [x, y] = move(box.x(), box.y());
    const float half_width = box.width() / 2 * (1 + step.dilation),
                half_height = box.height() / 2 * (1 + step.dilation);
    return RectF{x - half_width, y - half_height, x + half_width, y + half_height};
  };
  track.box = carry(track.box).moved(track.motion.dx, track.motion.dy);
  track.start_box = carry(track.start_box);
  for (SideAdvance &side : track.leading.sides) side.from = carry(side.from);
  for (Object::Point &point : track.object.trail) point = move(point.x, point.y);
}

TrackObservation observation_of(const std::vector<int> &mine, const std::vector<Detection> &list) {
  TrackObservation found;
  for (int d : mine) {
    const Detection &detection = list[size_t(d)];
    if (found.all.area > 0)
      found.all.add(detection);
    else
      found.all = detection;
    std::optional<RectF> &box = detection.claims > 1 ? found.shared : found.own;
    box = box ? united(*box, detection.box) : detection.box;
    found.score = std::max(found.score, detection.score);
  }
  return found;
}

void update_found(Track &track, const TrackObservation &found, bool jumped, const FrameSize &size) {
  const RectF expected = track.box;
  RectF box = found.own ? *found.own : *found.shared;
  if (found.own && found.shared) box = united(box, *found.shared);
  update_change(track, expected, box, jumped);
  update_vectors(track, found.all, jumped);
  const bool leaves = leaves_frame(track, box, size);
  if (!track.occlusion.shares_region && !track.motion.moving) {
    const RectF was = expected.moved(-track.motion.dx, -track.motion.dy);
    box = track.leading.departing ? without_place(track, was, box, size)
                                  : without_uncovered(track, was, box, size);
  }
  // Its visible part no longer shows its velocity.
  if (!leaves) update_motion(track, expected, box, jumped);
  TrackOcclusion &occlusion = track.occlusion;
  occlusion.shares_region = false;
  occlusion.shared_balance = std::max(occlusion.shared_balance - 1, 0);
  occlusion.occluded_px = 0, occlusion.exceeded = 0;
  track.box = box;
  track.level += (track.found < 3 ? 0.5f : score_gain) * (found.all.level - track.level);
  track.object.score += score_gain * (found.score - track.object.score);
  track.doubt.softness += score_gain * (found.all.softness - track.doubt.softness);
  track.missed = 0, track.missed_seconds = 0;
  track.found++;
}

void update_object(Track &track, const FrameSize &size) {
  const float vx = track.box.x() - track.before.x(), vy = track.box.y() - track.before.y();
  track.object.vx += velocity_gain * (vx - track.object.vx);
  track.object.vy += velocity_gain * (vy - track.object.vy);
  track.object.age++;
  track.object.box = clipped(track.box, float(size.width), float(size.height));
  track.object.trail.push_back(next_point(track));
  if (track.object.trail.size() > TRAIL_POINTS) track.object.trail.pop_front();
}

bool has_moved(const Track &track, float brightness_peak, const FrameSize &size, bool doubtful) {
  const float small = std::max(1.5f, float(std::min(size.width, size.height)) / 320) *
                      (1 + brightness_peak / light_levels),
              least = doubtful ? std::max(small, 0.5f * std::min(track.observed.width(),
                                                                 track.observed.height()))
                               : small;
  const float doubt =
      std::clamp((clear_score - track.object.score) / (clear_score - faint_score), 0.0f, 1.0f);
  // A faint object must keep its direction and stay near the predicted position.
  const auto both = [=, age = float(std::max(track.object.age, 1))](
                        float a, float b, float wobble, float off, float side, float velocity) {
    const float way = std::min(std::abs(a), std::abs(b)), on = a > 0 ? velocity : -velocity;
    return a * b > 0 && wobble <= most_wobble * side &&
           way >= least + faint_wobbles * doubt * (wobble + doubt * off) &&
           on >= doubt * std::max(0.5f * way / age, off);
  };
  const RectF now = clipped(track.observed, float(size.width), float(size.height)),
              &then = track.start_box;
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
  const bool wide = now.width() > wide_share * float(size.width),
             high = now.height() > wide_share * float(size.height);
  at_edges(left, right, wide || now.left <= 1, wide || now.right >= float(size.width) - 1);
  at_edges(top, bottom, high || now.top <= 1, high || now.bottom >= float(size.height) - 1);
  const TrackMotion &motion = track.motion;
  return both(left, right, motion.size_change_x, motion.prediction_error_x, now.width(),
              motion.dx) ||
         both(top, bottom, motion.size_change_y, motion.prediction_error_y, now.height(),
              motion.dy);
}

}  // namespace glcl::objects
