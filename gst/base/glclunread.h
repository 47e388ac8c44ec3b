// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <deque>
#include <mutex>

namespace glcl {

/// The messages of an element that wait on the application's bus, so that one that nobody reads
/// does not fill. What the application has taken from it counts no more, though it keeps the
/// message. Any thread.
class Unread {
 public:
  /// Whether fewer than `most` wait.
  bool has_room(GstElement *element, size_t most);
  /// One that is about to be posted. It must not outlive this.
  void add(GstMessage *message);
  /// Whether the application is to be told that messages are lost: once until there is room again.
  bool must_warn();

 private:
  void forget(guint32 seqnum);

  std::mutex mutex_;
  std::deque<guint32> seqnums_;  // in the order of posting
  bool warned_ = false;
};

}  // namespace glcl
