// SPDX-License-Identifier: LGPL-2.1-or-later
#include "errors.h"

#include <cstring>

namespace glcl::motion {

SquaredErrors::SquaredErrors(Context &context, const Search &search)
    : search_(&search),
      kernel_(context, context.program("motion/errors.cl"), "motion_errors", {}) {}

void SquaredErrors::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                        const cl::Buffer &keys, const cl::Buffer &sums) {
  const int columns = search_->columns(current), blocks = columns * search_->rows(current);
  kernel_(queue, {SUMMERS * parts, 1}, keys, cl_int(search_->keys(current) / blocks),
          search_->side(), columns, current.buffer, reference.buffer, current.pitch, current.width,
          current.height, sums);
}

double SquaredErrors::total(const void *sums) {
  double total = 0;
  for (size_t i = 0; i < parts; i++) {
    cl_long sum;
    std::memcpy(&sum, static_cast<const cl_long *>(sums) + i, sizeof sum);
    total += static_cast<double>(sum);
  }
  return total;
}

}  // namespace glcl::motion
