// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <deque>
#include <mutex>

#include "table.h"

namespace glcl::analyze {

/// Small pictures of the last frames, which stay where they are, in textures, until one is asked
/// for: a shot is told of some frames after it began.
class Pictures {
 public:
  static constexpr int width = 160;
  /// The longest that a shot is told late, 65 frames, and what the elements are behind.
  static constexpr size_t kept = 128;

  /// Takes what comes to an appsink.
  explicit Pictures(GstElement *sink);
  ~Pictures();
  Pictures(const Pictures &) = delete;
  Pictures &operator=(const Pictures &) = delete;

  /// Writes the picture of a frame, or of the oldest one that is kept, as a line of JSON, with
  /// `time`, `width` and `height`, and the bytes of its pixels, RGB. Waits for it. False where
  /// there is none.
  bool write(GstClockTime timestamp, GstClockTime time, Writer &to);
  void clear();

 private:
  void add(GstSample *sample);
  GstSample *find(GstClockTime timestamp);

  GstElement *sink_;
  std::mutex mutex_;
  std::deque<GstSample *> samples_;
};

}  // namespace glcl::analyze
