// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracking.h"

#include <algorithm>
#include <string>

namespace glcl::klt {

Tracking::Tracking(Context &context) : Tracking(context, context.device().is_cpu() ? 1 : 32) {}

Tracking::Tracking(Context &context, int lanes) {
  const bool split = lanes > 1 && context.device().is_cpu();
  const Program program =
      context.program("klt/track.cl", "-cl-mad-enable -DLANES=" + std::to_string(lanes) +
                                          (split ? " -DSPLIT" : ""));
  const Size group{size_t(lanes), 1};
  track_ = Kernel(context, program, split ? "klt_track" : "klt_follow", group).in_bands();
  if (split) compare_ = Kernel(context, program, "klt_compare", group).in_bands();
}

void Tracking::run(Queue &queue, const Settings &settings, const Pyramids &pyramids,
                   const cl::Buffer &before, const cl::Buffer &after, const cl::Buffer &noise,
                   int features, int reach, Points &points) {
  const int levels = std::min(settings.levels, static_cast<int>(pyramids.levels().size()));
  const TrackingLimits limits{levels,
                              settings.window / 2,
                              settings.iterations,
                              static_cast<float>(settings.max_residue),
                              settings.check,
                              reach,
                              points.occupancy_mark()};
  const size_t lanes = track_.group().x;
  const Size items{lanes, size_t(features)};
  const cl::Buffer &templates = points.templates(queue, features);
  if (!compare_)
    return track_(queue, items, before, after, pyramids.level_table(), pyramids.gain_table(), noise,
                  points.state(), points.points(), points.before_tracking(), points.occupancy(),
                  templates, points.template_windows(), limits);
  track_(queue, items, before, after, pyramids.level_table(), pyramids.gain_table(), noise,
         points.state(), points.points(), points.before_tracking(), limits);
  compare_(queue, items, before, after, pyramids.levels()[0].cl(), pyramids.gain(), noise,
           points.state(), points.points(), points.occupancy(), templates,
           points.template_windows(), limits);
}

}  // namespace glcl::klt
