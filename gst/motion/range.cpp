// SPDX-License-Identifier: LGPL-2.1-or-later
#include "range.h"

#include <cmath>

#include "opencl/error.h"

namespace glcl::motion {

namespace {

constexpr int coarse_block = 8;

}  // namespace

std::vector<int> Range::ranges(int least, int most) {
  least = std::min(least, most);
  std::vector<int> ranges;
  for (int i = 0; i < steps; i++)
    ranges.push_back(static_cast<int>(
        std::lround(least * std::pow(double(most) / least, double(i) / (steps - 1)))));
  return ranges;
}

Range::Range(Context &context, int width, int height)
    : columns_((width + Plane::strip - 1) / Plane::strip),
      rows_((height + Plane::strip - 1) / Plane::strip),
      luma_(context, Layout::buffer),
      search_(context, coarse_block) {
  const Program program = context.program("motion/range.cl", "-DSHARE=" + std::to_string(share));
  sum_ = Kernel(context, program, "motion_range_sum", {8, 8});
  choose_ = Kernel(context, program, "motion_range_choose", {});
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    for (Plane &plane : half_) plane = make_plane(context.cl(), (width + 1) / 2, (height + 1) / 2);
    keys_ = make(search_.keys(half_[0]) * sizeof(Key));
    sums_ = make(size_t(steps) * areas() * sizeof(cl_ulong));
    ranges_ = make(steps * sizeof(cl_int));
    needs_ = make(areas() * sizeof(cl_int));
    limits_ = make(areas() * sizeof(cl_int));
    last_ = make(sizeof(cl_ulong));
    mean_ = make(sizeof(cl_int));
  } catch (const cl::Error &error) {
    throw Error("There is no memory for a motion search on " + context.device().name + ".", error);
  }
}

void Range::run(Queue &queue, const Plane &current, const Plane &reference, int least, int most,
                int lambda, const Target &target, bool follows) {
  const std::vector<int> ranges = Range::ranges(least, most);
  if (ranges != known_) {
    known_ = ranges;
    for (int i = 0; i < steps; i++)
      queue.cl().enqueueFillBuffer(ranges_, cl_int(ranges[i]), i * sizeof(cl_int), sizeof(cl_int));
  }
  luma_.halve(queue, current, half_[0]);
  luma_.halve(queue, reference, half_[1]);
  const cl_int2 areas{{columns_, rows_}};
  const int coarse_lambda = std::max(lambda, least_lambda);
  for (int i = 0; i < steps; i++) {
    if (i == 0 || ranges[i] / 2 != ranges[i - 1] / 2)
      search_.run(queue, half_[0], half_[1], Window::of_range(ranges[i] / 2), coarse_lambda, keys_);
    sum_(queue, {size_t(columns_), size_t(rows_)}, keys_, search_.columns(half_[0]),
         search_.rows(half_[0]), areas, coarse_lambda, cl_int(i), sums_);
  }
  choose_(queue, {choose_.group().x, 1}, sums_, areas, ranges_, cl_int(steps),
          target.parts ? target.sums : sums_, cl_int(target.parts),
          target.parts ? static_cast<cl_float>(target.errors) : -1.0f, cl_int(follows), last_,
          needs_, limits_, mean_);
}

}  // namespace glcl::motion
