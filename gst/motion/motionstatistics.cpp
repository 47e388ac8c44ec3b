// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motionstatistics.h"

#include <cmath>
#include <cstring>

#include "opencl/buffer.h"

namespace glcl::motion {

namespace {

// The noise variance and the mean square of ranges follow the sums.
constexpr size_t noise_at = MotionStatistics::parts * SUM_VALUES * sizeof(cl_long);  // bytes
constexpr size_t range_at = noise_at + sizeof(cl_long);

// MotionSummary::fails()
constexpr double least_explained = 0.5;   // of the changed pixels
constexpr double most_unexplained = 0.2;  // of the frame

}  // namespace

MotionSummary::MotionSummary(const VectorField &field, int width, int height, const void *sums) {
  double total[SUM_VALUES]{};
  for (size_t i = 0; i < size_t(MotionStatistics::parts) * SUM_VALUES; i++) {
    cl_long sum;
    std::memcpy(&sum, static_cast<const cl_long *>(sums) + i, sizeof sum);
    total[i % SUM_VALUES] += static_cast<double>(sum);
  }
  const cl_int2 inside = field.cells_inside(width, height);
  const double cells = double(inside.s[0]) * inside.s[1];
  mse = total[0] / (double(width) * height);
  zero = total[1] / cells;
  mean_x = total[2] / (4 * cells);
  mean_y = total[3] / (4 * cells);
  changed = total[4] / (double(width) * height);
  explained = total[4] > 0 ? total[5] / total[4] : 0;
  cl_float variance;
  std::memcpy(&variance, static_cast<const char *>(sums) + noise_at, sizeof variance);
  noise = std::sqrt(variance);
  cl_int known;
  std::memcpy(&known, static_cast<const char *>(sums) + range_at, sizeof known);
  range = field.range ? field.range : static_cast<int>(std::lround(std::sqrt(known)));
}

double MotionSummary::psnr() const { return 10 * std::log10(255 * 255 / mse); }

bool MotionSummary::fails() const {
  return explained < least_explained && changed * (1 - explained) > most_unexplained;
}

MotionStatistics::MotionStatistics(Context &context)
    : kernel_(context, context.program("motion/field.cl"), "motion_sums", {}),
      sums_(make_buffer(context.cl(), bytes)) {}

void MotionStatistics::run(Queue &queue, const SearchPlanes &planes, const LumaPlane &predicted,
                           const VectorField &field, const cl::Buffer &vectors,
                           const noise::Noise &noise, const cl::Buffer *range_square) {
  const int width = predicted.width, height = predicted.height;
  kernel_(queue, {size_t(SUMMERS) * parts, 1}, planes.current.buffer, planes.reference.buffer,
          predicted.buffer, planes.current.pitch, width, height, vectors,
          field.cells_inside(width, height), field.columns, noise.variances(), sums_);
  queue.cl().enqueueCopyBuffer(noise.variances(), sums_, 0, noise_at, sizeof(cl_float));
  if (range_square) queue.cl().enqueueCopyBuffer(*range_square, sums_, 0, range_at, sizeof(cl_int));
}

}  // namespace glcl::motion
