// SPDX-License-Identifier: LGPL-2.1-or-later
#include "boxtracker.h"

#include <algorithm>

namespace glcl::rules {

namespace {

constexpr float least_overlap = 0.3f;  // of the area that two boxes of an object cover together

float overlap(const RectF &a, const RectF &b) {
  const float common = common_area(a, b);
  return common / (a.area() + b.area() - common);
}

}  // namespace

void BoxTracker::take(Follow &follow, const GivenBox &box) {
  follow.object.box = box.box;
  follow.object.type = box.type;
  if (box.id) follow.given = box.id;
  follow.missing = 0;
  follow.found = true;
}

/// Gives the remaining boxes to objects that were not found, those that overlap most first.
void BoxTracker::match_by_overlap(const std::vector<GivenBox> &boxes, std::vector<bool> &used) {
  struct Pair {
    float overlap;
    size_t follow, box;
  };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < follows_.size(); i++)
    for (size_t k = 0; k < boxes.size(); k++) {
      if (follows_[i].found || used[k]) continue;
      const float common = overlap(follows_[i].object.box, boxes[k].box);
      if (common >= least_overlap) pairs.push_back({common, i, k});
    }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair &a, const Pair &b) { return a.overlap > b.overlap; });
  for (const Pair &pair : pairs) {
    if (follows_[pair.follow].found || used[pair.box]) continue;
    take(follows_[pair.follow], boxes[pair.box]);
    used[pair.box] = true;
  }
}

/// The given number, unless it is 0 or an object has it; then one that no object has.
uint64_t BoxTracker::number_for(uint64_t given) {
  const auto taken = [this](uint64_t number) {
    return std::any_of(follows_.begin(), follows_.end(),
                       [number](const Follow &follow) { return follow.object.id == number; });
  };
  if (given && !taken(given)) return given;
  do last_own_++;
  while (taken(last_own_));
  return last_own_;
}

BoxTracker::Followed BoxTracker::step(const std::vector<GivenBox> &boxes, double seconds,
                                      double gap) {
  for (Follow &follow : follows_) follow.found = false;
  std::vector<bool> used(boxes.size());
  for (size_t k = 0; k < boxes.size(); k++)
    for (Follow &follow : follows_)
      if (boxes[k].id && follow.given == boxes[k].id && !follow.found && !used[k]) {
        take(follow, boxes[k]);
        used[k] = true;
      }
  match_by_overlap(boxes, used);
  Followed result;
  for (Follow &follow : follows_)
    if (!follow.found && (follow.missing += seconds) > gap) result.ended.push_back(follow.object);
  follows_.erase(std::remove_if(follows_.begin(), follows_.end(),
                                [gap](const Follow &follow) { return follow.missing > gap; }),
                 follows_.end());
  for (size_t k = 0; k < boxes.size(); k++) {
    if (used[k]) continue;
    const GivenBox &box = boxes[k];
    follows_.push_back({{number_for(box.id), box.box, box.type}, box.id, 0, true});
  }
  for (const Follow &follow : follows_)
    if (follow.found) result.found.push_back(follow.object);
  return result;
}

std::vector<RuleObject> BoxTracker::reset() {
  std::vector<RuleObject> ended;
  for (const Follow &follow : follows_) ended.push_back(follow.object);
  follows_.clear();
  return ended;
}

}  // namespace glcl::rules
