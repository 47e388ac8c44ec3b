// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::research {

/// A histogram of votes, of any size: `copies` sub-histograms in global memory, added up by a
/// second kernel (Gómez Luna, PhD thesis 2012, section 4.5).
class Votes {
 public:
  /// Throws Error::failed where the device has no memory for `counters` * `copies` cl_uint.
  Votes(Context &context, int counters, int copies = 16);

  /// Enqueues the count of `count` votes, cl_uint each; those that are not below `counters` don't
  /// count. `out`: `counters` cl_uint.
  void run(Queue &queue, const cl::Buffer &votes, int count, const cl::Buffer &out);

 private:
  cl_uint counters_, copies_;
  size_t items_;
  Kernel count_, reduce_;
  cl::Buffer sub_histograms_;
};

}  // namespace glcl::research
