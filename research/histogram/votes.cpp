// SPDX-License-Identifier: LGPL-2.1-or-later
#include "votes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "opencl/error.h"

namespace glcl::research {

Votes::Votes(Context &context, int counters, int copies) : counters_(counters), copies_(copies) {
  if (counters < 1 || copies < 1)
    throw Error(Error::Kind::settings, "A histogram of " + std::to_string(counters) +
                                           " counters in " + std::to_string(copies) +
                                           " copies can't be counted; take at least one of each.");
  try {
    const Program program = context.program("research/histogram/votes.cl");
    count_ = Kernel(context, program, "votes_count", {256, 1});
    reduce_ = Kernel(context, program, "votes_reduce", {256, 1});
    items_ = size_t(context.device().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) * 8 * 256;
    std::vector<cl_uint> zeros(size_t(counters) * copies);
    sub_histograms_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 sizeof(cl_uint) * zeros.size(), zeros.data());
  } catch (const cl::Error &error) {
    throw Error("Votes can't be counted on " + context.device().name + ".", error);
  }
}

void Votes::run(Queue &queue, const cl::Buffer &votes, int count, const cl::Buffer &out) {
  const auto items = std::clamp<size_t>(count, 1, items_);
  count_(queue, {items, 1}, votes, cl_uint(std::max(count, 0)), counters_, copies_,
         sub_histograms_);
  reduce_(queue, {counters_, 1}, sub_histograms_, counters_, copies_, out);
}

}  // namespace glcl::research
