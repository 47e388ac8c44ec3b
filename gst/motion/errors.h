// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "search.h"

namespace glcl::motion {

/// The squared errors of frames that are predicted by whole blocks in whole pixels.
class SquaredErrors {
 public:
  static constexpr size_t parts = 256,
                          bytes = parts * sizeof(cl_long);  ///< of sums

  /// For the keys of a search that lives longer. Throws Error::failed where the device refuses the
  /// kernel.
  SquaredErrors(Context &context, const Search &search);

  /// Enqueues it for the `keys` that the search found for `current` in `reference`.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const cl::Buffer &keys, const cl::Buffer &sums);
  /// From sums that were read.
  static double total(const void *sums);

 private:
  const Search *search_;
  Kernel kernel_;
};

}  // namespace glcl::motion
