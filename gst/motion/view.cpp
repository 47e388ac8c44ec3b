// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view.h"

namespace glcl::motion {

namespace {

Size area(const Picture &picture) { return {size_t(picture.width), size_t(picture.height)}; }

}  // namespace

View::View(Context &context, Layout layout) {
  const cl::Program program = context.program("motion/display.cl", frame_options(layout));
  const Size group{32, 4};
  plane_ = Kernel(context, program, "motion_show_plane", group);
  residual_ = Kernel(context, program, "motion_show_residual", group);
  grid_ = Kernel(context, program, "motion_show_grid", group);
  arrows_ = Kernel(context, program, "motion_show_arrows", group);
}

void View::show_prediction(Queue &queue, const Motion &motion, const Picture &in,
                           const Picture &out) {
  const Plane &predicted = motion.predicted();
  plane_(queue, area(in), in, out, predicted.buffer, predicted.pitch, in.width, in.height);
}

void View::show_residual(Queue &queue, const Motion &motion, const Picture &in,
                         const Picture &out) {
  const Plane &predicted = motion.predicted();
  residual_(queue, area(in), in, out, motion.current().buffer, predicted.buffer, predicted.pitch,
            in.width, in.height);
}

void View::show_vectors(Queue &queue, const Motion &motion, const Picture &in, const Picture &out) {
  const Motion::Field &field = motion.field();
  grid_(queue, area(in), in, out, motion.shapes(), field.block, field.block_columns, in.width,
        in.height);
  arrows_(queue, {size_t(field.columns), size_t(field.rows)}, in, out, motion.vectors(),
          motion.shapes(), field.cell, field.columns, field.rows, field.block, in.width, in.height);
}

}  // namespace glcl::motion
