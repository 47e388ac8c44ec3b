// SPDX-License-Identifier: LGPL-2.1-or-later
#include "regions.h"

#include <string>
#include <vector>

#include "opencl/error.h"

namespace glcl::objects {

namespace {

constexpr float change = 0.6f;  // part of a frame that no object covers

}  // namespace

Regions::Regions(Context &context, const camera::Frame &frame)
    : Regions(context, frame, context.device().is_cpu() ? 64 : one_group(context.device().device)) {
}

Regions::Regions(Context &context, const camera::Frame &frame, size_t items)
    : frame_(frame),
      cells_{{(frame.size.s[0] + cell - 1) / cell, (frame.size.s[1] + cell - 1) / cell}} {
  const cl::Program program =
      context.program("objects/regions.cl", "-DITEMS=" + std::to_string(items));
  cells_kernel_ = Kernel(context, program, "objects_cells",
                         {context.device().is_cpu() ? size_t(64) : size_t(32), 1});
  regions_kernel_ = Kernel(context, program, "objects_regions", {});
  mask_kernel_ = Kernel(context, program, "objects_mask",
                        {context.device().is_cpu() ? size_t(64) : size_t(32), 1});
  const size_t cells = size_t(cells_.s[0]) * cells_.s[1];
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    std::vector<unsigned char> everywhere(cells, 255);
    mask_ =
        cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, cells, everywhere.data());
    counts_ = make(cells * sizeof(cl_uint));
    labels_ = make(cells * sizeof(cl_int));
    regions_ = make(cells * sizeof(Region));
    result_ = make(sizeof(Result));
  } catch (const cl::Error &error) {
    throw Error("There is no memory to find objects on " + context.device().name + ".", error);
  }
}

void Regions::set_mask(Queue &queue, const unsigned char *mask, int width, int height) {
  std::vector<unsigned char> cells(size_t(cells_.s[0]) * cells_.s[1], 255);
  for (int y = 0; y < cells_.s[1] && mask; y++)
    for (int x = 0; x < cells_.s[0]; x++) {
      const auto at = [](int cell, int cells, int length) {
        return size_t(2 * cell + 1) * length / (2 * size_t(cells));
      };
      cells[size_t(y) * cells_.s[0] + x] =
          mask[at(y, cells_.s[1], height) * width + at(x, cells_.s[0], width)];
    }
  queue.cl().enqueueWriteBuffer(mask_, CL_TRUE, 0, cells.size(), cells.data());
}

void Regions::run(Queue &queue, int least, const cl::Buffer &front, const cl::Buffer &state) {
  cells_kernel_(queue, {size_t(cells_.s[0]), size_t(cells_.s[1])}, front, frame_.size, mask_,
                cells_, counts_);
  regions_kernel_(queue, regions_kernel_.group(), counts_, cells_, least, change,
                  frame_.size.s[0] * frame_.size.s[1], labels_, regions_, state, result_);
}

void Regions::mask(Queue &queue, const cl::Buffer &front, const cl::Buffer &out, size_t offset) {
  mask_kernel_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, front, frame_.size,
               result_, out, static_cast<cl_int>(offset));
}

}  // namespace glcl::objects
