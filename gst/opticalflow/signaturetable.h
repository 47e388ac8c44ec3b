// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/plane.h"
#include "opencl/queue.h"
#include "opticalflow/interface.h"

namespace glcl::opticalflow {

/// The census signatures of two frames in a hash table, which pairs the pixels whose signature is
/// unique in both frames.
class SignatureTable {
 public:
  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  SignatureTable(Context &context, int width, int height);
  /// The same with this work-group. `lanes`: pixels that an item processes at a time, 1, 4, 8
  /// or 16.
  SignatureTable(Context &context, int width, int height, Size find_group, int lanes);

  /// The work-group and the lanes that suit a device.
  static Size default_group(const Device &device);
  static int default_lanes(const Device &device);
  /// The kernels for signatures.
  static Program program(Context &context, int lanes);

  /// Enqueues the search for pixels of `before` in `after`, see Signatures::match(); the result is
  /// claims(). Also clears row_counts().
  void claim(Queue &queue, const Plane &before, const Plane &after, bool known = false);

  /// The pairs of pixels, for kernels/opticalflow/match.clh.
  const cl::Buffer &claims() const { return claims_; }
  /// An int per row of cells, for the kernel `signatures_pick`.
  const cl::Buffer &row_counts() const { return row_counts_; }
  int width() const { return width_; }
  int height() const { return height_; }

  /// Slots of the hash table: a power of two, at least 2 per pixel.
  static int slots(int width, int height);
  /// Cells of Signatures along x and y.
  static int columns(int width) { return (width + MATCH_X - 1) / MATCH_X; }
  static int rows(int height) { return (height + MATCH_Y - 1) / MATCH_Y; }

 private:
  int width_, height_, slot_count_;
  cl_int earlier_ = 0;  // the half of signatures_ with the earlier frame
  cl_int table_ = 0;    // the half of slots_ in use; the other one is empty
  int lanes_;           // pixels that an item processes at a time, V in the kernels
  Size tile_;
  Kernel find_, insert_, claim_;
  cl::Buffer signatures_, slots_, claims_, row_counts_;
};

}  // namespace glcl::opticalflow
