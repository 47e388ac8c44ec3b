// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "hough/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "topk.h"

namespace glcl::hough {

/// The settings of LineFinder.
struct LineSettings {
  static constexpr int most_lines = 100, least_length = 10, most_length = 16384, most_gap = 1000;

  int lines = 0;             ///< maximum number, 0 … most_lines
  int min_line_length = 30;  ///< px, least_length … most_length
  int max_line_gap = 10;     ///< px without an edge inside a line, 0 … most_gap
};

/// Finds segments of straight lines among edges by a Hough transform in tiles.
///
/// In tiles of 32 px, edges vote for lines of their direction. The four strongest lines of a tile
/// are followed beyond it, over gaps, and fitted by least squares. Most tiles along a line lead to
/// the same segment; the strongest one stays. All numbers are integers, so all devices find the
/// same lines. docs/lines-and-circles.md has the numbers.
class LineFinder {
 public:
  static constexpr size_t result_bytes = (1 + LineSettings::most_lines) * sizeof(FoundLine);
  static constexpr int most_candidates = 1024;

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  LineFinder(Context &context, int width, int height);
  /// The same with this many work-items per group.
  LineFinder(Context &context, int width, int height, unsigned items);

  /// Enqueues the search among edges in a region, see Canny::edges(). `weak`: also counts edges
  /// that do not reach the upper threshold. Never waits.
  void run(Queue &queue, const LineSettings &settings, const cl::Buffer &edges, bool weak,
           const Rect &region);

  /// The result for read(): the number of lines, uint, and from the second FoundLine on the lines.
  const cl::Buffer &result() const { return result_; }
  /// The lines in a downloaded result(), strongest first.
  static std::vector<FoundLine> read(const void *result);

  /// A LineSegment per seed, for tests.
  const cl::Buffer &segments() const { return segments_; }
  int seeds() const { return tiles_.s[0] * tiles_.s[1] * LINE_SEEDS; }

 private:
  cl_int2 size_, tiles_;  // of the frame: px, tiles
  Kernel seeds_kernel_, follow_, unique_, keep_, rank_;
  TopK strongest_;
  cl::Buffer seeds_, segments_, strengths_, kept_, result_;
};

}  // namespace glcl::hough
