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
  BaseEdgePairs(Context &context, int width, int height, size_t edges, size_t room);

  /// Enqueues the count in a map of edges, and the list of those that there is room for.
  void run(Queue &queue, const cl::Buffer &edges);

  int width() const { return width_; }
  int height() const { return height_; }
  cl_uint room() const { return room_; }
  /// Uint by kind, and how many there are.
  const cl::Buffer &space() const { return space_; }
  const cl::Buffer &count() const { return count_; }
  /// Of each its kind, and the numbers of its edges among edges(), in the lower and the upper half.
  const cl::Buffer &kinds() const { return kinds_; }
  const cl::Buffer &pairs() const { return pairs_; }
  /// Indices in the map.
  const cl::Buffer &edges() const { return top_k_.places(); }

 private:
  int width_, height_;
  size_t edges_room_;
  cl_uint room_;
  hough::TopK top_k_;
  Kernel kernel_;
  cl::Buffer space_, count_, kinds_, pairs_;
};

/// Sizes and places as hough::Transform votes for them, from lists that are not sorted.
class BaseTransform {
 public:
  /// For a second picture of width × height px. Throws Error::failed where the device refuses.
  BaseTransform(Context &context, int width, int height, int copies);

  /// Enqueue the votes; `known` has the turn, and for places the size.
  void find_scale(Queue &queue, const BaseEdgePairs &before, const BaseEdgePairs &after,
                  const hough::Transform &known);
  void find_position(Queue &queue, const BaseEdgePairs &before, const BaseEdgePairs &after,
                     const hough::Transform &known);
  /// Uint by size, by place.
  const cl::Buffer &size_votes() const { return size_votes_; }
  const cl::Buffer &place_votes() const { return place_votes_; }

 private:
  int copies_;
  Kernel scale_, shift_, fold_;
  cl::Buffer size_votes_, place_votes_;
};

}  // namespace glcl::research
