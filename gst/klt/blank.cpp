// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blank.h"

namespace glcl::klt {

namespace {

constexpr int max_frames = 30;  // blank frames in a row

}  // namespace

BlankFrames::BlankFrames(Context &context) {
  const Program program =
      context.program("klt/blank.cl", one_group_option(context.device().device));
  find_ = Kernel(context, program, "klt_find_blank", {});
  keep_ = Kernel(context, program, "klt_keep_pyramid", {64, 1});
  last_noise_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, noise::NOISE_VALUES * sizeof(cl_float));
}

void BlankFrames::run(Queue &queue, const Pyramids &pyramids, const cl::Buffer &before,
                      const cl::Buffer &after, const cl::Buffer &noise, int slots, bool allowed,
                      Points &points) {
  const BlankSearch search{pyramids.levels()[0].cl(), pyramids.gain().slope, slots,
                           allowed ? max_frames : 0};
  find_(queue, find_.group(), before, after, noise, last_noise_, points.before_tracking(),
        points.points(), points.state(), search, cl::Local(find_.group().x * sizeof(cl_int)));
  const size_t count = pyramids.texels() / 16;
  keep_(queue, {count, 1}, points.state(), before, after, static_cast<int>(count));
}

}  // namespace glcl::klt
