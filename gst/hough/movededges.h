// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/interface.h"
#include "opencl/kernel.h"
#include "opencl/rect.h"

namespace glcl::hough {

/// Replaces an estimate of the global motion if most of the picture moves otherwise, while what is
/// drawn over it stands still: logos, subtitles, bars. Edges that do not stand still are aligned
/// alone, if there are such and others.
class MovedEdges {
 public:
  static constexpr size_t areas_count = size_t(AREAS) * AREAS;

  /// For frames of width × height px. Throws cl::Error.
  MovedEdges(Context &context, int width, int height);

  /// Enqueues the estimate for a region of two maps of Canny::edges(). `motion`: the result of
  /// EdgeAlignment, which it may replace.
  void run(Queue &queue, const cl::Buffer &before, const cl::Buffer &after, const Rect &region,
           const cl::Buffer &motion);

  /// For tests: the edges of each area, AreaEdges, and the votes for each shift, uint, row by row.
  const cl::Buffer &areas() const { return areas_; }
  const cl::Buffer &votes() const { return votes_; }

 private:
  cl_int2 size_;  // of the frame, px
  Kernel sample_, vote_, align_;
  cl::Buffer areas_, votes_;
};

}  // namespace glcl::hough
