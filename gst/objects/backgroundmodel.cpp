// SPDX-License-Identifier: LGPL-2.1-or-later
#include "backgroundmodel.h"

#include <vector>

#include "opencl/error.h"

namespace glcl::objects {

BackgroundModel::BackgroundModel(Context &context, const camera::FrameGeometry &frame)
    : frame_(frame) {
  const Size group = context.device().is_cpu() ? Size{64, 1} : Size{32, 8};
  kernel_ =
      Kernel(context, context.program("objects/backgroundmodel.cl"), "objects_background", group)
          .in_bands();
  means_kernel_ =
      Kernel(context, context.program("objects/standing.cl"), "objects_standing", group);
  const size_t pixels = size_t(frame.size.s[0]) * frame.size.s[1];
  try {
    for (int i = 0; i < 2; i++) {
      levels_[i] = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * sizeof(cl_float2));
      history_[i] = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * sizeof(PixelHistory));
    }
    std::vector<cl_uchar> deviation(sizeof(Deviation) + size_t(cells_of(frame).s[0]) *
                                                            cells_of(frame).s[1] * sizeof(Bounds));
    deviation_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            deviation.size(), deviation.data());
    const cl_int2 cells = standing_cells_of(frame);
    means_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE,
                        size_t(cells.s[0]) * cells.s[1] * sizeof(cl_ushort));
    std::vector<cl_uchar> no_marks(pixels);
    foreground_ =
        cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, pixels, no_marks.data());
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the background model on " + context.device().name + ".",
                error);
  }
}

cl_int2 BackgroundModel::cells_of(const camera::FrameGeometry &frame) {
  return {{(frame.size.s[0] + BOUNDS_CELL - 1) / BOUNDS_CELL,
           (frame.size.s[1] + BOUNDS_CELL - 1) / BOUNDS_CELL}};
}

cl_int2 BackgroundModel::standing_cells_of(const camera::FrameGeometry &frame) {
  return {{(frame.size.s[0] + STANDING_CELL - 1) / STANDING_CELL,
           (frame.size.s[1] + STANDING_CELL - 1) / STANDING_CELL}};
}

const cl::Buffer &BackgroundModel::means(Queue &queue) {
  const cl_int2 cells = standing_cells_of(frame_);
  means_kernel_(queue, {size_t(cells.s[0]), size_t(cells.s[1])}, levels(), history(), frame_.size,
                cells, means_);
  return means_;
}

void BackgroundModel::set_bounds(Queue &queue, const std::vector<Bounds> &bounds) {
  static_assert(sizeof(Bounds) == sizeof(cl_float2) && sizeof(Deviation) % sizeof(cl_float2) == 0);
  own_bounds_ = !bounds.empty();
  if (bounds.empty()) return;
  const size_t bytes = bounds.size() * sizeof(Bounds);
  std::vector<Bounds> copy = bounds;
  const cl::Buffer fresh(deviation_.getInfo<CL_MEM_CONTEXT>(),
                         CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, copy.data());
  queue.cl().enqueueCopyBuffer(fresh, deviation_, 0, sizeof(Deviation), bytes);
}

void BackgroundModel::run(Queue &queue, const Bounds &bounds, const cl::Buffer &small,
                          const cl::Buffer &state, const camera::RowBrightness &rows,
                          const noise::Noise &noise, const cl::Buffer &regions) {
  const int from = now_;
  now_ = 1 - now_;
  // Filtering by (1 2 1) / 4 along both axes leaves this part of the noise variance.
  const float noise_gain = 0.375f * 0.375f / (frame_.reduction * frame_.reduction);
  kernel_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, levels_[from],
          history_[from], levels_[now_], history_[now_], small, state, noise.state(), regions,
          rows.brightness(), foreground_, deviation_,
          BackgroundUpdate{frame_, noise_gain, bounds.deviations, bounds.edges, rows.bands(),
                           noise.measured(), own_bounds_});
}

}  // namespace glcl::objects
