// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclgatequeue.h"

#include <algorithm>

namespace glcl::gate {

void GateQueue::clear() {
  for (const GateFrame &frame : frames_) gst_buffer_unref(frame.buffer);
  frames_.clear();
  continues_ = needs_key_ = overflowed_ = false;
}

GstClockTime GateQueue::oldest(GstClockTime otherwise) const {
  const auto first =
      std::min_element(frames_.begin(), frames_.end(),
                       [](const GateFrame &a, const GateFrame &b) { return a.shown < b.shown; });
  return first == frames_.end() ? otherwise : first->shown;
}

void GateQueue::release_one(Fate fate, const Release &to) {
  const GateFrame frame = frames_.front();
  frames_.pop_front();
  to(frame, fate);  // it may ask whether the frame continues
  continues_ = fate == Fate::pass;
}

void GateQueue::release_first(size_t count, Fate fate, const Release &to) {
  for (; count > 0; count--) release_one(fate, to);
}

/// The fates of the frames up to the last covered one.
std::vector<Fate> GateQueue::fates(const std::vector<bool> &covered) {
  std::vector<Fate> fates(covered.size(), Fate::drop);
  bool continues = continues_;
  for (size_t i = 0; i < covered.size();) {
    // The run of frames up to the next covered one, which may need those before it.
    size_t next = i;
    while (!covered[next]) next++;
    size_t start = next;
    while (start > i && !frames_[start].key) start--;
    if (!frames_[start].key) {
      if (!continues) {
        needs_key_ = true;
        start = next + 1;  // none of them can be decoded
      } else {
        start = i;
      }
    }
    for (size_t j = start; j <= next; j++) fates[j] = Fate::pass;
    continues = start <= next;
    i = next + 1;
  }
  return fates;
}

/// The number of first frames that no event can need any more.
size_t GateQueue::too_old(GstClockTime newest, const Limits &limits) {
  size_t old = 0;
  while (old < frames_.size() && frames_[old].time + limits.pre < newest) old++;
  size_t needed = old > limits.late ? old - limits.late : 0;
  while (needed > 0 && !frames_[needed].key) needed--;
  if (needed == 0 && old > limits.late && !frames_[0].key) {
    // Without a key frame before them, they are needed only by frames that follow passed ones.
    while (needed < old - limits.late && !frames_[needed].key) needed++;
  }
  if (frames_.size() - needed > limits.most) {
    overflowed_ = true;
    needed = frames_.size() - limits.most;
    while (needed < frames_.size() && !frames_[needed].key) needed++;
  }
  return needed;
}

void GateQueue::release(const std::function<bool(GstClockTime)> &covers, GstClockTime newest,
                        const Limits &limits, const Release &to) {
  std::vector<bool> covered;
  size_t end = 0;
  for (const GateFrame &frame : frames_) {
    covered.push_back(covers(frame.shown));
    if (covered.back()) end = covered.size();
  }
  covered.resize(end);
  for (const Fate fate : fates(covered)) release_one(fate, to);
  release_first(too_old(newest, limits), Fate::drop, to);
}

}  // namespace glcl::gate
