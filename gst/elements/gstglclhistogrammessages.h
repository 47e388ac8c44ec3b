// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages of glclhistogram.
#pragma once

#include <deque>
#include <mutex>

#include "base/gstglclanalyzer.h"
#include "histogram/histogram.h"
#include "histogram/shapeshots.h"
#include "histogram/shots.h"

namespace glcl::histogram {

/// The value of the property `mode` that stands for a format, and its name.
int mode_of(const Histogram::Format &format);
const char *mode_name(int mode);

/// Posts the message `glclhistogram`: counts of `pixels` pixels in a format.
void post(GstGLCLAnalyzer *self, const FrameTimes &times, const Histogram::Format &format,
          guint64 pixels, const uint32_t *counts);

/// Detects shot boundaries and posts a message `shot` for each. May be called from several threads.
class ShotMessages {
 public:
  enum class Method { histogram, shape };
  static constexpr Histogram::Format format{Histogram::Mode::rgb, 256};

  /// Adds a frame with the `values` for Shots or ShapeShots. `first`: it does not continue the
  /// previous frame, or the method changed.
  void follow(GstGLCLAnalyzer *self, Method method, uint64_t frame, bool first, double threshold,
              const FrameTimes &times, const uint32_t *values);
  /// Ends the stream: posts the pending boundaries.
  void finish(GstGLCLAnalyzer *self);
  /// Discards all frames.
  void drop();

 private:
  using Messages = std::vector<GstStructure *>;

  /// Adds messages for shots. Requires `mutex_`; posting happens after it is released.
  void add_messages(const std::vector<Shots::Shot> &shots, Messages &messages) const;
  void finish_locked(Messages &messages);

  std::mutex mutex_;
  Shots shots_;
  ShapeShots shape_shots_;
  std::deque<std::pair<uint64_t, FrameTimes>> times_;  // of the frames at which a shot may begin
};

}  // namespace glcl::histogram
