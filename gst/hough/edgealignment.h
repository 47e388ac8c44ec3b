// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/interface.h"
#include "opencl/kernel.h"

namespace glcl::hough {

/// Aligns the edges of two frames, starting from the votes for a motion.
class EdgeAlignment {
 public:
  /// Edges of the earlier frame and their votes, as from EdgePairs and Transform.
  struct EdgeVotes {
    const cl::Buffer &indices, &begins;  ///< edges by direction
    const cl::Buffer &rotation, &scale, &position;
  };

  /// For frames of width × height px with up to `capacity` edges; positions are bins of 2^`fine`
  /// px. Throws cl::Error.
  EdgeAlignment(Context &context, int width, int height, size_t capacity, int fine);

  /// Enqueues the alignment with the edges of the later frame, of Canny::edges(). `result` gets six
  /// floats: scale times cosine and sine of the clockwise rotation, the shift of the centre in px,
  /// the fraction of the edges that meet one, and the number of edges still in the frame.
  void run(Queue &queue, const cl::Buffer &edges, const EdgeVotes &votes, const cl::Buffer &result);

 private:
  cl_int2 size_;  // of the frame, px
  int fine_;
  size_t parts_;  // work-groups among which a pass divides the edges
  Kernel start_, fit_, result_;
  cl::Buffer poses_, weights_, fits_;
};

}  // namespace glcl::hough
