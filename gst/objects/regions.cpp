// SPDX-License-Identifier: LGPL-2.1-or-later
#include "regions.h"

#include <string>
#include <vector>

#include "opencl/error.h"

namespace glcl::objects {

namespace {

constexpr float cut_part = 0.6f;  // part of the frame; more foreground is a cut

}  // namespace

Regions::Regions(Context &context, const camera::FrameGeometry &frame)
    : Regions(context, frame, context.device().is_cpu() ? 64 : one_group(context.device().device)) {
}

Regions::Regions(Context &context, const camera::FrameGeometry &frame, size_t items)
    : frame_(frame),
      cells_{{(frame.size.s[0] + REGION_CELL - 1) / REGION_CELL,
              (frame.size.s[1] + REGION_CELL - 1) / REGION_CELL}} {
  const Program program = context.program("objects/regions.cl", "-DITEMS=" + std::to_string(items));
  const Size rows = context.device().is_cpu() ? Size{64, 1} : Size{32, 8};
  cells_kernel_ = Kernel(context, program, "objects_cells", rows);
  join_ = Kernel(context, program, "objects_join", rows);
  gather_ = Kernel(context, program, "objects_gather", rows);
  list_ = Kernel(context, program, "objects_list", {});
  mask_kernel_ = Kernel(context, program, "objects_mask", rows);
  const size_t cells = size_t(cells_.s[0]) * cells_.s[1];
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    std::vector<unsigned char> everywhere(cells, 255);
    mask_ =
        cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, cells, everywhere.data());
    cell_words_ = make(cells * sizeof(cl_uint2));
    labels_ = make(cells * sizeof(cl_int));
    regions_ = make(cells * sizeof(Region));
    std::vector<cl_uint> zeros(1 + (cells + 31) / 32);
    roots_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        zeros.size() * sizeof(cl_uint), zeros.data());
    std::vector<unsigned char> list(sizeof(RegionList) + sizeof(SceneSums));
    region_list_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, list.size(),
                              list.data());
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for object detection on " + context.device().name + ".",
                error);
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

void Regions::run(Queue &queue, int least, const cl::Buffer &foreground, const cl::Buffer &small,
                  const MotionGroups &groups, const cl::Buffer &state, const cl::Buffer &deviation,
                  const cl::Buffer *changes) {
  const Size cells{size_t(cells_.s[0]), size_t(cells_.s[1])};
  cells_kernel_(queue, cells, foreground, small, frame_.size, mask_, cells_, cell_words_, labels_,
                regions_, roots_, groups.groups(), groups.first_cells(), groups.grid());
  join_(queue, cells, cell_words_, cells_, labels_, groups.groups(), groups.first_cells(),
        groups.grid());
  gather_(queue, cells, cell_words_, cells_, labels_, regions_, roots_, groups.groups(),
          groups.motions(), groups.grid(), changes ? *changes : mask_,
          changes ? frame_.size : cl_int2{});
  const auto counted = [](int length) {
    return (length + DEVIATION_SPACING - 1) / DEVIATION_SPACING;
  };
  const auto [width, height] = frame_.size.s;
  list_(queue, list_.group(), regions_, roots_, state, region_list_, deviation,
        RegionSearch{cells_.s[0] * cells_.s[1], least, width * height,
                     counted(width) * counted(height), cut_part});
}

void Regions::mask(Queue &queue, const cl::Buffer &foreground, const cl::Buffer &out,
                   size_t offset) {
  mask_kernel_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, foreground, frame_.size,
               mask_, cells_, region_list_, out, static_cast<cl_int>(offset));
}

}  // namespace glcl::objects
