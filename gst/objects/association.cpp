// SPDX-License-Identifier: LGPL-2.1-or-later
#include "association.h"

#include <algorithm>
#include <cmath>

#include "occlusion.h"

namespace glcl::objects {

namespace {

constexpr float most_unlike = 1;       // difference_of(): a factor of two in size, or 24 levels
constexpr float usual_speed = 0.25f;   // parts of the frame's longer side per frame
constexpr float least_clear = 0.7f;    // score of a region that is a separate object
constexpr float least_common = 0.3f;   // part of both together
constexpr float most_fragment = 0.5f;  // part of the area of its region
constexpr float least_change = 4;      // levels, of a region whose outline can be soft
constexpr float soft_gaps = 0.5f;      // softness from which gaps are full of light
constexpr float most_outside = 1.8f;   // cells outside, relative to those around the box

float overlap(const RectF &a, const RectF &b) {  // part of the smaller rectangle
  return common_area(a, b) / std::max(std::min(a.area(), b.area()), 1.0f);
}

RectF grown(const RectF &box, float by) {
  return {box.left - by, box.top - by, box.right + by, box.bottom + by};
}

/// True if two regions fill their common box about as densely as the larger one fills its own box:
/// then they are parts of one object.
bool fills(const Detection &a, const Detection &b) {
  const Detection &larger = a.area >= b.area ? a : b;
  return (a.area + b.area) * larger.box.area() >= 0.5f * larger.area * united(a.box, b.box).area();
}

/// The mean change just outside of a region, as part of its magnitude inside. Light and soft
/// shadows fade away; objects end. 0 for regions with many gaps, unless light fills these.
float softness_of(const Region &region) {
  const float inside = float(region.change) / float(std::max(region.cells, 1));
  const int width = region.right + 1 - region.left, height = region.bottom + 1 - region.top;
  if (!region.outside || inside < least_change * CHANGE_UNIT * REGION_CELL * REGION_CELL) return 0;
  const bool gaps =
      float(region.outside * REGION_CELL) > most_outside * float(2 * (width + height));
  const float outside = float(region.outside_change) / float(region.outside),
              softness = std::min(std::abs(outside) / inside, 1.0f);
  return gaps && softness < soft_gaps ? 0 : softness;
}

/// A region that moves by itself belongs to the track that covers most of it, not to fragments.
void drop_fragments(const std::vector<Track> &tracks, const Detection &found,
                    std::vector<size_t> &claims) {
  const auto covered = [&](size_t t) { return common_area(tracks[t].box, found.box); };
  const auto covers = [&](size_t t) { return covered(t) >= 0.5f * found.box.area(); };
  if (std::none_of(claims.begin(), claims.end(), covers)) return;
  claims.erase(std::remove_if(claims.begin(), claims.end(),
                              [&](size_t t) { return covered(t) < 0.25f * found.box.area(); }),
               claims.end());
}

/// Assigns detections to the tracks predicted there. Known tracks take precedence over new ones.
Claims claim(const std::vector<Track> &tracks, std::vector<Detection> &list) {
  Claims claimed(tracks.size());
  for (size_t d = 0; d < list.size(); d++) {
    std::vector<size_t> claims;
    bool some_known = false;
    for (size_t t = 0; t < tracks.size(); t++) {
      const Track &track = tracks[t];
      const float reach =
          0.15f * std::max(track.box.width(), track.box.height()) + 2 + 2.0f * float(track.missed);
      if (overlap(grown(track.box, reach), list[d].box) <= 0.3f) continue;
      // A region that moves by itself is not what stood still there.
      if (list[d].moving && !track.motion.moving &&
          (!track.object.id || common_area(track.box, list[d].box) <
                                   least_common * united(track.box, list[d].box).area()))
        continue;
      claims.push_back(t);
      some_known |= track.established();
    }
    if (list[d].moving) drop_fragments(tracks, list[d], claims);
    for (size_t t : claims) {
      if (claims.size() > 1 && (some_known ? !tracks[t].established() : t != claims[0])) continue;
      claimed[t].push_back(int(d));
      list[d].claims++;
    }
  }
  return claimed;
}

/// If some detections of a track move by themselves, keeps the nearest of these and what lies in
/// its box.
void keep_moving(const Track &track, std::vector<int> &mine, std::vector<Detection> &list) {
  const Detection *main = nullptr;
  float best = -1;
  for (int d : mine) {
    const Detection &one = list[size_t(d)];
    const float common = common_area(one.box, track.box);
    if (one.moving && common > best) main = &one, best = common;
  }
  if (!main) return;
  const auto stays = [&](int d) {
    const Detection &one = list[size_t(d)];
    return &one == main || common_area(main->box, one.box) > 0.5f * one.box.area();
  };
  const auto kept = std::stable_partition(mine.begin(), mine.end(), stays);
  for (auto d = kept; d != mine.end(); d++) list[size_t(*d)].claims--;
  mine.erase(kept, mine.end());
}

/// Keeps only the nearest detection of a track if all its detections together exceed its size.
void keep_nearest(const Track &track, std::vector<int> &mine, std::vector<Detection> &list) {
  const RectF &expected = track.box;
  if (mine.size() < 2 || !track.established()) return;
  std::sort(mine.begin(), mine.end(), [&](int a, int b) {
    return common_area(list[size_t(a)].box, expected) > common_area(list[size_t(b)].box, expected);
  });
  Detection all = list[size_t(mine[0])];
  for (size_t i = 1; i < mine.size();) {
    Detection &other = list[size_t(mine[i])];
    const RectF more = united(all.box, other.box);
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

/// The difference of a track and a region, at least 0. At the frame's edge the size is ignored.
float difference_of(const Track &track, const Detection &found, const FrameSize &size) {
  const auto ratio = [](float a, float b) {
    return std::log2(std::max(a, 1.0f) / std::max(b, 1.0f));
  };
  const auto at_edge = [](float low, float high, float length) {
    return low <= 1 || high >= length - 1;
  };
  const RectF &a = track.observed, &b = found.box;
  const auto width = float(size.width), height = float(size.height);
  const float wider = at_edge(a.left, a.right, width) || at_edge(b.left, b.right, width)
                          ? 0
                          : ratio(a.width(), b.width()),
              higher = at_edge(a.top, a.bottom, height) || at_edge(b.top, b.bottom, height)
                           ? 0
                           : ratio(a.height(), b.height()),
              lighter = (found.level - track.level) / 24;
  return std::max({std::abs(wider), std::abs(higher), std::abs(lighter)});
}

/// The distance up to which a track may have moved beyond its predicted place. A known velocity
/// changes only by a part of itself. `fastest`: px per frame.
float reach_of(const Track &track, float fastest) {
  const float length = std::max(track.box.width(), track.box.height()),
              on = 0.25f * std::hypot(track.motion.dx, track.motion.dy) +
                   (track.motion.jumps ? 0.5f * length : 0);
  return float(track.missed + 1) * (track.found > 1 ? std::min(on, fastest) : fastest);
}

/// A track and its region, as indices.
struct DistantMatch {
  size_t track;
  int detection;
};

/// The track without a region and the free region that are most alike; null if none are alike.
std::optional<DistantMatch> best_match(const std::vector<Track> &tracks, float fastest,
                                       const FrameSize &size, const Claims &claimed,
                                       const std::vector<Detection> &list,
                                       const std::vector<int> &free) {
  float best = INFINITY;
  std::optional<DistantMatch> match;
  for (size_t t = 0; t < tracks.size(); t++) {
    const Track &track = tracks[t];
    if (!claimed[t].empty() || track.occlusion.shares_region || track.doubt.crowd) continue;
    const float reach = reach_of(track, fastest);
    for (int d : free) {
      const Detection &found = list[size_t(d)];
      const float distance =
                      std::hypot(found.box.x() - track.box.x(), found.box.y() - track.box.y()),
                  difference = difference_of(track, found, size),
                  cost = difference + 0.5f * distance / fastest;
      if (found.claims || distance > reach || difference > most_unlike || cost >= best) continue;
      best = cost;
      match = {t, d};
    }
  }
  return match;
}

}  // namespace

std::vector<Detection> detections(const RegionList &result, const camera::FrameGeometry &frame,
                                  const FrameSize &size) {
  std::vector<Detection> list;
  const camera::SimilarityMotion &offset = result.state.from_frame;
  const float scale = frame.reduction;
  for (int i = 0; i < std::min(result.count, MAX_REGIONS); i++) {
    const Region &r = result.regions[i];
    const RectF box = {float(r.left) * scale, float(r.top) * scale, float(r.right + 1) * scale,
                       float(r.bottom + 1) * scale};
    const float distance = float(r.distance) / (8 * float(std::max(r.area, 1)));
    list.push_back(
        {clipped(box.moved(offset.x * scale, offset.y * scale), float(size.width),
                 float(size.height)),
         float(r.area) * scale * scale, std::clamp(1 - 1 / std::max(distance, 1.0f), 0.0f, 1.0f),
         float(r.levels) / float(std::max(r.area, 1)), r.moving > most_fragment * float(r.area),
         float(r.vx) / (4 * float(std::max(r.moving, 1))),
         float(r.vy) / (4 * float(std::max(r.moving, 1))), softness_of(r)});
  }
  // A fragment belongs to the larger region next to it. Faint objects break into parts of any size.
  const float near = 0.02f * float(std::min(size.width, size.height));
  for (size_t i = 0; i < list.size(); i++)
    for (size_t k = 0; k < list.size();) {
      const bool part = list[k].area <= most_fragment * list[i].area ||
                        std::min(list[i].score, list[k].score) < least_clear;
      const RectF around = grown(list[i].box, near);
      const bool inside =
          !list[k].moving && common_area(around, list[k].box) > 0.5f * list[k].box.area();
      if (k != i && part && common_area(around, list[k].box) > 0 && fills(list[i], list[k]) &&
          (inside || !(list[i].moving || list[k].moving))) {
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

Claims associate(const std::vector<Track> &tracks, std::vector<Detection> &list) {
  Claims claimed = claim(tracks, list);
  for (size_t t = 0; t < tracks.size(); t++) keep_moving(tracks[t], claimed[t], list);
  for (size_t t = 0; t < tracks.size(); t++) keep_nearest(tracks[t], claimed[t], list);
  for (size_t t = 0; t < tracks.size(); t++)
    for (size_t o = 0; o < t; o++)
      if (tracks[t].established() && tracks[o].established()) separate(tracks, t, o, claimed, list);
  return claimed;
}

std::vector<bool> match_distant(const std::vector<Track> &tracks, double max_speed, double least,
                                const FrameSize &size, Claims &claimed,
                                std::vector<Detection> &list) {
  std::vector<bool> jumped(tracks.size());
  std::vector<int> free;
  for (size_t d = 0; d < list.size(); d++)
    if (!list[d].claims && list[d].area >= float(least)) free.push_back(int(d));
  if (free.size() >= crowd_size) return jumped;
  const auto longer = float(std::max(size.width, size.height));
  const float fastest = max_speed > 0 ? float(max_speed) : usual_speed * longer;
  while (const std::optional<DistantMatch> best =
             best_match(tracks, fastest, size, claimed, list, free)) {
    claimed[best->track] = {best->detection};
    list[size_t(best->detection)].claims = 1;
    jumped[best->track] = true;
  }
  return jumped;
}

}  // namespace glcl::objects
