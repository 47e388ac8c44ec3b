// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny.h"

#include <algorithm>
#include <array>
#include <string>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr double first_noise = 2;  // levels, until it is measured

/// CPUs that prefer vectors use rows. Mesa's driver prefers scalars; it would compile rows for half
/// a minute.
Canny::Form form_of(const Device &device) {
  const bool rows =
      device.is_cpu() && device.device.getInfo<CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT>() >= 8;
  return rows ? Canny::Form::rows : Canny::Form::tiles;
}
Size group_of(const Device &device) {
  if (form_of(device) == Canny::Form::rows) return {1, 1};
  return device.is_cpu() ? Size{16, 1} : Size{32, 8};
}
Size tile_of(const Device &device) {
  if (form_of(device) == Canny::Form::rows) return {256, 64};
  return device.is_cpu() ? Size{62, 30} : Size{54, 30};
}

/// Pixels per item of canny_join and canny_keep. On GPUs an item waits at each pixel that it joins.
constexpr size_t join_span = 2, keep_span = 8;

size_t divide_up(int length, size_t tile) { return (length + tile - 1) / tile; }

}  // namespace

Canny::Canny(Context &context, int width, int height, const FrameFormat &frame)
    : Canny(context, width, height, frame, form_of(context.device()), group_of(context.device()),
            tile_of(context.device())) {}

Canny::Canny(Context &context, int width, int height, const FrameFormat &frame, Form form,
             Size group, Size tile)
    : width_(width),
      height_(height),
      pitch_(width + 2),
      frame_(frame),
      tile_(tile),
      form_(form),
      noise_(context, noise::Noise::Texels::luma, width, height),
      group_(group),
      context_(context.cl()) {
  set_format(context, frame);
  const bool rows = form == Form::rows;
  try {
    for (cl::Buffer &plane : luma_)
      plane = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, size_t(pitch_) * (height + 2));
    for (cl::Buffer &map : edges_)
      map = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, 2 * size_t(width) * height);
    thresholds_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, 256 * sizeof(cl_uint2));
    labels_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, 4);
    has_weak_ =
        cl::Buffer(context.cl(), CL_MEM_READ_WRITE, rows ? divide_up(width, 16) * height : 1);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for edge detection on " + context.device().name + ".",
                error);
  }
}

void Canny::set_format(Context &context, const FrameFormat &frame) {
  if (!frame.same_grey(frame_)) has_luma_ = false;
  frame_ = frame;
  const Program program = context.program("hough/canny.cl");
  thresholds_kernel_ = Kernel(context, program, "canny_thresholds", {64, 1});
  const bool rows = form_ == Form::rows;
  const Program search =
      context.program(rows ? "hough/cannyrows.cl" : "hough/cannytiles.cl",
                      frame_options(frame) + (" -DTILE_X=" + std::to_string(tile_.x)) +
                          " -DTILE_Y=" + std::to_string(tile_.y));
  edges_kernel_ = Kernel(context, search, "canny_edges", group_);
  join_ = rows ? Kernel(context, search, "canny_join_rows", group_)
               : Kernel(context, program, "canny_join", {128, 1});
  keep_ = rows ? Kernel(context, search, "canny_keep_rows", {16, 1})
               : Kernel(context, program, "canny_keep", {128, 1});
}

Plane Canny::luma(int which) const { return {luma_[which], pitch_, pitch_ + 1}; }

void Canny::run(Queue &queue, const Settings &settings, const Picture &in, bool weak) {
  check_picture(in, width_, height_, frame_, "The search for edges");
  current_ = 1 - current_;
  count_ = std::min(count_ + 1, 2);
  const bool measured = settings.low < 0 || settings.high < 0;
  const size_t pixels = size_t(width_) * height_;
  const cl_int2 size{{width_, height_}};
  if (settings.hysteresis && labels_.getInfo<CL_MEM_SIZE>() < pixels * sizeof(cl_uint))
    labels_ = cl::Buffer(context_, CL_MEM_READ_WRITE, pixels * sizeof(cl_uint));
  if (measured && !has_noise_) noise_.set(queue, first_noise);
  if (measured) has_noise_ = true;
  const std::array thresholds{settings.low, settings.high};
  if (measured || last_thresholds_ != thresholds)
    thresholds_kernel_(queue, {256, 1}, noise_.variances(), static_cast<cl_float>(settings.low),
                       static_cast<cl_float>(settings.high), thresholds_);
  last_thresholds_ = thresholds;
  const Size group = edges_kernel_.group(),
             groups{divide_up(width_, tile_.x) * group.x, divide_up(height_, tile_.y) * group.y};
  const auto detect = [&](const auto &...more) {
    edges_kernel_(queue, groups, FirstPlane{in}, size, thresholds_,
                  int(weak || settings.hysteresis), edges_[current_], int(settings.hysteresis),
                  labels_, luma_[current_], measured ? pitch_ : 0, more...);
  };
  const auto items = [&](size_t span) { return Size{(pixels + span - 1) / span, 1}; };
  if (form_ == Form::rows) {
    const int blocks = static_cast<int>(divide_up(width_, 16));
    detect(has_weak_, blocks);
    if (settings.hysteresis) {
      join_(queue, groups, edges_[current_], size, labels_, has_weak_, blocks);
      keep_(queue, {size_t(height_), 1}, edges_[current_], size, labels_, has_weak_, blocks);
    }
  } else {
    detect();
    if (settings.hysteresis) {
      join_(queue, items(join_span), edges_[current_], size,
            cl_int2{{static_cast<int>(tile_.x), static_cast<int>(tile_.y)}}, labels_);
      keep_(queue, items(keep_span), edges_[current_], size, labels_);
    }
  }
  if (measured && has_luma_) noise_.measure(queue, luma(1 - current_), luma(current_), true);
  has_luma_ = measured;
}

}  // namespace glcl::hough
