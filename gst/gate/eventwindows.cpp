// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eventwindows.h"

#include <algorithm>
#include <utility>

namespace glcl::gate {

void EventWindows::begin(const std::string &key, uint64_t time) {
  for (const Event &event : events_)
    if (!event.end && event.key == key) return;
  add({key, time, {}});
}

void EventWindows::end(const std::string &key, uint64_t time) {
  for (Event &event : events_)
    if (!event.end && event.key == key) {
      event.end = std::max(time, event.begin);
      return;
    }
}

/// Adds an event. If there are too many, the first two become one, which covers both.
void EventWindows::add(Event event) {
  events_.push_back(std::move(event));
  if (events_.size() <= most) return;
  Event &first = events_[0];
  const Event &second = events_[1];
  first.begin = std::min(first.begin, second.begin);
  if (!first.end || !second.end) {
    if (first.end) first.key = second.key;
    first.end.reset();
  } else {
    first.end = std::max(*first.end, *second.end);
  }
  events_.erase(events_.begin() + 1);
}

bool EventWindows::covers(uint64_t time, const Margins &margins) const {
  return std::any_of(events_.begin(), events_.end(), [&](const Event &event) {
    return time + margins.pre >= event.begin && (!event.end || time <= *event.end + margins.post);
  });
}

void EventWindows::forget_before(uint64_t time, const Margins &margins) {
  events_.erase(std::remove_if(events_.begin(), events_.end(),
                               [&](const Event &event) {
                                 return event.end && *event.end + margins.post < time;
                               }),
                events_.end());
}

}  // namespace glcl::gate
