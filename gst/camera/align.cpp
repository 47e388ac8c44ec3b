// SPDX-License-Identifier: LGPL-2.1-or-later
#include "align.h"

#include <algorithm>
#include <cmath>

#include "opencl/error.h"

namespace glcl::camera {

namespace {

constexpr double most_samples = 140 * 1000;         // approximate limit of pixels in the last step
constexpr int block_side[ALIGN_STEPS] = {8, 4, 1};  // px per side of a mean
constexpr float residual_scale[ALIGN_STEPS] = {24, 16, 8};  // levels

}  // namespace

FrameGeometry frame_geometry(int width, int height, int most) {
  FrameGeometry frame{};
  int shrink = 1;
  while (double(width) * height / (shrink * shrink) > most) shrink++;
  frame.size = {{(width + shrink - 1) / shrink, (height + shrink - 1) / shrink}};
  const auto along = [shrink](int length) {
    return static_cast<cl_float>(length) / static_cast<cl_float>(2 * shrink) - 0.5f;
  };
  frame.centre = {{along(width), along(height)}};
  frame.radius = std::max(std::hypot(frame.centre.s[0], frame.centre.s[1]), 1.0f);
  frame.reduction = static_cast<cl_float>(shrink);
  return frame;
}

Align::Align(Context &context, const FrameGeometry &frame)
    : frame_(frame),
      groups_(context.device().is_cpu() ? ALIGN_GROUPS_CPU : ALIGN_GROUPS),
      rows_(context, frame) {
  const Program program =
      context.program("camera/align.cl", context.device().is_cpu() ? "" : "-DUNROLLED");
  shrink_ = Kernel(context, program, "camera_shrink",
                   context.device().is_cpu() ? Size{64, 1} : Size{32, 8});
  align_ = Kernel(context, program, "camera_align", {});
  update_state_ = Kernel(context, program, "camera_update_state", {});
  try {
    small_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE,
                        size_t(frame.size.s[0]) * frame.size.s[1] * sizeof(cl_float));
    for (cl::Buffer &buffer : sums_)
      buffer = cl::Buffer(context.cl(), CL_MEM_READ_WRITE,
                          size_t(groups_) * ALIGN_SUMS * sizeof(cl_float));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the camera motion on " + context.device().name + ".",
                error);
  }
}

void Align::shrink(Queue &queue, const motion::LumaPlane &plane) {
  shrink_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, plane.buffer, plane.pitch,
          static_cast<cl_int>(frame_.reduction), small_, frame_.size);
}

void Align::run(Queue &queue, Compensation compensation, bool first, const cl::Buffer &background,
                const cl::Buffer &history, const cl::Buffer &foreground, const cl::Buffer &state) {
  AlignStep step{frame_, rows_.bands()};
  step.free_shift = compensation != Compensation::none;
  step.free_rotation = compensation == Compensation::first_order_flow;
  step.first = first;
  const double pixels = double(frame_.size.s[0]) * frame_.size.s[1];
  const int rows = static_cast<int>(std::ceil(pixels / most_samples));
  const RowBrightness::Model model{background, history, foreground, state};
  if (!first) rows_.estimate(queue, small_, model, step.free_shift);
  for (; step.number < ALIGN_STEPS && !first; step.number++) {
    const int i = step.number;
    step.block_side = block_side[i];
    step.row_spacing = block_side[i] > 1 ? block_side[i] : rows;
    step.residual_scale = residual_scale[i];
    align_(queue, {size_t(groups_) * ALIGN_ITEMS, 1}, small_, background, history, foreground,
           sums_[i % 2], sums_[(i + 1) % 2], state, rows_.estimated(), step);
  }
  update_state_(queue, {ALIGN_ITEMS, 1}, sums_[ALIGN_STEPS % 2], state, rows_.estimated(), step);
  rows_.measure(queue, small_, model);
}

}  // namespace glcl::camera
