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

}  // namespace

Tracking::Tracking(Context &context) : Tracking(context, context.device().is_cpu() ? 1 : 32) {}

Tracking::Tracking(Context &context, int lanes)
    : track_(context,
             context.program("klt/track.cl", "-cl-mad-enable -DLANES=" + std::to_string(lanes)),
             "klt_track", {size_t(lanes), 1}) {}

void Tracking::run(Queue &queue, const Settings &settings, const Pyramids &pyramids,
                   const cl::Buffer &before, const cl::Buffer &after, const cl::Buffer &noise,
                   int features, int reach, Points &points) {
  const Search search{settings.window / 2, settings.iterations,
                      static_cast<float>(settings.max_residue), int(settings.check), reach};
  const int levels = std::min(settings.levels, static_cast<int>(pyramids.levels().size()));
  const size_t side = settings.window, lanes = track_.group().x;
  track_(queue, {features * lanes, 1}, before, after, pyramids.level_table(), pyramids.gain_table(),
         levels, search, noise, points.stamp(), points.stamps(), points.place(), points.motion(),
         points.who(), cl::Local((side + 2) * (side + 2) * sizeof(cl_float)),
         cl::Local(side * side * sizeof(cl_float4)), cl::Local(lanes * sizeof(cl_float4)));
}

}  // namespace glcl::klt
