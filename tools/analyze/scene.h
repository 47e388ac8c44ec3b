// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <mutex>

#include "folder.h"

namespace glcl::analyze {

/// A picture of the scene, on which the page draws zones and lines: the first frame of the range.
/// Any thread.
class Scene {
 public:
  static constexpr int most_width = 640, most_height = 4096;  ///< px, of the picture

  Scene() = default;
  ~Scene() { forget(); }
  Scene(const Scene &) = delete;
  Scene &operator=(const Scene &) = delete;

  /// Takes the frame of a pad if it is the first with a stream time of at least `from`.
  void offer(GstPad *pad, GstBuffer *frame, GstClockTime from);
  void forget();
  /// Writes scene.rgb: a line of JSON with `width` and `height`, then RGB pixels. Writes nothing
  /// without a frame, or if it can't be read.
  void write(const Folder &folder);

 private:
  std::mutex mutex_;
  GstSample *sample_ = nullptr;
};

}  // namespace glcl::analyze
