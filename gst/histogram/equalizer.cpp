// SPDX-License-Identifier: LGPL-2.1-or-later
#include "equalizer.h"

#include "histogram/interface.h"

namespace glcl::histogram {

Equalizer::Equalizer(Context &context, const FrameFormat &frame)
    : value_count_(size_t(1) << frame.pixels->bits),
      tables_(context.cl(), CL_MEM_READ_WRITE, CHANNELS * BINS),
      values_(context.cl(), CL_MEM_READ_WRITE, value_count_ * sizeof(cl_ushort)) {
  const Program program = context.program("histogram/equalize.cl", frame_options(frame));
  make_tables_ = Kernel(context, program, "equalize_tables", {BINS, 1});
  make_values_ = Kernel(context, program, "equalize_values", {64, 1});
  luma_ = Kernel(context, program, "equalize_luma", frame_group(frame.layout));
  rgb_ = Kernel(context, program, "equalize_rgb", frame_group(frame.layout));
}

void Equalizer::run_luma(Queue &queue, const cl::Buffer &counts, const Picture &in,
                         const Picture &out) {
  make_tables_(queue, {BINS, 1}, counts, 1, tables_);
  make_values_(queue, {value_count_, 1}, tables_, values_);
  luma_(queue, block_items(in), in, out, cl_int2{{in.width, in.height}}, values_);
}

void Equalizer::run_rgb(Queue &queue, const cl::Buffer &counts, const Picture &in,
                        const Picture &out) {
  make_tables_(queue, {BINS, 1}, counts, CHANNELS, tables_);
  rgb_(queue, block_items(in), in, out, cl_int2{{in.width, in.height}}, tables_);
}

}  // namespace glcl::histogram
