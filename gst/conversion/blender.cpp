// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blender.h"

#include <algorithm>
#include <string>

#include "opencl/queue.h"

namespace glcl::conversion {

Blender::Blender(Context &context, int width, int height, const FrameFormat &frame)
    : width_(width),
      height_(height),
      block_side_(1 << frame.pixels->chroma_shift),
      // A GPU takes longer to begin the copies of all planes. The kernel clears unused bits.
      copies_(!context.device().is_cpu() && frame.pixels->padding == 0) {
  const std::string sites = " -DCOSITED_X=" + std::to_string(frame.chroma_site.left) +
                            " -DCOSITED_Y=" + std::to_string(frame.chroma_site.top);
  blend_ = Kernel(context, context.program("conversion/blend.cl", frame_options(frame) + sites),
                  "planes_blend", frame_group(frame.layout))
               .in_bands();
}

void Blender::run(Queue &queue, const Picture &in, const Picture &drawing, const Rect &covered,
                  const Picture &out) {
  const Rect all{0, 0, width_, height_}, written = copies_ ? all : covered;
  if (!(written == all)) copy_picture(queue, in, out);
  // The blocks that the area meets, and the next ones, whose chroma may depend on pixels of the
  // area.
  const auto end = [this](int covered_end, int frame_end) {
    return std::min(covered_end / block_side_, (frame_end - 1) / block_side_) + 1;
  };
  const cl_int2 start{{written.x / block_side_, written.y / block_side_}};
  const Size blocks{size_t(end(written.right(), width_) - start.s[0]),
                    size_t(end(written.bottom(), height_) - start.s[1])};
  const cl_int4 bounds{{covered.x, covered.y, covered.right(), covered.bottom()}};
  blend_(queue, blocks, in, drawing, out, bounds, start, cl_int2{{width_, height_}});
}

}  // namespace glcl::conversion
