// SPDX-License-Identifier: LGPL-2.1-or-later
// The time of day and the size of the frames that messages are about.
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <optional>
#include <string>

namespace glcl::events {

/// Facts about the frame of a message that the message lacks.
struct FrameFacts {
  gint64 utc = 0;             ///< time of day, µs since 1970
  int width = 0, height = 0;  ///< px; 0: unknown
};

/// Finds these facts. Any thread.
class FrameFactsFinder {
 public:
  /// The time of day is `start`, µs since 1970, plus the running time or, without `start`, the time
  /// at which the pipeline's clock reaches the frame.
  FrameFactsFinder(GstElement *pipeline, std::optional<gint64> start)
      : pipeline_(pipeline), start_(start) {}

  /// The facts about a message's frame. Call it on the thread that posts the message, before the
  /// next frame changes the size.
  FrameFacts facts_of(GstMessage *message);

 private:
  gint64 utc_of_start() const;
  gint64 utc_at(GstClockTime running_time);

  GstElement *pipeline_;
  std::mutex mutex_;
  std::optional<gint64> start_, measured_start_;
};

/// A time of day, µs since 1970, in the form of RFC 3339 with µs: 2024-05-01T12:00:00.040000Z.
std::string utc_text(gint64 utc);
/// The time of a text in the form of ISO 8601; UTC without a time zone. None if it is invalid.
std::optional<gint64> utc_of(const char *text);

}  // namespace glcl::events
