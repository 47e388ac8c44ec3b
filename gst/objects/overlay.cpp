// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overlay.h"

#include "opencl/error.h"

namespace glcl::objects {

OverlayDetector::OverlayDetector(Context &context, const camera::FrameGeometry &frame)
    : frame_(frame) {
  const Program program = context.program("objects/overlay.cl");
  const Size group = context.device().is_cpu() ? Size{64, 1} : Size{32, 8};
  update_ = Kernel(context, program, "objects_still", group);
  mark_ = Kernel(context, program, "objects_overlay", group);
  const size_t pixels = size_t(frame.size.s[0]) * frame.size.s[1];
  try {
    for (cl::Buffer &still : still_)
      still = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * sizeof(StillPixel));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the overlay on " + context.device().name + ".", error);
  }
}

void OverlayDetector::run(Queue &queue, const cl::Buffer &small, const cl::Buffer &state,
                          const noise::Noise &noise, bool restart, const cl::Buffer &marks) {
  const int from = now_;
  now_ = 1 - now_;
  // Filtering by (1 2 1) / 4 along both axes leaves this part of the noise variance.
  const float noise_gain = 0.375f * 0.375f / (frame_.reduction * frame_.reduction);
  const Size pixels{size_t(frame_.size.s[0]), size_t(frame_.size.s[1])};
  update_(queue, pixels, still_[from], small, state, noise.state(), frame_, noise_gain,
          static_cast<cl_int>(restart), still_[now_]);
  mark_(queue, pixels, still_[now_], state, frame_, marks);
}

}  // namespace glcl::objects
