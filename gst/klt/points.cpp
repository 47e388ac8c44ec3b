// SPDX-License-Identifier: LGPL-2.1-or-later
#include "points.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "opencl/error.h"

namespace glcl::klt {

namespace {

constexpr int last_occupancy_mark = 65535;
constexpr size_t template_bytes = TEMPLATE * sizeof(cl_float);

}  // namespace

Points::Points(Context &context, int width, int height)
    : context_(context.cl()), size_{{width, height}} {
  const Program program =
      context.program("klt/points.cl", one_group_option(context.device().device));
  remove_lost_ = Kernel(context, program, "klt_remove_lost", {});
  report_kernel_ = Kernel(context, program, "klt_report", {});
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  points_ = buffer(sizeof(TrackedPoints));
  template_windows_ = buffer(most * sizeof(cl_int4));
  before_tracking_ = buffer(most * sizeof(TrackedPoint));
  vacant_ = buffer(most * sizeof(cl_int));
  state_ = buffer(STATES * sizeof(cl_int));
  occupancy_ = buffer(size_t(width) * height * sizeof(cl_ushort));
  report_ = buffer(bytes(most));
}

void Points::clear(Queue &queue) {
  if (!cleared_) {
    queue.cl().enqueueFillBuffer(points_, cl_int4{}, 0, sizeof(TrackedPoints));
    queue.cl().enqueueFillBuffer(state_, cl_int(0), 0, STATES * sizeof(cl_int));
  }
  if (!cleared_ || occupancy_mark_ == last_occupancy_mark) {
    queue.cl().enqueueFillBuffer(occupancy_, cl_ushort(0), 0,
                                 size_t(size_.s[0]) * size_.s[1] * sizeof(cl_ushort));
    occupancy_mark_ = 0;
  }
  cleared_ = true;
}

const cl::Buffer &Points::templates(Queue &queue, int slots) {
  const size_t bytes = slots * template_bytes;
  const size_t old_bytes = templates_() ? templates_.getInfo<CL_MEM_SIZE>() : 0;
  if (old_bytes < bytes) {
    const cl::Buffer larger(context_, CL_MEM_READ_WRITE, bytes);
    if (old_bytes) queue.cl().enqueueCopyBuffer(templates_, larger, 0, 0, old_bytes);
    templates_ = larger;
  }
  return templates_;
}

void Points::next_occupancy_mark(Queue &queue) {
  clear(queue);
  occupancy_mark_++;
}

void Points::update_slots(Queue &queue, const SlotSettings &settings) {
  clear(queue);
  const int slots = std::max(settings.features, std::exchange(slots_, settings.features));
  remove_lost_(queue, remove_lost_.group(), points_, state_, vacant_, before_tracking_,
               SlotUpdate{settings.features, slots, settings.min_alive, settings.select_due,
                          settings.restart, occupancy_mark_, static_cast<float>(size_.s[0])},
               cl::Local(remove_lost_.group().x * sizeof(cl_int)));
}

void Points::report(Queue &queue, int features, const cl::Buffer &noise, bool noise_known) {
  const size_t items = report_kernel_.group().x;
  report_kernel_(queue, report_kernel_.group(), points_, state_, features, noise, int(noise_known),
                 report_, cl::Local(items * sizeof(cl_int)), cl::Local(items * sizeof(cl_float)));
}

}  // namespace glcl::klt
