// SPDX-License-Identifier: LGPL-2.1-or-later
#include "present.h"

#include <algorithm>
#include <cmath>

#include "opencl/error.h"

namespace glcl::histogram {

namespace {

constexpr size_t most_counters = 4096;

}  // namespace

Histogram::Format Present::format_for(Equalize equalize) {
  return {equalize == Equalize::rgb ? Histogram::Mode::rgb : Histogram::Mode::luma, 256};
}

Area Present::panel(const Settings &settings, int width, int height) {
  const auto place = [](double part, int whole) {
    return static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * whole));
  };
  Area area;
  area.x = std::min(place(settings.x, width), width - 1);
  area.y = std::min(place(settings.y, height), height - 1);
  area.width = std::clamp(place(settings.width, width), 1, width - area.x);
  area.height = std::clamp(place(settings.height, height), 1, height - area.y);
  return area;
}

int Present::unit(int width, int height) {
  return std::max(1, static_cast<int>(std::lround(std::min(width, height) / 360.0)));
}

Present::Present(Context &context, int width, int height, Layout layout)
    : width_(width), height_(height) {
  try {
    const cl::Program program = context.program("histogram/present.cl", frame_options(layout));
    heights_kernel_ = Kernel(context, program, "display_heights", {256, 1});
    present_ = Kernel(context, program, "present", {32, 8});
    heights_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, most_counters * sizeof(cl_ushort));
  } catch (const cl::Error &error) {
    throw Error("The histogram can't be shown by " + context.device().name + ".", error);
  }
}

/// Fewer groups where each makes tables for itself.
size_t Present::rows_at_a_time(const Device &device, Equalize equalize) const {
  const Size group = present_.group();
  const size_t units = device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
               groups = units * (equalize == Equalize::none ? 32 : 4),
               columns = (width_ + group.x - 1) / group.x;
  return std::min(std::max<size_t>(groups / columns, 1) * group.y, size_t(height_));
}

void Present::run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out,
                  const Histogram::Format &format, const cl::Buffer &counts,
                  const cl::Buffer &equalize_counts) {
  if (settings.display != Display::none)
    heights_kernel_(queue, {256, 1}, counts, format.counters(), int(settings.logarithmic),
                    static_cast<int>(std::lround(65535 * settings.level_height)), heights_);
  const Area area = panel(settings, width_, height_);
  const cl_int4 rectangle = {{area.x, area.y, area.width, area.height}};
  const int equalize = static_cast<int>(settings.equalize),
            display = static_cast<int>(settings.display), channels = format.channels(),
            levels = format.counters() / channels,
            axis = format.levels() == levels ? 0 : format.levels(), dot = unit(width_, height_);
  const auto opacity = static_cast<cl_float>(settings.opacity);
  const Size items{size_t(width_), rows_at_a_time(queue.context().device(), settings.equalize)};
  present_(queue, items, in, out, width_, height_, equalize, equalize_counts, rectangle, display,
           channels, levels, axis, dot, heights_, opacity);
}

}  // namespace glcl::histogram
