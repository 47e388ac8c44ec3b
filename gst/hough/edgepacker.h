// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "opencl/rect.h"

namespace glcl::hough {

/// Packs the edges of a frame into bits that TemplateMatcher tests for many positions at once: a
/// bit per direction range and pixel, set if there is an edge within half a cell.
class EdgePacker {
 public:
  /// Throws cl::Error.
  EdgePacker(Context &context, int width, int height);

  /// Enqueues the first half: the directions of the edges in a region along rows, and the number of
  /// edges. `edges`: see Canny::edges(). `half_width`: px along x from an edge, see SearchGrid.
  void spread_rows(Queue &queue, const cl::Buffer &edges, const Rect &region, int half_width);
  /// Enqueues the second half: completes map() along columns, and packs it into bits().
  void pack(Queue &queue, const SearchGrid &grid);

  /// A uint: the number of edges in the region that reach the upper threshold.
  const cl::Buffer &edge_count() const { return edge_count_; }
  /// A ushort per pixel, a bit per direction range. See match_spread in kernels/hough/match.cl.
  const cl::Buffer &map() const { return map_; }
  /// The same as words of WORD positions, by direction range; see match_pack.
  const cl::Buffer &bits() const { return bits_; }

 private:
  cl_int2 size_;  // of the frame, px
  cl::Context context_;
  Kernel rows_kernel_, spread_, pack_;
  cl::Buffer edge_count_, rows_, map_, bits_;
};

}  // namespace glcl::hough
