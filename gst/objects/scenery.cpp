// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenery.h"

#include <algorithm>
#include <cmath>

namespace glcl::objects {

namespace {

constexpr int cell_side = 8;                // px of the reduced frame
constexpr float learned_seconds = 20;       // of motion in place
constexpr float most_seconds = 40;          // of these are remembered
constexpr double forgotten_part = 1.0 / 3;  // s of motion that are forgotten per s
constexpr double portion = 3;               // s of motion that are learned at once
constexpr double least_seconds = 0.5;       // of a track
// A track that stays has come less far, in sizes, or has returned by more than this part.
constexpr float still_way = 0.15f, returning_part = 0.6f;
constexpr float scenery_part = 0.6f;  // of a box
constexpr double passing_weight =
    6;                            // s of motion that are forgotten per s in which something passes
constexpr float passing_way = 1;  // sizes; nothing learns from a track that has come further
constexpr float leaving_way = 2;  // sizes; such a track is an object also within dynamic background

bool stays(const TrackTravel &travel) {
  return travel.way < still_way || travel.off <= returning_part * travel.way;
}

}  // namespace

void Scenery::pass(const camera::FrameGeometry &frame, double seconds) {
  side_ = cell_side * frame.reduction;
  columns_ = (frame.size.s[0] + cell_side - 1) / cell_side;
  rows_ = (frame.size.s[1] + cell_side - 1) / cell_side;
  cells_.resize(size_t(columns_) * size_t(rows_));
  const auto less = float(forgotten_part * seconds);
  for (float &cell : cells_) cell = std::max(cell - less, 0.0f);
}

Scenery::SceneryCells Scenery::span_of(const RectF &box) const {
  const auto first = [this](float at, int most) {
    return std::clamp(int(std::floor(at / side_)), 0, most);
  };
  const auto end = [this](float at, int most) {
    return std::clamp(int(std::ceil(at / side_)), 0, most);
  };
  return {first(box.left, columns_), first(box.top, rows_), end(box.right, columns_),
          end(box.bottom, rows_)};
}

void Scenery::learn(const RectF &box, double seconds) {
  const float by = side_ / 2;
  const SceneryCells span = span_of({box.left - by, box.top - by, box.right + by, box.bottom + by});
  const auto more = float((seconds > 0 ? 1 + forgotten_part : 1) * seconds);
  for (int y = span.top; y < span.bottom; y++)
    for (int x = span.left; x < span.right; x++) {
      float &cell = cells_[size_t(y) * size_t(columns_) + size_t(x)];
      cell = std::clamp(cell + more, 0.0f, most_seconds);
    }
}

void Scenery::follow(Track &track, double seconds) {
  TrackTravel &travel = track.motion.travel;
  const RectF &box = track.box, &start = travel.first;
  if (travel.largest <= 0) travel.first = box;
  travel.largest = std::max({travel.largest, box.width(), box.height()});
  travel.off =
      std::hypot(box.x() - start.x(), box.y() - start.y()) / std::max(travel.largest, 1.0f);
  travel.way = std::max(travel.way, travel.off);
  // Where something passes, less is learned. Waves of a flag or of water stay in their place.
  if (travel.way >= passing_way)
    return learn(box, contains(track) ? seconds : -passing_weight * seconds);
  travel.swept = travel.seconds > 0 ? united(travel.swept, box) : box;
  travel.seconds += seconds;
  if (travel.seconds < portion || !stays(travel)) return;
  learn(travel.swept, travel.seconds);
  travel.seconds = 0;
}

void Scenery::end(const Track &track) {
  const TrackTravel &travel = track.motion.travel;
  if (stays(travel) && travel.way < passing_way && travel.seconds >= least_seconds)
    learn(travel.swept, travel.seconds);
}

bool Scenery::is_learned(const RectF &box) const {
  const auto [left, top, right, bottom] = span_of(box);
  int count = 0;
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      count += cells_[size_t(y) * size_t(columns_) + size_t(x)] >= learned_seconds;
  return float(count) >= scenery_part * float(std::max((right - left) * (bottom - top), 1));
}

bool Scenery::contains(const Track &track) const {
  return !cells_.empty() && track.motion.travel.way < leaving_way &&
         is_learned(track.motion.travel.first) && is_learned(track.box);
}

}  // namespace glcl::objects
