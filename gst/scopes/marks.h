// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "layout.h"
#include "noise/noise.h"
#include "opencl/kernel.h"
#include "scopes/interface.h"

namespace glcl::scopes {

/// Marks pixels of the picture: false colours by luma, edges in focus, colours outside of RGB, and
/// stripes over luma outside of limits.
class ScopeMarks {
 public:
  /// For frames of width × height px. Builds the kernels; throws Error::failed if the device
  /// refuses them.
  ScopeMarks(Context &context, int width, int height, const FrameFormat &frame);

  /// Enqueues the marks that the settings display. `frame` is in its own format. Pixels without
  /// marks stay as the canvas begins. Never waits.
  void run(Queue &queue, const ScopeSettings &settings, const Picture &frame,
           const drawing::Canvas &canvas);
  /// Forgets earlier frames: the next frame follows no other, or marks no edges in focus.
  void reset();
  /// The noise above which an edge is in focus, measured while `peaking` is displayed.
  const noise::Noise &noise() const { return noise_; }

 private:
  Marks marks_of(const ScopeSettings &settings, bool overlay) const;
  void measure_noise(Queue &queue, const Picture &frame);
  Plane plane(int which) const { return {luma_[which], pitch_, pitch_ + 1}; }

  ScopeValues values_;  // luma
  int width_, height_, pitch_;
  Kernel mark_, store_luma_;
  noise::Noise noise_;
  cl::Buffer luma_[2];  // of the last frames, with a margin of a texel; made when needed
  int current_ = 0;
  bool has_luma_ = false;  // the previous frame has its luma
};

}  // namespace glcl::scopes
