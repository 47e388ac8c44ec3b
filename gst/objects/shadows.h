// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "memory.h"
#include "opencl/picture.h"

namespace glcl::objects {

/// Separates shadows from objects: a shadow has 0.5 to 1 times the brightness of the background,
/// equally in red, green and blue, and its texture and colour are those of the background times
/// that factor. Without texture and colour there is no evidence, so a dark region is an object.
/// Nothing waits.
class Shadows {
 public:
  Shadows() = default;
  /// For frames in pictures of a layout, of which `under_way` may have been seen before the results
  /// of the first are used. Throws Error::failed where the device refuses kernels or memory.
  Shadows(Context &context, const camera::FrameGeometry &frame, Layout layout, int under_way);

  /// Enqueues what is needed of the colours of a frame.
  void look(Queue &queue, const Picture &in);
  /// Enqueues it for the frame that look() saw last, in small, after Memory::run() had it. `anew`:
  /// the frame before was not seen.
  void run(Queue &queue, const cl::Buffer &small, const cl::Buffer &state, const Memory &memory,
           bool anew);

  /// As Memory::front(), with 1 where a shadow falls.
  const cl::Buffer &front() const { return front_; }
  /// short2: R − Y and B − Y of the scenery, levels · 64.
  const cl::Buffer &colours() const { return colours_[now_]; }

 private:
  camera::FrameGeometry frame_{};
  Kernel look_, mark_;
  std::vector<cl::Buffer> seen_;  // colours of frames in turn
  size_t last_ = 0;               // of these
  cl::Buffer colours_[2], front_;
  int now_ = 0;
};

}  // namespace glcl::objects
