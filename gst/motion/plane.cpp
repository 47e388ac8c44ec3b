// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plane.h"

namespace glcl::motion {

namespace {

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

LumaPlane::LumaPlane(int width, int height)
    : width(width),
      height(height),
      pitch(round_up(round_up(width, strip) + 2 * padding, 64)),
      rows(round_up(height, 32) + 2 * padding) {}

LumaPlane make_plane(const cl::Context &context, int width, int height) {
  LumaPlane plane(width, height);
  plane.buffer = cl::Buffer(context, CL_MEM_READ_WRITE, plane.bytes());
  return plane;
}

LumaConverter::LumaConverter(Context &context, const FrameFormat &frame) {
  const Program program = context.program("motion/luma.cl", frame_options(frame));
  convert_ = Kernel(context, program, "motion_luma", {32, 4});
  halve_ = Kernel(context, program, "motion_halve", {32, 4});
}

void LumaConverter::run(Queue &queue, const Picture &in, const LumaPlane &out) {
  const size_t pixels = in.layout == Layout::buffer ? 16 : 4;  // per work-item
  convert_(queue, {out.pitch / pixels, size_t(out.rows)}, FirstPlane{in}, in.width, in.height,
           out.buffer, out.pitch, out.rows);
}

void LumaConverter::halve(Queue &queue, const LumaPlane &in, const LumaPlane &out) {
  halve_(queue, {size_t(out.pitch), size_t(out.rows)}, in.buffer, in.pitch, out.buffer, out.pitch,
         out.rows, out.width, out.height);
}

}  // namespace glcl::motion
