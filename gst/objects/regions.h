// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/camera.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// A region of pixels in front of the scenery; as the kernels lay it out.
struct Region {
  cl_int left, top, right, bottom;  ///< px of frames in small, the last ones included
  cl_int area;                      ///< pixels in front
  cl_int away;     ///< sum of how far they are from the scenery, by its bound, in eighths
  cl_int levels;   ///< sum of what these pixels show, 0 … 255 each
  cl_int squares;  ///< sum of the squares of that, of each cell in 64ths rounded down
};

/// What was found in a frame, as it is read from the device.
struct Result {
  static constexpr int most = 128;
  camera::CameraState state;
  cl_int count;  ///< of regions; those beyond `most` are not in the list
  cl_int front;  ///< pixels in front, in all
  cl_int unused[2];
  Region regions[most];
};

/// Finds boxes around the foreground on the device: cells of 4×4 px with at least 9 foreground
/// pixels, and their neighbours with 4, form regions; cells up to two apart belong to the same
/// region. Nothing waits.
class Regions {
 public:
  static constexpr int cell = 4;  ///< px

  Regions() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  Regions(Context &context, const camera::FrameGeometry &frame);
  Regions(Context &context, const camera::FrameGeometry &frame, size_t items);

  /// Only where `mask` is not 0 is anything found: levels of any size, stretched over the frame.
  /// None: everywhere. Waits.
  void set_mask(Queue &queue, const unsigned char *mask, int width, int height);

  /// Enqueues it for pixels as Memory::front() or Shadows::front() has them: regions of at least
  /// `least` of them. `small`: the frame in small. Where more than 0.6 of all are in front, the
  /// scene is another: `state` is marked for the next frame to begin anew, and there are no
  /// regions. `deviation`: Memory::deviation(), which becomes that for the next frame.
  void run(Queue &queue, int least, const cl::Buffer &front, const cl::Buffer &small,
           const cl::Buffer &state, const cl::Buffer &deviation);

  /// Enqueues, after run(), which pixels in front belong to a region that is told: bytes of 1, of 2
  /// where a shadow falls, else 0, row by row, into `out` from `offset` on.
  void mask(Queue &queue, const cl::Buffer &front, const cl::Buffer &out, size_t offset);

  /// A Result, with a copy of the state.
  const cl::Buffer &result() const { return result_; }

 private:
  camera::FrameGeometry frame_{};
  cl_int2 cells_{};
  Kernel cells_kernel_, join_, gather_, list_, mask_kernel_;
  cl::Buffer mask_, looks_, labels_, regions_, seen_, result_;
};

}  // namespace glcl::objects
