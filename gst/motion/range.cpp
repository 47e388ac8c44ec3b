// SPDX-License-Identifier: LGPL-2.1-or-later
#include "range.h"

#include <algorithm>
#include <cmath>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::motion {

std::vector<int> Range::ranges(int least, int most) {
  least = std::min(least, most);
  std::vector<int> ranges;
  for (int i = 0; i < steps; i++)
    ranges.push_back(static_cast<int>(
        std::lround(least * std::pow(double(most) / least, double(i) / (steps - 1)))));
  return ranges;
}

int Range::reduction_for(int width, int height) {
  const int side = std::max(width, height);
  return side > 2560 ? 8 : side > 480 ? 4 : 2;
}

std::vector<int> Range::reduced_ranges(const std::vector<int> &ranges, int reduction) {
  std::vector<int> reduced;
  for (const int range : ranges) reduced.push_back(std::max(range - reduction / 2, 0) / reduction);
  reduced.back() = (ranges.back() + reduction - 1) / reduction;
  return reduced;
}

Range::Range(Context &context, int width, int height) try
    : columns_((width + LumaPlane::strip - 1) / LumaPlane::strip),
      rows_((height + LumaPlane::strip - 1) / LumaPlane::strip),
      reduction_(reduction_for(width, height)),
      reducer_(context, width, height, reduction_),
      search_(context, COARSE_BLOCK) {
  const Program program = context.program(
      "motion/range.cl", "-DSHARE=" + std::to_string(share) + " -DBLOCKS=" +
                             std::to_string(LumaPlane::strip / COARSE_BLOCK / reduction_));
  sum_ = Kernel(context, program, "motion_range_sum", {8, 8});
  choose_ = Kernel(context, program, "motion_range_choose", {});
  const auto make = [&](size_t bytes) { return make_buffer(context.cl(), bytes); };
  keys_ = make(search_.keys(reducer_.reduced().current) * sizeof(Key));
  sums_ = make(size_t(steps) * areas() * sizeof(cl_ulong));
  ranges_ = make(steps * sizeof(cl_int));
  needed_ = make(areas() * sizeof(cl_int));
  area_ranges_ = make(areas() * sizeof(cl_int));
  last_sum_ = make(sizeof(cl_ulong));
  mean_square_ = make(sizeof(cl_int));
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the motion search on " + context.device().name + ".",
              error);
}

void Range::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int least,
                int most, int lambda, const PredictionTarget &target, bool follows) {
  const std::vector<int> ranges = Range::ranges(least, most);
  if (ranges != current_ranges_) {
    current_ranges_ = ranges;
    for (int i = 0; i < steps; i++)
      queue.cl().enqueueFillBuffer(ranges_, cl_int(ranges[i]), i * sizeof(cl_int), sizeof(cl_int));
  }
  reducer_.run(queue, {current, reference});
  const SearchPlanes planes = reducer_.reduced();
  const std::vector<int> reduced = Range::reduced_ranges(ranges, reduction_);
  const cl_int2 areas{{columns_, rows_}};
  const int coarse_lambda = std::max(lambda, least_lambda);
  for (int i = 0; i < steps; i++) {
    if (i == 0 || reduced[i] != reduced[i - 1])
      search_.run(queue, planes.current, planes.reference, SearchWindow::of_range(reduced[i]),
                  coarse_lambda, keys_);
    sum_(queue, {size_t(columns_), size_t(rows_)}, keys_, search_.columns(planes.current),
         search_.rows(planes.current), areas, coarse_lambda, cl_int(i), sums_);
  }
  const RangeChoice choice{areas, steps, target.parts,
                           target.parts ? static_cast<cl_float>(target.errors) : -1.0f, follows};
  choose_(queue, {choose_.group().x, 1}, sums_, ranges_, target.parts ? target.sums : sums_,
          last_sum_, needed_, area_ranges_, mean_square_, choice);
}

}  // namespace glcl::motion
