// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

namespace glcl::motion {

MotionRenderer::MotionRenderer(Context &context, int width, int height, Layout layout)
    : width_(width), height_(height), arrows_(context, width, height, layout) {
  const Program program = context.program("motion/display.cl", frame_options(layout));
  const Size group{32, 4};
  plane_ = Kernel(context, program, "motion_show_plane", frame_group(layout));
  residual_ = Kernel(context, program, "motion_show_residual", frame_group(layout));
  grid_ = Kernel(context, program, "motion_show_grid", group);
  arrow_ = Kernel(context, program, "motion_arrows", group);
}

void MotionRenderer::draw_vectors(Queue &queue, const MotionStyle &drawing,
                                  const BlockMotion &motion, const drawing::Canvas &canvas) {
  const VectorField &field = motion.field();
  const int cells = field.block / field.cell;
  const FieldGrid shown{{{field.columns, field.rows}}, field.cell, cells};
  canvas.begin(queue);
  if (drawing.grid) {
    const int line = std::clamp(std::min(width_, height_) / 1080, 1, field.cell / 2);
    grid_(queue, {size_t(field.columns), size_t(field.rows)}, canvas.in, canvas.out,
          motion.current().buffer, motion.shapes(),
          GridDrawing{shown,
                      {{width_, height_}},
                      line,
                      motion.current().pitch,
                      canvas.has_frame,
                      canvas.overlay});
  }
  const int spacing =
      drawing.spacing ? drawing.spacing : drawing::Arrows::spacing(width_, height_) / 2;
  const int step = std::max((spacing + field.block / 2) / field.block, 1);
  const auto arrow_count = [&](int blocks) { return (blocks + step - 1) / step * cells; };
  const cl_int2 items{{arrow_count(field.block_columns), arrow_count(field.block_rows)}};
  const int arrows = items.s[0] * items.s[1];
  arrow_(queue, {size_t(items.s[0]), size_t(items.s[1])}, motion.vectors(), motion.shapes(),
         arrows_.reserve(arrows), shown, step, items, drawing::bytes_of(drawing.color));
  arrows_.draw(queue, arrows, drawing.outline_color, canvas);
}

void MotionRenderer::draw(Queue &queue, const MotionStyle &drawing, const BlockMotion &motion,
                          const drawing::Canvas &canvas) {
  const Size items = frame_items(canvas.out.layout, width_, height_);
  const LumaPlane &predicted = motion.predicted();
  const int overlay = canvas.overlay;
  switch (drawing.display) {
    case Display::none:
    case Display::objects:
    case Display::rules:
      return canvas.begin(queue);
    case Display::vectors:
      return draw_vectors(queue, drawing, motion, canvas);
    case Display::prediction:
      return plane_(queue, items, canvas.in, canvas.out, predicted.buffer, predicted.pitch, width_,
                    height_, overlay);
    case Display::residual:
      return residual_(queue, items, canvas.in, canvas.out, motion.current().buffer,
                       predicted.buffer, predicted.pitch, width_, height_, overlay);
  }
}

}  // namespace glcl::motion
