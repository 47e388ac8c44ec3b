// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/topk.h"
#include "hough/transform.h"

namespace glcl::research {

/// EdgePairs as hough::EdgePairs counts them, from lists that are not sorted and with atomics for
/// each: the form that Gómez Luna (2012) compares his with.
class BaseEdgePairs {
 public:
  /// As hough::EdgePairs. Throws Error::failed where the device refuses.
  BaseEdgePairs(Context &context, int width, int height, size_t edges, size_t capacity);

  /// Enqueues the count in a map of edges, and the list of those that fit.
  void run(Queue &queue, const cl::Buffer &edges);

  int width() const { return width_; }
  int height() const { return height_; }
  cl_uint capacity() const { return capacity_; }
  /// Uint by kind, and how many there are.
  const cl::Buffer &space() const { return space_; }
  const cl::Buffer &count() const { return count_; }
  /// Of each its kind, and the numbers of its edges among edges(), in the lower and the upper half.
  const cl::Buffer &kinds() const { return kinds_; }
  const cl::Buffer &pairs() const { return pairs_; }
  /// Indices in the map.
  const cl::Buffer &edges() const { return top_k_.indices(); }

 private:
  int width_, height_;
  size_t edges_capacity_;
  cl_uint capacity_;
  hough::TopK top_k_;
  Kernel kernel_;
  cl::Buffer space_, count_, kinds_, pairs_;
};

/// Scales and positions as hough::Transform votes for them, from lists that are not sorted.
class BaseTransform {
 public:
  /// For a second picture of width × height px. Throws Error::failed where the device refuses.
  BaseTransform(Context &context, int width, int height, int copies);

  /// Enqueue the votes; `known` has the rotation, and for positions the scale.
  void find_scale(Queue &queue, const BaseEdgePairs &before, const BaseEdgePairs &after,
                  const hough::Transform &known);
  void find_position(Queue &queue, const BaseEdgePairs &before, const BaseEdgePairs &after,
                     const hough::Transform &known);
  /// Uint by scale, by position.
  const cl::Buffer &scale_votes() const { return scale_votes_; }
  const cl::Buffer &position_votes() const { return position_votes_; }

 private:
  int copies_;
  Kernel vote_scales_, vote_positions_, sum_copies_;
  cl::Buffer scale_votes_, position_votes_;
};

}  // namespace glcl::research
