// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klt.h"

#include <algorithm>
#include <utility>

#include "opencl/error.h"

namespace glcl::klt {

Klt::Klt(Context &context, int width, int height, const FrameFormat &frame) try
    : width_(width),
      height_(height),
      frame_(frame),
      pyramids_(context, width, height, frame),
      points_(context, width, height),
      selection_(context, width, height),
      noise_(context, width, height),
      tracking_(context),
      blank_frames_(context, pyramids_.make()),
      previous_(pyramids_.make()),
      current_(pyramids_.make()) {
} catch (const cl::Error &error) {
  throw Error("The point tracker can't be set up on " + context.device().name + ".", error);
}

void Klt::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, width_, height_, frame_, "The point tracker");
  try {
    std::swap(previous_, current_);
    blank_frames_.release(current_);
    const int levels = std::min(settings.levels, static_cast<int>(pyramids_.levels().size()));
    pyramids_.build(queue, in, levels, current_);
    const int before = std::exchange(previous_levels_, levels), common = std::min(levels, before);
    const bool fresh = common == 0;
    frames_ = fresh ? 0 : frames_ + 1;
    const int slots = std::exchange(features_, settings.features);
    const bool changed = noise_.update(queue, settings.noise, frames_, pyramids_.plane(previous_),
                                       pyramids_.plane(current_));
    // Comparable with the previous frame, so it may be blank.
    const bool comparable = levels == before && frames_ > 1 && !changed;
    if (!comparable) blank_frames_.forget();
    points_.next_occupancy_mark(queue);
    Tracking::Settings tracking = settings;
    tracking.levels = common;
    if (!fresh) {
      tracking_.run(queue, tracking, pyramids_, previous_, current_, noise_.variances(), slots,
                    settings.min_distance, points_);
      blank_frames_.run(queue, pyramids_, previous_, current_, noise_.variances(),
                        {common, slots, comparable}, points_);
    }
    const bool due = fresh || (settings.reselect && frames_ - last_selection_ >= settings.reselect);
    if (due) last_selection_ = frames_;
    points_.update_slots(
        queue, {settings.features, std::min(settings.min_features, settings.features), due, fresh});
    selection_.run(queue, settings, pyramids_.plane(current_), noise_.variances(),
                   settings.features, points_);
    if (due) blank_frames_.keep(queue, points_, current_);
  } catch (const cl::Error &error) {
    throw Error("Tracking the points failed.", error);
  }
}

}  // namespace glcl::klt
