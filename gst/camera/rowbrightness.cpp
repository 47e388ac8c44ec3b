// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rowbrightness.h"

#include <algorithm>
#include <string>
#include <vector>

#include "opencl/error.h"

namespace glcl::camera {

namespace {

/// Work-items of a group: 1, or at least one per counter.
int group_items(const Device &device) {
  const size_t most =
      device.is_cpu() ? 1 : std::min<size_t>(2 * RATIO_COUNTERS, one_group(device.device));
  return most < RATIO_COUNTERS ? 1 : static_cast<int>(most);
}

}  // namespace

RowBrightness::RowBrightness(Context &context, const FrameGeometry &frame)
    : frame_(frame),
      items_(group_items(context.device())),
      bands_((frame.size.s[1] + ROW_BAND - 1) / ROW_BAND) {
  kernel_ = Kernel(context, context.program("camera/rows.cl", "-DITEMS=" + std::to_string(items_)),
                   "camera_rows", {});
  std::vector<cl_float> even(RATIOS + size_t(bands_), 1.0f);
  even[ROLL_PART] = even[SWING] = 0;
  try {
    for (cl::Buffer *rows : {&estimated_, &rows_[0], &rows_[1]})
      *rows = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         even.size() * sizeof(cl_float), even.data());
    RowTally none{};
    tally_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, &none);
  } catch (const cl::Error &error) {
    throw Error(
        "Can't allocate memory for the brightness of rows on " + context.device().name + ".",
        error);
  }
}

void RowBrightness::estimate(Queue &queue, const cl::Buffer &small, const Model &model,
                             bool motion) {
  run(queue, small, model, {frame_, bands_, true, motion}, rows_[now_], estimated_);
}

void RowBrightness::measure(Queue &queue, const cl::Buffer &small, const Model &model) {
  now_ = 1 - now_;
  run(queue, small, model, {frame_, bands_}, rows_[1 - now_], rows_[now_]);
}

void RowBrightness::run(Queue &queue, const cl::Buffer &small, const Model &model,
                        const RowMeasurement &measurement, const cl::Buffer &before,
                        const cl::Buffer &rows) {
  kernel_(queue, {size_t(bands_) * items_, 1}, small, model.background, model.history,
          model.foreground, model.state, before, rows, tally_, measurement);
}

}  // namespace glcl::camera
