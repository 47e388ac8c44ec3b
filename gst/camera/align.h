// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera.h"
#include "motion/plane.h"
#include "opencl/kernel.h"
#include "rowbrightness.h"

namespace glcl::camera {

/// Aligns frames with the background model to hundredths of a pixel: estimates the motion, a gain
/// and an offset by robust least squares over the pixels (Geman and McClure). It starts from the
/// motion of the vectors and takes ALIGN_STEPS Gauss-Newton steps. Nothing waits.
class Align {
 public:
  Align() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  Align(Context &context, const FrameGeometry &frame);

  /// Enqueues a frame's reduction to small().
  void shrink(Queue &queue, const motion::LumaPlane &plane);
  const cl::Buffer &small() const { return small_; }
  /// The brightness of the last frame's rows.
  const RowBrightness &rows() const { return rows_; }

  /// Enqueues the alignment of small() with the background, given in the format of
  /// objects::BackgroundModel: levels, history, and the foreground of the previous frame, which is
  /// ignored. Writes fits, step and path of `state`, a CameraState. `first`: no frame precedes this
  /// one.
  void run(Queue &queue, Compensation compensation, bool first, const cl::Buffer &background,
           const cl::Buffer &history, const cl::Buffer &foreground, const cl::Buffer &state);

 private:
  FrameGeometry frame_{};
  int groups_;  // of camera_align
  RowBrightness rows_;
  Kernel shrink_, align_, update_state_;
  cl::Buffer small_, sums_[2];
};

}  // namespace glcl::camera
