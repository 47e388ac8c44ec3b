// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "edgealignment.h"
#include "movededges.h"
#include "transform.h"

namespace glcl::hough {

/// Estimates the rotation, scale and shift of the whole picture between two frames. Edge pairs vote
/// for a motion; fitting the edges of one frame to those of the other refines it. Edges that
/// stand still in a picture that moves, such as those of logos and subtitles, do not count.
class GlobalMotion {
 public:
  /// The estimated motion from the previous frame.
  struct Estimate {
    double rotation = 0;              ///< degrees counter-clockwise, up to about 20 to either side
    double zoom = 1;                  ///< scale from the previous frame
    double shift_x = 0, shift_y = 0;  ///< of the frame's middle, px; +x right, +y down
    double agreement = 0;  ///< fraction of the edges that the next frame has too, 0 … 1
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  GlobalMotion(Context &context, int width, int height);

  /// Enqueues the estimate for a region of two maps of Canny::edges(). Never waits. `number`: that
  /// of the later picture, Canny::number(). A run for the next picture and the same region uses the
  /// edge pairs of the last one; with 0 it never does.
  void run(Queue &queue, const cl::Buffer &before, const cl::Buffer &after, const Rect &region,
           uint64_t number = 0);

  /// The result for read(), result_bytes.
  const cl::Buffer &result() const { return result_; }
  static constexpr size_t result_bytes = 6 * sizeof(cl_float);
  /// The estimate in a downloaded result(). Empty if the frames have few edges, or few in common,
  /// as at a cut.
  static std::optional<Estimate> read(const void *result);

 private:
  std::array<EdgePairs, 2> pairs_;
  int later_ = 0;        // index of the pairs of the last run's later picture
  uint64_t number_ = 0;  // of that picture
  Rect region_;          // of the last run
  Transform transform_;
  EdgeAlignment alignment_;
  MovedEdges moved_edges_;
  cl::Buffer result_;
};

}  // namespace glcl::hough
