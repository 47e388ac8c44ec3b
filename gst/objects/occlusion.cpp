// SPDX-License-Identifier: LGPL-2.1-or-later
#include "occlusion.h"

#include <algorithm>
#include <cmath>

namespace glcl::objects {

namespace {

constexpr int merge_frames = 8;    // after sharing a region this long, two tracks may be one object
constexpr int exceed_frames = 4;   // after a region exceeded both this long, they are one object
constexpr float explained = 0.6f;  // covered part of a region; with less it exceeds both objects
constexpr float own_side = 3;      // px by which a side must exceed the other objects

/// Counts for how many frames a track has shared a region with an older one.
void count_shared_frames(std::vector<Track> &tracks, size_t which, const Claims &claimed) {
  TrackOcclusion &occlusion = tracks[which].occlusion;
  for (size_t o = 0; o < which; o++)
    if (std::find_first_of(claimed[o].begin(), claimed[o].end(), claimed[which].begin(),
                           claimed[which].end()) != claimed[o].end()) {
      occlusion.shared_balance =
          occlusion.last_sharer == tracks[o].serial ? occlusion.shared_balance + 1 : 1;
      occlusion.last_sharer = tracks[o].serial;
      return;
    }
}

/// Places a track within a region that it shares with others: moves it by its velocity, and along
/// with the sides of the region that only it touches.
void place_in_shared(std::vector<Track> &tracks, size_t which, const RectF &all,
                     const std::vector<size_t> &others) {
  Track &track = tracks[which];
  RectF outside{1e9f, 1e9f, -1e9f, -1e9f};
  for (size_t other : others) outside = united(outside, tracks[other].expected);
  const bool more = common_area(united(outside, track.expected), all) < explained * all.area();
  track.occlusion.exceeded = more ? track.occlusion.exceeded + 1 : 0;
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
  // Moves the box into the region without changing its size; returns the distance.
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
  RectF box = track.expected;
  move_side(box.left, box.right, track.motion.dx, all.left, all.right, outside.left, outside.right);
  move_side(box.top, box.bottom, track.motion.dy, all.top, all.bottom, outside.top, outside.bottom);
  const float x = fit(box.left, box.right, all.left, all.right),
              y = fit(box.top, box.bottom, all.top, all.bottom);
  track.occlusion.occluded_px =
      0.9f * track.occlusion.occluded_px + std::max(std::max(x, y) - 1, 0.0f);
  track.box = box;
}

}  // namespace

void separate(const std::vector<Track> &tracks, size_t which, size_t older, Claims &claimed,
              std::vector<Detection> &list) {
  const Track &a = tracks[which], &b = tracks[older];
  if (!a.occlusion.shares_region || !b.occlusion.shares_region ||
      a.occlusion.last_sharer != b.serial)
    return;
  std::vector<int> both = claimed[which];
  for (int d : claimed[older])
    if (std::find(both.begin(), both.end(), d) == both.end()) both.push_back(d);
  if (both.size() != 2) return;
  for (size_t o = 0; o < tracks.size(); o++)
    if (o != which && o != older)
      for (int d : claimed[o])
        if (d == both[0] || d == both[1]) return;
  const auto cost = [](const Track &track, const Detection &found) {
    const float length = std::max(track.expected.width(), track.expected.height());
    const float far = std::hypot(found.box.x() - track.expected.x(),
                                 found.box.y() - track.expected.y()) /
                      (0.25f * length +
                       0.05f * length * std::min(float(track.occlusion.shared_balance), 20.0f)),
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

void update_shared(std::vector<Track> &tracks, size_t which, const TrackObservation &found,
                   const Claims &claimed) {
  count_shared_frames(tracks, which, claimed);
  const std::vector<int> &mine = claimed[which];
  std::vector<size_t> others;
  for (size_t o = 0; o < tracks.size(); o++)
    if (o != which && tracks[o].established() &&
        std::find_first_of(claimed[o].begin(), claimed[o].end(), mine.begin(), mine.end()) !=
            claimed[o].end())
      others.push_back(o);
  place_in_shared(tracks, which, found.all.box, others);
  Track &track = tracks[which];
  track.occlusion.shares_region = true;
  track.missed = 0, track.missed_seconds = 0;
}

bool same_object(const Track &older, const Track &track) {
  const TrackOcclusion &occlusion = track.occlusion;
  if (!occlusion.shares_region) return false;
  const TrackMotion &a = older.motion, &b = track.motion;
  const float difference = std::hypot(a.dx - b.dx, a.dy - b.dy);
  if (older.occlusion.shares_region &&
      common_area(older.box, track.box) > 0.7f * track.box.area() && difference < 0.5f)
    return true;
  const float fastest = std::max(std::hypot(a.dx, a.dy), std::hypot(b.dx, b.dy));
  if (occlusion.last_sharer == older.serial && occlusion.exceeded >= exceed_frames) return true;
  return occlusion.last_sharer == older.serial && occlusion.shared_balance >= merge_frames &&
         (difference < 0.5f + 0.1f * fastest || held_back(track) || held_back(older));
}

bool held_back(const Track &track) {
  return track.occlusion.occluded_px > 0.5f * std::max(track.box.width(), track.box.height());
}

}  // namespace glcl::objects
