// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "blank.h"
#include "framenoise.h"
#include "points.h"
#include "pyramid.h"
#include "selection.h"
#include "tracking.h"

namespace glcl::klt {

/// Selects feature points in a frame and tracks them from frame to frame (Kanade, Lucas and
/// Tomasi). It keeps the pyramid of the previous frame for Tracking, and skips blank frames, see
/// BlankFrames. Selection replaces lost points every `reselect` frames, and whenever fewer than
/// `min_features` remain. An id is never used twice. All work is enqueued; no call waits.
/// A frame that repeats the previous one does not change the noise, see FrameNoise.
class Klt {
 public:
  struct Settings : Selection::Settings, Tracking::Settings {
    int features = 1000;   ///< maximum number of points, 1..10000
    int reselect = 5;      ///< frames between selections; 0: only by min_features
    int min_features = 1;  ///< fewer points cause a selection, 0..10000
    double noise = -1;     ///< standard deviation of the frames' noise, levels; below 0: measured
  };

  /// Builds the programs for frames of width × height px and allocates. Throws Error::settings
  /// if the device lacks memory, Error::failed if it refuses kernels.
  Klt(Context &context, int width, int height, const FrameFormat &frame);

  Layout layout() const { return frame_.layout; }
  /// Changes the pixel format of the next frames, in the same layout; the points stay. Throws
  /// Error::failed if the device refuses kernels.
  void set_format(Context &context, const FrameFormat &frame) {
    pyramids_.set_format(context, frame);
    frame_ = frame;
  }

  /// Takes the next frame, a picture of the engine's size and layout; never waits. Any setting may
  /// change between calls. All calls use one queue. Throws Error::settings for other pictures,
  /// Error::failed if OpenCL refuses.
  void run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets all points and the previous frame.
  void reset() { previous_levels_ = 0; }

  /// Enqueues the report of the last frame, see Points::report().
  void report(Queue &queue) {
    points_.report(queue, features_, noise_.variances(), noise_.known());
  }
  const Points &points() const { return points_; }
  /// The slots in use.
  int features() const { return features_; }
  /// True if the last frame had no predecessor.
  bool fresh() const { return frames_ == 0; }

 private:
  int width_, height_;
  FrameFormat frame_;
  Pyramids pyramids_;
  Points points_;
  Selection selection_;
  FrameNoise noise_;
  Tracking tracking_;
  BlankFrames blank_frames_;
  cl::Buffer previous_, current_;
  int previous_levels_ = 0;  // of the last frame; 0 without one
  int features_ = 1;
  int frames_ = 0;          // since the first frame after reset()
  int last_selection_ = 0;  // frame of the last selection that was due
};

}  // namespace glcl::klt
