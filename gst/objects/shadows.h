// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "backgroundmodel.h"
#include "opencl/picture.h"

namespace glcl::objects {

/// Marks shadows in the foreground mask, and keeps the colours of the background for this. A shadow
/// scales red, green and blue of the background by one factor from 0.5 to 1. Without texture and
/// colour there is no evidence, so a dark region is an object. It never waits for the device.
class ShadowDetector {
 public:
  ShadowDetector() = default;
  /// For frames in pictures of a layout. `in_flight`: the number of calls of sample_colours() that
  /// may come before the first one's run(). Throws Error::failed if the device refuses kernels or
  /// memory.
  ShadowDetector(Context &context, const camera::FrameGeometry &frame, const FrameFormat &format,
                 int in_flight);

  /// Sets another pixel format or colorimetry for the next frames.
  void set_format(Context &context, const FrameFormat &format);

  /// Enqueues the copy of a frame's colours.
  void sample_colours(Queue &queue, const Picture &in);
  /// Enqueues the detection in the last frame of sample_colours(), after BackgroundModel::run().
  /// `small`: the reduced frame. `restart`: the previous frame was skipped.
  void run(Queue &queue, const cl::Buffer &small, const cl::Buffer &state,
           const BackgroundModel &background, bool restart);

  /// The copy of the last frame's colours: as colours().
  const cl::Buffer &sampled() const { return sampled_[last_]; }
  /// Like BackgroundModel::foreground(), but 1 for shadows.
  const cl::Buffer &foreground() const { return foreground_; }
  /// short per pixel: its level above that of the background, in CHANGE_UNIT.
  const cl::Buffer &changes() const { return changes_; }
  /// short2: R − Y and B − Y of the background, levels · 64.
  const cl::Buffer &colours() const { return colours_[now_]; }

 private:
  camera::FrameGeometry frame_{};
  Kernel sample_, mark_;
  std::vector<cl::Buffer> sampled_;  // colours of frames, used in turn
  size_t last_ = 0;                  // the latest of them
  cl::Buffer colours_[2], foreground_, changes_;
  int now_ = 0;
};

}  // namespace glcl::objects
