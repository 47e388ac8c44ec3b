// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blank.h"

#include <algorithm>
#include <utility>

namespace glcl::klt {

namespace {

constexpr int max_frames = 30;   // blank frames in a row
constexpr int view_texels = 64;  // least side of the level whose cells are compared

/// The coarsest of the levels that has enough texels.
cl_int4 coarse_level(const Pyramids &pyramids, int levels) {
  size_t coarse = 0;
  for (int i = 1; i < levels; i++)
    if (const auto &level = pyramids.levels()[size_t(i)];
        std::min(level.width, level.height) >= view_texels)
      coarse = size_t(i);
  return pyramids.levels()[coarse].cl();
}

}  // namespace

BlankFrames::BlankFrames(Context &context, const cl::Buffer &spare) : spare_(spare) {
  const Program program =
      context.program("klt/blank.cl", one_group_option(context.device().device));
  find_ = Kernel(context, program, "klt_find_blank", {});
  keep_ = Kernel(context, program, "klt_keep_pyramid", {64, 1});
  kept_points_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sizeof(TrackedPoints));
  last_noise_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, noise::NOISE_VALUES * sizeof(cl_float));
}

void BlankFrames::run(Queue &queue, const Pyramids &pyramids, const cl::Buffer &before,
                      const cl::Buffer &after, const cl::Buffer &noise, const Limits &limits,
                      Points &points) {
  const bool has_kept = kept_() != nullptr;
  const BlankSearch search{pyramids.levels()[0].cl(),       coarse_level(pyramids, limits.levels),
                           pyramids.gain().slope,           limits.slots,
                           limits.allowed ? max_frames : 0, has_kept};
  find_(queue, find_.group(), before, after, has_kept ? kept_ : before, noise, last_noise_,
        points.before_tracking(), kept_points_, points.points(), points.state(), search,
        cl::Local(find_.group().x * sizeof(cl_int)));
  const size_t count = pyramids.texels() / 16;
  keep_(queue, {count, 1}, points.state(), before, has_kept ? kept_ : before, after,
        static_cast<int>(count));
}

void BlankFrames::keep(Queue &queue, const Points &points, const cl::Buffer &pyramid) {
  queue.cl().enqueueCopyBuffer(points.points(), kept_points_, 0, 0, sizeof(TrackedPoints));
  kept_ = pyramid;
}

void BlankFrames::release(cl::Buffer &pyramid) {
  if (pyramid() == kept_()) std::swap(pyramid, spare_);
}

}  // namespace glcl::klt
