// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sharpestframes.h"

#include <algorithm>

namespace glcl::histogram {

void SharpestFrames::add(uint64_t frame, uint64_t time, double sharpness) {
  if (!begun_) shots_.push_back({frame, frame});
  begun_ = true;
  frames_.push_back({frame, time, sharpness});
}

void SharpestFrames::begin(const Shots::Shot &shot) {
  const auto next = std::find_if(shots_.begin(), shots_.end(),
                                 [&](const Undecided &one) { return one.first > shot.end; });
  shots_.insert(next, {shot.end, shot.begin});
}

std::vector<SharpestFrames::ShotFrame> SharpestFrames::choose(bool all) {
  std::vector<ShotFrame> choices;
  while (!shots_.empty()) {
    const Undecided shot = shots_.front();
    const auto first = std::find_if(frames_.begin(), frames_.end(),
                                    [&](const Frame &frame) { return frame.number >= shot.first; });
    if (first == frames_.end() && !all) break;
    const uint64_t end = shots_.size() > 1 ? shots_[1].previous_end : UINT64_MAX;
    const auto is_candidate = [&](const Frame &frame) {
      return frame.number < end && frame.time != no_time && first->time <= frame.time &&
             frame.time - first->time < within_;
    };
    auto next = first, best = first;
    while (next != frames_.end() && (next == first || is_candidate(*next))) {
      if (next->sharpness > best->sharpness) best = next;
      ++next;
    }
    if (!all && size_t(frames_.end() - next) < late) break;
    if (best != frames_.end()) choices.push_back({shot.first, best->number, best->sharpness});
    shots_.pop_front();
  }
  forget();
  return choices;
}

/// Boundaries may still come for the last frames, and choices for undecided shots.
void SharpestFrames::forget() {
  while (frames_.size() > 2 * late &&
         (shots_.empty() || frames_.front().number < shots_.front().first))
    frames_.pop_front();
}

std::vector<SharpestFrames::ShotFrame> SharpestFrames::settle() {
  std::vector<ShotFrame> choices = choose(true);
  frames_.clear();
  return choices;
}

}  // namespace glcl::histogram
