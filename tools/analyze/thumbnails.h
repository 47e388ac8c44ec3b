// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "table.h"

namespace glcl::analyze {

/// Small pictures of the last frames. They stay in textures until one is needed, because a shot is
/// reported some frames after its start.
class Thumbnails {
 public:
  static constexpr int width = 160;
  /// The longest delay of a shot, 65 frames, and the delay of the elements.
  static constexpr size_t capacity = 128;
  /// The longest wait for a picture. A busy machine takes seconds for the first one.
  static constexpr std::chrono::seconds patience{60};

  /// Takes the frames of an appsink.
  explicit Thumbnails(GstElement *sink);
  ~Thumbnails();
  Thumbnails(const Thumbnails &) = delete;
  Thumbnails &operator=(const Thumbnails &) = delete;

  /// Writes the picture of a frame, or of the oldest kept frame: a line of JSON with `time`,
  /// `width` and `height`, then its RGB pixels. Waits for the picture until the end of the stream
  /// or a flush, at most as long as `patience`. False without a picture.
  bool write(GstClockTime timestamp, GstClockTime time, Writer &to);
  void clear();
  /// Waits for no further picture until clear().
  void end();

 private:
  void add(GstSample *sample);
  GstSample *find(GstClockTime timestamp) const;
  GstSample *wait_for(GstClockTime timestamp);

  GstElement *sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<GstSample *> samples_;
  bool ended_ = false;
  unsigned flushes_ = 0;
};

}  // namespace glcl::analyze
