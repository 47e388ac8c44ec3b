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

/// Follows the frames and posts a message `shot` for every shot that begins. May be called from
/// several threads.
class ShotMessages {
 public:
  enum class Method { histogram, shape };
  static constexpr Histogram::Format format{Histogram::Mode::rgb, 256};

  /// The next frame, with the `values` that Shots or ShapeShots takes. `first`: it does not follow
  /// the one before, which also begins with another method.
  void follow(GstGLCLAnalyzer *self, Method method, uint64_t frame, bool first, double threshold,
              const FrameTimes &times, const uint32_t *values);
  /// Decides pending shots now, because no frame follows.
  void finish(GstGLCLAnalyzer *self);
  /// Forgets all frames.
  void drop();

 private:
  using Messages = std::vector<GstStructure *>;

  /// Adds the messages of shots. `mutex_` is held, and nothing is posted meanwhile.
  void tell(const std::vector<Shots::Shot> &shots, Messages &messages) const;
  void finish_locked(Messages &messages);

  std::mutex mutex_;
  Shots shots_;
  ShapeShots shape_shots_;
  std::deque<std::pair<uint64_t, FrameTimes>> times_;  // of the frames that a shot may begin at
};

}  // namespace glcl::histogram
