// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::hough {

/// Keeps the weak edges that are connected with a strong one: joins the edges of each component
/// over the borders of tiles, then deletes components without a strong edge.
class Hysteresis {
 public:
  /// For pictures of width × height px that are processed in tiles of `tile` px. `rows`: as in
  /// Canny::Form::rows, else as in Canny::Form::tiles. Throws cl::Error.
  Hysteresis(Context &context, int width, int height, bool rows, Size group, Size tile);

  /// Selects the kernels. `edges`: the program of the edges.
  void set_program(Context &context, const Program &edges);
  /// Allocates labels().
  void prepare();
  /// Enqueues both steps for edges whose labels within tiles are in labels().
  void run(Queue &queue, const cl::Buffer &edges);

  /// A uint per pixel, after prepare(): the label of its component.
  const cl::Buffer &labels() const { return labels_; }
  /// With rows: a uchar per run of 16 px of a row, whether it has weak edges; and the number of
  /// runs of a row.
  const cl::Buffer &has_weak() const { return has_weak_; }
  int runs() const { return runs_; }

 private:
  cl_int2 size_;  // of the pictures, px
  bool rows_;
  Size group_, tile_;
  int runs_;
  cl::Context context_;
  Kernel join_, keep_;
  cl::Buffer labels_, has_weak_;
};

}  // namespace glcl::hough
