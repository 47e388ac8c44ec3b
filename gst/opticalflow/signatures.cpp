// SPDX-License-Identifier: LGPL-2.1-or-later
#include "signatures.h"

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::opticalflow {

Signatures::Signatures(Context &context, int width, int height)
    : Signatures(context, width, height, SignatureTable::default_group(context.device()), {16, 16},
                 SignatureTable::default_lanes(context.device())) {}

Signatures::Signatures(Context &context, int width, int height, Size find_group, Size pick_group,
                       int lanes) try
    : columns_(columns(width)),
      rows_(rows(height)),
      table_(context, width, height, find_group, lanes) {
  const Program program = SignatureTable::program(context, lanes);
  pick_ = Kernel(context, program, "signatures_pick", pick_group);
  list_ = Kernel(context, program, "signatures_list", {128, 1});
  picked_ = make_buffer(context.cl(), size_t(columns_) * rows_ * sizeof(Match));
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for matching signatures on " + context.device().name + ".",
              error);
}

void Signatures::match(Queue &queue, const Plane &before, const Plane &after, bool known) {
  table_.claim(queue, before, after, known);
  const Size pick = pick_.group();
  pick_(queue, {size_t(columns_), size_t(rows_)}, table_.claims(), cl_int2{{width(), height()}},
        picked_, cl_int2{{columns_, rows_}}, table_.row_counts(),
        cl::Local((pick.x + 2 * CONFIRM_X) * (pick.y + 2 * CONFIRM_Y) * sizeof(cl_short4)));
}

void Signatures::list(Queue &queue, const cl::Buffer &result, size_t offset) {
  const Size group = list_.group();
  list_(queue, {group.x * rows_, 1}, picked_, cl_int2{{columns_, rows_}}, table_.row_counts(),
        result, static_cast<cl_int>(offset / sizeof(cl_float4)),
        cl::Local(group.x * sizeof(cl_int)));
}

}  // namespace glcl::opticalflow
