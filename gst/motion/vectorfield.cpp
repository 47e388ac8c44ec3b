// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vectorfield.h"

#include "opencl/buffer.h"

namespace glcl::motion {

namespace {

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

VectorField::VectorField(const MotionSettings &settings, int width, int height) {
  block = settings.partitions ? 16 : settings.block;
  cell = settings.partitions ? 4 : block;
  block_columns = (width + block - 1) / block;
  block_rows = (height + block - 1) / block;
  columns = block_columns * (block / cell);
  rows = block_rows * (block / cell);
  costs = aligned(cells() * sizeof(Vector));
  shapes = costs + aligned(blocks() * sizeof(cl_uint));
  bytes = shapes + aligned(blocks() * sizeof(cl_ushort));
}

FieldBuffers::FieldBuffers(const cl::Context &context, const VectorField &field)
    : vectors(make_buffer(context, field.cells() * sizeof(Vector))),
      costs(make_buffer(context, field.blocks() * sizeof(cl_uint))),
      shapes(make_buffer(context, field.blocks() * sizeof(cl_ushort))) {}

void FieldBuffers::clear(Queue &queue, const VectorField &field) const {
  queue.cl().enqueueFillBuffer(vectors, cl_int(0), 0, field.cells() * sizeof(Vector));
  queue.cl().enqueueFillBuffer(costs, cl_uint(0), 0, field.blocks() * sizeof(cl_uint));
  queue.cl().enqueueFillBuffer(shapes, cl_ushort(0), 0, field.blocks() * sizeof(cl_ushort));
}

void FieldBuffers::copy(Queue &queue, const VectorField &field, const cl::Buffer &to) const {
  const auto copy = [&](const cl::Buffer &from, size_t offset, size_t bytes) {
    queue.cl().enqueueCopyBuffer(from, to, 0, offset, bytes);
  };
  copy(vectors, 0, field.cells() * sizeof(Vector));
  copy(costs, field.costs, field.blocks() * sizeof(cl_uint));
  copy(shapes, field.shapes, field.blocks() * sizeof(cl_ushort));
}

FieldConverter::FieldConverter(Context &context) {
  const Program program = context.program("motion/field.cl");
  field_ = Kernel(context, program, "motion_field", {64, 1});
  choose_ = Kernel(context, program, "motion_choose", {64, 1});
}

void FieldConverter::run(Queue &queue, const MotionSettings &settings, const VectorField &field,
                         const cl::Buffer &keys, const FieldBuffers &to) {
  if (settings.partitions)
    choose_(queue, {size_t(field.block_columns), size_t(field.block_rows)}, keys, to.vectors,
            to.costs, to.shapes, settings.lambda, field.block_columns, field.block_rows);
  else
    field_(queue, {field.blocks(), 1}, keys, to.vectors, to.costs, to.shapes,
           cl_int(field.blocks()));
}

}  // namespace glcl::motion
