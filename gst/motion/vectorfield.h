// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "motionsettings.h"

namespace glcl::motion {

/// The layout of a result: three arrays, each aligned to 64 bytes. They have a Vector per cell, a
/// cost of 32 bits per block, and a shape of 16 bits per block. The shape of an undivided block
/// is 0. Otherwise bits 0–1 are the division of the macroblock (1: 16×8, 2: 8×16, 3: quarters),
/// bits 2 + 2q and 3 + 2q that of quarter q.
struct VectorField {
  VectorField() = default;
  VectorField(const MotionSettings &settings, int width, int height);

  int cell = 0, columns = 0, rows = 0;               ///< px between vectors; size of the field
  int block = 0, block_columns = 0, block_rows = 0;  ///< px; blocks along x and y
  int range = 0;                                     ///< of the search, px; 0: see MotionSummary
  size_t costs = 0, shapes = 0;                      ///< offsets of these arrays, bytes
  size_t bytes = 0;                                  ///< of all arrays

  size_t cells() const { return size_t(columns) * rows; }
  size_t blocks() const { return size_t(block_columns) * block_rows; }
  /// Columns and rows of the cells that lie in the frame, at least in part.
  cl_int2 cells_inside(int width, int height) const {
    return {{(width + cell - 1) / cell, (height + cell - 1) / cell}};
  }
};

/// The arrays of a field.
struct FieldBuffers {
  FieldBuffers() = default;
  /// Throws cl::Error.
  FieldBuffers(const cl::Context &context, const VectorField &field);

  /// Enqueues filling all arrays with 0.
  void clear(Queue &queue, const VectorField &field) const;
  /// Enqueues a copy of all arrays to a buffer of field.bytes.
  void copy(Queue &queue, const VectorField &field, const cl::Buffer &to) const;

  cl::Buffer vectors, costs, shapes;
};

/// Converts the keys of a search to a field.
class FieldConverter {
 public:
  /// Throws Error::failed if the device refuses the kernels.
  explicit FieldConverter(Context &context);

  /// Enqueues the conversion; with partitions it selects the cheapest division of each macroblock.
  void run(Queue &queue, const MotionSettings &settings, const VectorField &field,
           const cl::Buffer &keys, const FieldBuffers &to);

 private:
  Kernel field_, choose_;
};

}  // namespace glcl::motion
