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
  /// True if fewer than `most` messages wait.
  bool has_room(GstElement *element, size_t most);
  /// Adds a message before it is posted. The message must not outlive this object.
  void add(GstMessage *message);
  /// True if a warning about dropped messages is due: once until there is room again.
  bool must_warn();

 private:
  void forget(guint32 seqnum);

  std::mutex mutex_;
  std::deque<guint32> seqnums_;  // in the order of posting
  bool warned_ = false;
};

}  // namespace glcl
