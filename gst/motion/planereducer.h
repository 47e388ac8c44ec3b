// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "lumahistory.h"

namespace glcl::motion {

/// Reduces the planes of two frames by the same power of two.
class PlaneReducer {
 public:
  PlaneReducer() = default;
  /// For frames of width × height px. Throws Error::failed if the device refuses the kernels,
  /// cl::Error if it refuses memory.
  PlaneReducer(Context &context, int width, int height, int factor);

  /// Enqueues the reduction.
  void run(Queue &queue, const SearchPlanes &planes);
  /// The result.
  SearchPlanes reduced() const { return {current_, reference_}; }

 private:
  void reduce(Queue &queue, const LumaPlane &from, const LumaPlane &to);

  LumaConverter converter_;
  std::vector<LumaPlane> intermediate_;  // of sizes between the frame and the result
  LumaPlane current_, reference_;
};

}  // namespace glcl::motion
