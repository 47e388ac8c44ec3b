// SPDX-License-Identifier: LGPL-2.1-or-later
#include "equalizer.h"

namespace glcl::histogram {

namespace {

constexpr int levels = 256, most_channels = 3;

}  // namespace

Equalizer::Equalizer(Context &context, const FrameFormat &frame)
    : tables_(context.cl(), CL_MEM_READ_WRITE, most_channels * levels) {
  const Program program = context.program("histogram/equalize.cl", frame_options(frame));
  make_tables_ = Kernel(context, program, "equalize_tables", {levels, 1});
  luma_ = Kernel(context, program, "equalize_luma", frame_group(frame.layout));
  rgb_ = Kernel(context, program, "equalize_rgb", frame_group(frame.layout));
}

void Equalizer::run_luma(Queue &queue, const cl::Buffer &counts, const Picture &in,
                         const Picture &out) {
  run(queue, counts, 1, luma_, in, out);
}

void Equalizer::run_rgb(Queue &queue, const cl::Buffer &counts, const Picture &in,
                        const Picture &out) {
  run(queue, counts, most_channels, rgb_, in, out);
}

void Equalizer::run(Queue &queue, const cl::Buffer &counts, int channels, Kernel &kernel,
                    const Picture &in, const Picture &out) {
  make_tables_(queue, {levels, 1}, counts, channels, tables_);
  kernel(queue, block_items(in), in, out, cl_int2{{in.width, in.height}}, tables_);
}

}  // namespace glcl::histogram
