// SPDX-License-Identifier: LGPL-2.1-or-later
#include "arrows.h"

#include "opencl/error.h"

namespace glcl::drawing {

Arrows::Width Arrows::width(int frame_width, int frame_height) {
  const float thick =
      std::max(0.75f, static_cast<float>(std::min(frame_width, frame_height)) / 720);
  return {thick, std::max(1.0f, thick)};
}

Arrows::Arrows(Context &context, int width, int height, Layout layout)
    : context_(&context), width_(width), height_(height) {
  const Program program = context.program("drawing/arrows.cl", frame_options(layout));
  // On CPUs one work-item draws an arrow.
  const Size group{context.device().prefers_buffers() ? size_t(1) : size_t(32), 1};
  claim_ = Kernel(context, program, "arrows_claim", group);
  paint_ = Kernel(context, program, "arrows_paint", group);
}

const cl::Buffer &Arrows::reserve(int count) {
  if (count > most)
    throw Error(
        Error::Kind::settings,
        std::to_string(count) + " arrows are too many to draw. Set a larger arrow-spacing.");
  if (count > capacity_) {
    arrows_ = cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, count * sizeof(Arrow));
    capacity_ = count;
  }
  return arrows_;
}

void Arrows::draw(Queue &queue, int count, cl_uint outline_color, const Canvas &canvas) {
  if (!keys_()) {
    keys_ =
        cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, size_t(width_) * height_ * sizeof(cl_uint));
    queue.cl().enqueueFillBuffer(keys_, ~cl_uint(0), 0, size_t(width_) * height_ * sizeof(cl_uint));
  }
  const Width width = Arrows::width(width_, height_);
  const cl_int2 size{{width_, height_}};
  claim_(queue, {count * claim_.group().x, 1}, arrows_, width.half_width, width.outline_width, size,
         keys_);
  paint_(queue, {count * paint_.group().x, 1}, canvas.in, canvas.out, arrows_, width.half_width,
         width.outline_width, floats_of(outline_color), size, int(canvas.overlay), keys_);
}

}  // namespace glcl::drawing
