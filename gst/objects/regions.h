// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/camera.h"
#include "motiongroups.h"
#include "objects/interface.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Finds boxes around the foreground on the device: cells of REGION_CELL px a side with at least 3
/// foreground pixels, and their neighbours with 2, form regions. Neighbouring cells belong to the
/// same region. So do cells at a distance of two if neither is solid: a cell is solid if one of the
/// four blocks of 2×2 cells around it has 14 foreground pixels. Nothing waits.
class Regions {
 public:
  Regions() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  Regions(Context &context, const camera::FrameGeometry &frame);
  Regions(Context &context, const camera::FrameGeometry &frame, size_t items);

  /// Limits detection to pixels where `mask` is not 0: levels of any size, scaled to the frame.
  /// Null: no limit. Waits.
  void set_mask(Queue &queue, const unsigned char *mask, int width, int height);

  /// Enqueues the search for regions of at least `least` foreground pixels. `foreground`: of
  /// BackgroundModel or ShadowDetector; `small`: the reduced frame. If more than 0.6 of the frame
  /// is foreground, the frame is a cut: `state` makes the next frame restart, and the list is
  /// empty. `deviation`: BackgroundModel::deviation(), which is updated for the next frame.
  /// `changes`: of ShadowDetector; null: regions have none.
  void run(Queue &queue, int least, const cl::Buffer &foreground, const cl::Buffer &small,
           const MotionGroups &groups, const cl::Buffer &state, const cl::Buffer &deviation,
           const cl::Buffer *changes = nullptr);

  /// Enqueues the mask after run(): a byte per pixel, row by row, into `out` from `offset` on. It
  /// is 1 for foreground in the box of a region, 2 for shadows, 3 for the overlay, else 0.
  void mask(Queue &queue, const cl::Buffer &foreground, const cl::Buffer &out, size_t offset);

  /// A RegionList, with a copy of the state, and after it room for SceneSums.
  const cl::Buffer &list() const { return region_list_; }

 private:
  camera::FrameGeometry frame_{};
  cl_int2 cells_{};
  Kernel cells_kernel_, join_, gather_, list_, mask_kernel_;
  cl::Buffer mask_, cell_words_, labels_, regions_, roots_, region_list_;
};

}  // namespace glcl::objects
