// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera.h"
#include "opencl/kernel.h"

namespace glcl::camera {

/// Measures the brightness of rows: lamps on the mains, seen by a rolling shutter, cause bands that
/// roll through the frames. For each band of ROW_BAND rows of a reduced frame it computes the
/// brightness relative to the background, the median over its pixels. The ratio is used if more
/// than half of the bands changed by 1 to 2 %, and by less from frame to frame after that. Nothing
/// waits.
class RowBrightness {
 public:
  RowBrightness() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  RowBrightness(Context &context, const FrameGeometry &frame);

  /// The background model, in the format of Align::run().
  struct Model {
    const cl::Buffer &background, &history, &foreground, &state;
  };
  /// Enqueues the estimate for the alignment of a frame, with its vectors if `motion`.
  void estimate(Queue &queue, const cl::Buffer &small, const Model &model, bool motion);
  /// Enqueues the measurement after the alignment.
  void measure(Queue &queue, const cl::Buffer &small, const Model &model);

  /// Floats in the order of camera/interface.h from ROLL_PART on: the estimate, and the
  /// measurement.
  const cl::Buffer &estimated() const { return estimated_; }
  const cl::Buffer &brightness() const { return rows_[now_]; }
  cl_int bands() const { return bands_; }

 private:
  void run(Queue &queue, const cl::Buffer &small, const Model &model,
           const RowMeasurement &measurement, const cl::Buffer &before, const cl::Buffer &rows);
  FrameGeometry frame_{};
  Kernel kernel_;
  size_t items_ = 1;
  cl_int bands_ = 0;
  cl::Buffer estimated_, rows_[2], tally_;
  int now_ = 0;
};

}  // namespace glcl::camera
