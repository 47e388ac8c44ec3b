// SPDX-License-Identifier: LGPL-2.1-or-later
// Moving objects of frames, one after the other, waiting for each.
#pragma once

#include "objects/tracker.h"
#include "opencl/error.h"
#include "reference/transfer.h"

/// The whole of it: search, camera, regions, tracks.
class Finder {
 public:
  using Objects = glcl::objects::Objects;
  using Tracker = glcl::objects::Tracker;

  Finder(glcl::Queue &queue, int width, int height, const Objects::Settings &settings,
         const Tracker::Settings &follows = {}, double seconds = 0.04)
      : queue_(queue),
        layout_(glcl::layout_for(queue.context().device())),
        motion_(queue.context(), width, height, layout_),
        objects_(queue.context(), width, height, layout_),
        tracker_(width, height),
        settings_(settings),
        follows_(follows),
        seconds_(seconds),
        least_(Objects::least_area(settings, width, height)) {
    motion_settings_.noise = -1;
  }
  Tracker::Report next(const reference::Frame &frame) {
    const glcl::Picture in = reference::upload(queue_, frame, layout_);
    const bool moved = motion_.next(queue_, motion_settings_, in);
    objects_.sample_colours(queue_, settings_, in);
    objects_.next(queue_, settings_, motion_, !moved);
    queue_.cl().enqueueReadBuffer(objects_.regions(), CL_TRUE, 0, sizeof result, &result);
    return tracker_.step(follows_, result, objects_.frame(), least_, seconds_);
  }

  glcl::objects::RegionList result{};

 private:
  glcl::Queue &queue_;
  glcl::Layout layout_;
  glcl::motion::BlockMotion motion_;
  Objects objects_;
  Tracker tracker_;
  glcl::motion::BlockMotion::Settings motion_settings_;
  Objects::Settings settings_;
  Tracker::Settings follows_;
  double seconds_, least_;
};
