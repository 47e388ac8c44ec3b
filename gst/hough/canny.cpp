// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny.h"

#include <algorithm>
#include <string>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

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

size_t divide_up(int length, size_t tile) { return (length + tile - 1) / tile; }

}  // namespace

Canny::Canny(Context &context, int width, int height, const FrameFormat &frame)
    : Canny(context, width, height, frame, form_of(context.device()), group_of(context.device()),
            tile_of(context.device())) {}

Canny::Canny(Context &context, int width, int height, const FrameFormat &frame, Form form,
             Size group, Size tile) try
    : size_{{width, height}
}  // namespace glcl::hough
, frame_(frame), form_(form), group_(group), tile_(tile), thresholds_(context, width, height),
    hysteresis_(context, width, height, form == Form::rows, group, tile) {
  set_format(context, frame);
  for (cl::Buffer &map : edges_)
    map = make_buffer(context.cl(), size_t(width) * height * sizeof(cl_ushort));
}
catch (const cl::Error &error) {
  throw Error("Can't allocate memory for edge detection on " + context.device().name + ".", error);
}

void Canny::set_format(Context &context, const FrameFormat &frame) {
  if (!frame.same_grey(frame_)) thresholds_.forget_luma();
  frame_ = frame;
  const Program program =
      context.program(form_ == Form::rows ? "hough/cannyrows.cl" : "hough/cannytiles.cl",
                      frame_options(frame) + (" -DTILE_X=" + std::to_string(tile_.x)) +
                          " -DTILE_Y=" + std::to_string(tile_.y));
  edges_kernel_ = Kernel(context, program, "canny_edges", group_);
  hysteresis_.set_program(context, program);
}

void Canny::run(Queue &queue, const Settings &settings, const Picture &in, bool weak) {
  check_picture(in, size_.s[0], size_.s[1], frame_, "The search for edges");
  number_++;
  if (settings.hysteresis) hysteresis_.prepare();
  thresholds_.update(queue, settings.low, settings.high);
  detect(queue, in, weak || settings.hysteresis, settings.hysteresis);
  if (settings.hysteresis) hysteresis_.run(queue, edges());
  thresholds_.measure(queue);
}

/// Enqueues the search for edges above the upper threshold; with `weak` above the lower one.
/// `labeled`: writes the labels for hysteresis, too.
void Canny::detect(Queue &queue, const Picture &in, bool weak, bool labeled) {
  const Size group = edges_kernel_.group(), groups{divide_up(size_.s[0], tile_.x) * group.x,
                                                   divide_up(size_.s[1], tile_.y) * group.y};
  const auto detect = [&](const auto &...more) {
    edges_kernel_(queue, groups, FirstPlane{in}, size_, thresholds_.thresholds(), int(weak),
                  edges(), int(labeled), hysteresis_.labels(), thresholds_.luma(),
                  thresholds_.pitch(), more...);
  };
  if (form_ == Form::rows)
    detect(hysteresis_.has_weak(), hysteresis_.runs());
  else
    detect();
}

}  // namespace glcl::hough
