// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "primitives.h"

namespace glcl::hough {

/// The list of the edge pairs of a picture, sorted by kind.
class PairList {
 public:
  /// `capacity`: of the list; 0: no list. `kinds`: number of kinds. Throws Error::failed if the
  /// device refuses the kernels, cl::Error if it refuses memory.
  PairList(Context &context, size_t capacity, int kinds);

  /// Enqueues sorting the list. `counts`: a uint per kind, its pairs.
  void sort(Queue &queue, const cl::Buffer &counts);

  size_t capacity() const { return capacity_; }
  /// Two uint: the number of pairs, and the step: only every such pair of the picture is listed.
  const cl::Buffer &count() const { return count_; }
  /// The kind of each pair, uint.
  const cl::Buffer &keys() const { return keys_; }
  /// See EdgePairs::pairs() and pair_begins().
  const cl::Buffer &pairs() const { return pairs_; }
  const cl::Buffer &begins() const { return begins_; }

 private:
  size_t capacity_;
  RadixSort sort_;
  Scan scan_;
  cl::Buffer count_, keys_, pairs_, begins_, kind_count_;
};

}  // namespace glcl::hough
