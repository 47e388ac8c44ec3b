// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "search.h"

namespace glcl::motion {

/// The range that the full search of a frame needs, found ahead of it on the device, so that
/// nothing waits: `steps` ranges from the least to the most, each by about the same factor larger
/// than the one before, are tried on planes of half the size. The smallest counts that
/// costs, summed over the frame, at most a 32nd more than the largest; there, blocks of 8 px are
/// searched with a lambda of at least 8, so that noise finds nothing far away. After A. Uta,
/// "Collaborative multi-device motion estimation on multi/many-core platforms", 2012, chapter 9.
class Range {
 public:
  static constexpr int steps = 8;
  static constexpr int least_lambda = 8;

  /// The ranges that are tried, px; all between 1 and max_range, growing, some maybe equal.
  static std::vector<int> ranges(int least, int most);

  Range() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  Range(Context &context, int width, int height);

  /// Of the frame before: `sums` as motion_sums leaves them, `parts` of them, and the squared
  /// errors that a prediction may have. Without one, `parts` is 0.
  struct Target {
    cl::Buffer sums;
    int parts = 0;
    double errors = -1;
  };

  /// Enqueues it for `current` in `reference`. `follows`: the last call was for the frame before.
  void run(Queue &queue, const Plane &current, const Plane &reference, int least, int most,
           int lambda, const Target &target, bool follows);
  /// An int on the device: the range of the last run, px.
  const cl::Buffer &range() const { return range_; }

 private:
  Luma luma_;
  Search search_;
  Kernel sum_, choose_;
  Plane half_[2];
  cl::Buffer keys_, sums_, ranges_, last_, range_;
  std::vector<int> known_;  // what ranges_ holds
};

}  // namespace glcl::motion
