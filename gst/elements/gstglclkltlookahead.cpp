// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclkltlookahead.h"

#include <utility>

namespace glcl::klt {

WaitingPicture &WaitingPictures::add(Queue &queue, const Picture &in) {
  WaitingPicture next;
  if (!free_.empty()) {
    next = std::move(free_.back());
    free_.pop_back();
  }
  const Picture &frame = next.frame;
  if (frame.width != in.width || frame.height != in.height || frame.layout != in.layout ||
      frame.format != in.format || frame.chroma.size() != in.chroma.size()) {
    next = {};
    next.frame = make_frame_like(queue.context().cl(), in);
  }
  next.has_drawing = next.moves = false;
  next.number.reset();
  next.report = {};
  waiting_.push_back(std::move(next));
  return waiting_.back();
}

void WaitingPictures::remove_last() { waiting_.pop_back(); }

void WaitingPictures::release_oldest() {
  waiting_.front().report = {};
  free_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  if (free_.size() > 1) free_.erase(free_.begin());  // as many as wait are enough
}

void WaitingPictures::clear() {
  waiting_.clear();
  free_.clear();
}

}  // namespace glcl::klt
