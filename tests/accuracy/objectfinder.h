// SPDX-License-Identifier: LGPL-2.1-or-later
// Moving objects of frames, one after the other, waiting for each.
#pragma once

#include "objects/tracker.h"
#include "opencl/error.h"
#include "reference/transfer.h"

/// Finds and tracks the moving objects in frames, by all engines of glclmotion detect=true.
class ObjectFinder {
 public:
  using Objects = glcl::objects::Objects;
  using Tracker = glcl::objects::Tracker;

  ObjectFinder(glcl::Queue &queue, int width, int height, const Objects::Settings &settings,
               const Tracker::Settings &tracking = {}, double seconds = 0.04)
      : queue_(queue),
        layout_(glcl::layout_for(queue.context().device())),
        motion_(queue.context(), width, height, layout_),
        objects_(queue.context(), width, height, layout_),
        tracker_(width, height),
        settings_(settings),
        tracking_(tracking),
        seconds_(seconds),
        least_(Objects::least_area(settings, width, height)) {
    motion_settings_.noise = -1;
  }
  Tracker::Report next(const reference::Frame &frame) {
    const glcl::Picture in = reference::upload(queue_, frame, layout_);
    const bool moved = motion_.next(queue_, motion_settings_, in);
    objects_.sample_colours(queue_, settings_, in);
    objects_.next(queue_, settings_, motion_, !moved);
    queue_.cl().enqueueReadBuffer(objects_.regions(), CL_TRUE, 0, sizeof regions, &regions);
    return tracker_.step(tracking_, regions, objects_.frame(), least_, seconds_);
  }

  glcl::objects::RegionList regions{};

 private:
  glcl::Queue &queue_;
  glcl::Layout layout_;
  glcl::motion::BlockMotion motion_;
  Objects objects_;
  Tracker tracker_;
  glcl::motion::BlockMotion::Settings motion_settings_;
  Objects::Settings settings_;
  Tracker::Settings tracking_;
  double seconds_, least_;
};
