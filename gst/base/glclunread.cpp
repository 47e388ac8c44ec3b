// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclunread.h"

#include <algorithm>
#include <utility>

namespace glcl {

namespace {

/// The message that the application takes next; null if no message waits. Transfer full.
GstMessage *next_message(GstElement *element) {
  auto *top = GST_OBJECT(gst_object_ref(element));
  while (GstObject *parent = gst_object_get_parent(top)) {
    gst_object_unref(top);
    top = parent;
  }
  GstBus *bus = GST_IS_ELEMENT(top) ? gst_element_get_bus(GST_ELEMENT(top)) : nullptr;
  GstMessage *next = bus ? gst_bus_peek(bus) : nullptr;
  gst_clear_object(&bus);
  gst_object_unref(top);
  return next;
}

}  // namespace

bool Unread::has_room(GstElement *element, size_t most) {
  std::unique_lock lock(mutex_);
  if (seqnums_.size() >= most) {
    lock.unlock();
    GstMessage *next = next_message(element);
    lock.lock();
    // Drop the numbers of messages already taken: a bus returns messages in the order of creation.
    while (!seqnums_.empty() &&
           (!next || gst_util_seqnum_compare(seqnums_.front(), GST_MESSAGE_SEQNUM(next)) < 0))
      seqnums_.pop_front();
    lock.unlock();
    gst_clear_message(&next);
    lock.lock();
  }
  const bool has_space = seqnums_.size() < most;
  warned_ = warned_ && !has_space;
  return has_space;
}

bool Unread::add(GstElement *element, GstMessage *message, size_t most) {
  const std::lock_guard adding(adding_);
  if (!has_room(element, most)) return false;
  gst_mini_object_weak_ref(
      GST_MINI_OBJECT(message),
      [](gpointer self, GstMiniObject *gone) {
        static_cast<Unread *>(self)->forget(GST_MESSAGE_SEQNUM(gone));
      },
      this);
  const std::lock_guard lock(mutex_);
  seqnums_.push_back(GST_MESSAGE_SEQNUM(message));
  return true;
}

bool Unread::must_warn() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(warned_, true);
}

void Unread::forget(guint32 seqnum) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(seqnums_.begin(), seqnums_.end(), seqnum);
  if (found != seqnums_.end()) seqnums_.erase(found);
}

}  // namespace glcl
