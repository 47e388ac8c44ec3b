// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "blank.h"
#include "noise/noise.h"
#include "points.h"
#include "pyramid.h"
#include "selection.h"
#include "tracking.h"

namespace glcl::klt {

/// Selects feature points in a frame and tracks them from frame to frame (Kanade, Lucas and
/// Tomasi). It keeps the pyramid of the previous frame for Tracking, and leaves out blank frames
/// (BlankFrames). Selection replaces lost points every `reselect` frames, and whenever fewer than
/// `min_features` are left. An id is never used twice. Everything is enqueued; nothing is
/// downloaded.
///
/// The noise of the frames is measured after each of the first 8 frames that follow another, then
/// after every 11th. Two equal frames, as of a repeated one, do not change it.
class Klt {
 public:
  struct Settings : Selection::Settings, Tracking::Settings {
    int features = 1000;   ///< points at most, 1..10000
    int reselect = 5;      ///< frames; 0: only by min_features
    int min_features = 1;  ///< 0..10000; 1: where none is left
    double noise = -1;     ///< of the frames, standard deviation in levels; below 0: measured
  };

  /// Builds the programs for frames of width × height px and allocates. Throws Error::settings
  /// where the device has not the memory, Error::failed where it refuses kernels.
  Klt(Context &context, int width, int height, const FrameFormat &frame);

  Layout layout() const { return frame_.layout; }

  /// Takes the next frame, a picture of the engine's size and layout; never waits. Any setting may
  /// differ from the last call's. All calls go to one queue.
  void run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets all points: the next frame does not follow the last one.
  void reset() { previous_levels_ = 0; }

  /// Enqueues the list of the last frame's points, Points::report().
  void report(Queue &queue) { points_.report(queue, features_, noise_.variances(), noise_known_); }
  const Points &points() const { return points_; }
  int features() const { return features_; }
  /// Whether the last frame followed none.
  bool fresh() const { return frames_ == 0; }

 private:
  int width_, height_;
  FrameFormat frame_;
  Pyramids pyramids_;
  Points points_;
  Selection selection_;
  noise::Noise noise_;
  Tracking tracking_;  // the first frame needs all but this
  BlankFrames blank_frames_;
  cl::Buffer previous_, current_;
  int previous_levels_ = 0;  // of the previous frame; 0 without one
  int features_ = 1;
  int frames_ = 0;  // since the points were forgotten
  int since_ = 0;   // the last choice of points that was due
  bool noise_known_ = false;
  double noise_set_ = -1;
};

}  // namespace glcl::klt
