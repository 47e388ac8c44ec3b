// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "opencl/error.h"

namespace glcl::camera {

namespace {

constexpr int band = 8;           // BAND in the kernels
constexpr size_t counters = 128;  // COUNTERS in the kernel

/// Work-items of a group: 1, or at least one per counter.
int group_items(const Device &device) {
  const size_t most =
      device.is_cpu() ? 1 : std::min<size_t>(2 * counters, one_group(device.device));
  return most < counters ? 1 : static_cast<int>(most);
}

}  // namespace

Rows::Rows(Context &context, const FrameGeometry &frame)
    : frame_(frame),
      items_(group_items(context.device())),
      bands_((frame.size.s[1] + band - 1) / band) {
  kernel_ = Kernel(context, context.program("camera/rows.cl", "-DITEMS=" + std::to_string(items_)),
                   "camera_rows", {});
  std::vector<cl_float> even(2 + size_t(bands_), 1.0f);  // part, swing, ratios
  even[0] = even[1] = 0;
  try {
    for (cl::Buffer *rows : {&guess_, &rows_[0], &rows_[1]})
      *rows = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         even.size() * sizeof(cl_float), even.data());
    cl_int none[4]{};
    tally_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, none);
  } catch (const cl::Error &error) {
    throw Error(
        "Can't allocate memory for the brightness of rows on " + context.device().name + ".",
        error);
  }
}

void Rows::guess(Queue &queue, const cl::Buffer &small, const Model &model, bool motion) {
  run(queue, small, model, 1, motion, rows_[now_], guess_);
}

void Rows::measure(Queue &queue, const cl::Buffer &small, const Model &model) {
  now_ = 1 - now_;
  run(queue, small, model, 0, 0, rows_[1 - now_], rows_[now_]);
}

void Rows::run(Queue &queue, const cl::Buffer &small, const Model &model, int guess, int motion,
               const cl::Buffer &before, const cl::Buffer &rows) {
  kernel_(queue, {size_t(bands_) * items_, 1}, small, model.background, model.ages,
          model.foreground, model.state, frame_, bands_, guess, motion, before, rows, tally_);
}

}  // namespace glcl::camera
