// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <deque>
#include <mutex>

namespace glcl {

/// Counts the messages of an element that wait on the application's bus, so that an unread bus does
/// not grow without limit. Messages that the application has taken do not count, even if it keeps
/// them. Any thread.
class Unread {
 public:
  /// Adds a message of the element before it is posted; false if `most` messages wait. The message
  /// must not outlive this object.
  bool add(GstElement *element, GstMessage *message, size_t most);
  /// True if a warning about dropped messages is due: once until there is room again.
  bool must_warn();

 private:
  bool has_room(GstElement *element, size_t most);
  void forget(guint32 seqnum);

  std::mutex adding_;            // one message at a time
  std::mutex mutex_;             // guards the members below
  std::deque<guint32> seqnums_;  // in the order of posting
  bool warned_ = false;
};

}  // namespace glcl
