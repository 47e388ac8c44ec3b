// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shotvalues.h"

#include "opencl/error.h"
#include "structure.h"

namespace glcl::histogram {

ShotValues::ShotValues(Context &context, const FrameFormat &frame, size_t counts)
    : counts_(counts),
      cells_(context, context.program("histogram/cells.cl", frame_options(frame)), "cells",
             {context.device().is_cpu() ? 1u : 64u, 1}) {
  try {
    values_ =
        cl::Buffer(context.cl(), CL_MEM_READ_WRITE, (counts + Structure::values) * sizeof(cl_uint));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for shot detection on " + context.device().name + ".",
                error);
  }
}

const cl::Buffer &ShotValues::run(Queue &queue, const Picture &in, const cl::Buffer &counts) {
  queue.cl().enqueueCopyBuffer(counts, values_, 0, 0, counts_ * sizeof(cl_uint));
  cells_(queue, {1, size_t(Structure::cells)}, FirstPlane{in}, in.width, in.height,
         int(Structure::columns), int(Structure::rows), values_, int(counts_));
  return values_;
}

}  // namespace glcl::histogram
