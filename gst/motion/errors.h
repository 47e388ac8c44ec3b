// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "search.h"

namespace glcl::motion {

/// Computes the squared error of a frame that is predicted by whole blocks in whole pixels.
class SquaredErrors {
 public:
  static constexpr size_t parts = 256,
                          bytes = parts * sizeof(cl_long);  ///< of sums

  /// For the keys of `search`, which must live longer. Throws Error::failed if the device refuses
  /// the kernel.
  SquaredErrors(Context &context, const Search &search);

  /// Enqueues `parts` sums for the `keys` of `current` in `reference`.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const cl::Buffer &keys, const cl::Buffer &sums);
  /// The squared error from downloaded sums, levels².
  static double total(const void *sums);

 private:
  const Search *search_;
  Kernel kernel_;
};

}  // namespace glcl::motion
