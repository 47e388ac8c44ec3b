// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracking.h"

#include <algorithm>
#include <string>

namespace glcl::klt {

namespace {

/// As the kernel has it.
struct Search {
  cl_int radius, iterations;
  cl_float residue;
  cl_int check, reach;
};

constexpr size_t patch_bytes = (33 * 40 + 8) * sizeof(cl_float);  // of the largest window

}  // namespace

Tracking::Tracking(Context &context) : Tracking(context, context.device().is_cpu() ? 1 : 32) {}

Tracking::Tracking(Context &context, int lanes) {
  const Program program =
      context.program("klt/track.cl", "-cl-mad-enable -DLANES=" + std::to_string(lanes));
  track_ = Kernel(context, program, "klt_track", {size_t(lanes), 1});
  compare_ = Kernel(context, program, "klt_compare", {size_t(lanes), 1});
}

void Tracking::run(Queue &queue, const Settings &settings, const Pyramids &pyramids,
                   const cl::Buffer &before, const cl::Buffer &after, const cl::Buffer &noise,
                   int features, int reach, Points &points) {
  const Search search{settings.window / 2, settings.iterations,
                      static_cast<float>(settings.max_residue), int(settings.check), reach};
  const int levels = std::min(settings.levels, static_cast<int>(pyramids.levels().size()));
  const size_t lanes = track_.group().x;
  const auto patch = cl::Local(patch_bytes), sums = cl::Local(lanes * sizeof(cl_float4));
  track_(queue, {features * lanes, 1}, before, after, pyramids.level_table(), pyramids.gain_table(),
         levels, search, noise, points.place(), points.motion(), points.who(), points.form(), patch,
         sums);
  compare_(queue, {features * lanes, 1}, before, after, pyramids.levels()[0].cl(), pyramids.gain(),
           search, noise, points.stamp(), points.stamps(), points.place(), points.motion(),
           points.who(), points.form(), points.templates(queue, features), points.births(), patch,
           sums);
}

}  // namespace glcl::klt
