// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include "drawing/arrows.h"

namespace glcl::klt {

PointRenderer::PointRenderer(Context &context, int width, int height, Layout layout)
    : context_(context.cl()), width_(width), height_(height) {
  const Program program = context.program("klt/display.cl", frame_options(layout));
  trail_ = Kernel(context, program, "klt_trail", {64, 1});
  // On CPUs one item draws a point.
  claim_ = Kernel(context, program, "klt_claim",
                  {context.device().prefers_buffers() ? size_t(1) : size_t(32), 1});
  paint_ = Kernel(context, program, "klt_paint", {32, 8});
  const cl_float4 none{};
  keys_ = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(width) * height * sizeof(cl_uint));
  trails_ = cl::Buffer(context_, CL_MEM_READ_WRITE, Points::most * sizeof(Trail));
  trail_positions_ = cl::Buffer(context_, CL_MEM_READ_WRITE, sizeof none);
}

/// Appends the positions of the points to their trails.
void PointRenderer::extend_trails(Queue &queue, const PointStyle &drawing, const Klt &klt) {
  if (trail_positions_.getInfo<CL_MEM_SIZE>() == sizeof(cl_float4))
    trail_positions_ = cl::Buffer(context_, CL_MEM_READ_WRITE,
                                  size_t(Points::most) * TRAIL_LENGTH * sizeof(cl_float2));
  const bool unlimited = drawing.trail == 0;
  if (!has_trails_ || unlimited != unlimited_)
    queue.cl().enqueueFillBuffer(trails_, cl_int(-1), 0, Points::most * sizeof(Trail));
  has_trails_ = true, unlimited_ = unlimited;
  trail_(queue, {size_t(klt.features()), 1}, klt.points().points(), klt.features(), int(unlimited),
         trails_, trail_positions_);
}

void PointRenderer::draw(Queue &queue, const PointStyle &drawing, const Klt &klt,
                         const drawing::Canvas &canvas) {
  if (drawing.display == Display::none) {
    forget();
    return canvas.begin(queue);
  }
  if (!cleared_)
    queue.cl().enqueueFillBuffer(keys_, cl_uint(0), 0, size_t(width_) * height_ * sizeof(cl_uint));
  cleared_ = true;
  const bool tracks = drawing.display == Display::tracks;
  if (tracks)
    extend_trails(queue, drawing, klt);
  else
    forget();
  const auto [half_width, outline_width] = drawing::Arrows::width(width_, height_);
  const Pen pen{2 * half_width, 0.6f * half_width, outline_width};
  const cl_int2 size{{width_, height_}};
  const int lines = !tracks ? 0 : drawing.trail ? drawing.trail : -1;
  claim_(queue, {size_t(klt.features()) * claim_.group().x, 1}, klt.points().points(), lines,
         trails_, trail_positions_, pen, size, keys_);
  paint_(queue, {size_t(width_), size_t(height_)}, canvas.in, canvas.out, pen,
         drawing::floats_of(drawing.color), drawing::floats_of(drawing.outline_color), size,
         int(canvas.overlay), keys_);
}

}  // namespace glcl::klt
