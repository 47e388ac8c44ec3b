// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <deque>
#include <functional>

namespace glcl {

/// The frames whose output an element delays, with the events between them. A frame waits as a
/// buffer without memory that has its timestamps, flags and metas. Streaming thread.
class WaitingFrames {
 public:
  using Clock = std::chrono::steady_clock;
  struct WaitingFrame {
    GstBuffer *buffer;          ///< owned
    Clock::time_point arrival;  ///< at the element
  };

  WaitingFrames() = default;
  ~WaitingFrames() { clear(); }
  WaitingFrames(const WaitingFrames &) = delete;

  /// Adds a frame. Takes ownership.
  void add(const WaitingFrame &frame);
  /// Adds an event, which follows the frames so far. Takes ownership.
  void add(GstEvent *event) { items_.push_back({{nullptr, {}}, event}); }
  /// A frame with this timestamp has arrived and was dropped.
  void arrive(GstClockTime timestamp) { newest_ = timestamp; }
  /// True if no frame waits.
  bool empty() const { return frames_ == 0; }

  /// True if the oldest frame has waited for `delay` later frames, or for the time of so many
  /// frames, because some are missing. `duration`: of a frame, 0 if unknown.
  bool is_due(int delay, GstClockTime duration) const;
  /// Takes the oldest frame. There must be one. Transfer full.
  WaitingFrame take();
  /// Passes on the events before the oldest frame. `pass` takes ownership.
  void pass_events(const std::function<void(GstEvent *)> &pass);
  /// Drops everything.
  void clear();

 private:
  struct WaitingItem {
    WaitingFrame frame;
    GstEvent *event;  // instead of a frame, or null
  };
  std::deque<WaitingItem> items_;  // in the order of their arrival; the first one is a frame
  int frames_ = 0;
  GstClockTime newest_ = GST_CLOCK_TIME_NONE;  // timestamp of the last frame that arrived
};

}  // namespace glcl
