// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/strongest.h"

namespace glcl::research {

/// Pairings as hough::Pairings counts them, from lists that are not sorted and with atomics for
/// each: the form that Gómez Luna (2012) compares his with.
class BasePairings {
 public:
  /// As hough::Pairings. Throws Error::failed where the device refuses.
  BasePairings(Context &context, int width, int height, size_t edges, size_t room);

  /// Enqueues the count in a map of edges, and the list of those that there is room for.
  void run(Queue &queue, const cl::Buffer &edges);
  /// Uint by kind, and how many there are.
  const cl::Buffer &space() const { return space_; }
  const cl::Buffer &count() const { return count_; }

 private:
  int width_, height_;
  size_t edges_room_, room_;
  hough::Strongest strongest_;
  Kernel kernel_;
  cl::Buffer space_, count_, kinds_, pairs_;
};

}  // namespace glcl::research
