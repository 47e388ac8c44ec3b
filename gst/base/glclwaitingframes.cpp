// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclwaitingframes.h"

#include <algorithm>

namespace glcl {

void WaitingFrames::add(const WaitingFrame &frame) {
  items_.push_back({frame, nullptr});
  newest_ = GST_BUFFER_PTS(frame.buffer);
  frames_++;
}

bool WaitingFrames::is_due(int delay, GstClockTime duration) const {
  if (empty()) return false;
  if (frames_ > delay) return true;
  const GstClockTime oldest = GST_BUFFER_PTS(items_.front().frame.buffer);
  if (!duration || !GST_CLOCK_TIME_IS_VALID(oldest) || !GST_CLOCK_TIME_IS_VALID(newest_))
    return false;
  const GstClockTime waited = std::max(newest_, oldest) - std::min(newest_, oldest);
  return waited + duration / 2 >= GstClockTime(delay) * duration;  // timestamps are rounded
}

WaitingFrames::WaitingFrame WaitingFrames::take() {
  const WaitingFrame frame = items_.front().frame;
  items_.pop_front();
  frames_--;
  return frame;
}

void WaitingFrames::pass_events(const std::function<void(GstEvent *)> &pass) {
  while (!items_.empty() && items_.front().event) {
    GstEvent *event = items_.front().event;
    items_.pop_front();
    pass(event);
  }
}

void WaitingFrames::clear() {
  for (const WaitingItem &item : items_)
    if (item.event)
      gst_event_unref(item.event);
    else
      gst_buffer_unref(item.frame.buffer);
  items_.clear();
  frames_ = 0;
}

}  // namespace glcl
