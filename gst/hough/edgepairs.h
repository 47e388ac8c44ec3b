// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canny.h"
#include "primitives.h"
#include "topk.h"

namespace glcl::hough {

/// Counts the pairs of edges at right angles in a picture by kind, and lists them if there is room.
/// A pair has one of 90 × 90 kinds: the direction of its first edge, and the direction of the line
/// between both relative to it, in steps of 2°. The counts do not depend on the position and scale
/// of the content; a rotation shifts them (Gómez Luna 2012, fast generalised Hough transform).
class EdgePairs {
 public:
  static constexpr int steps = STEPS, kinds = steps * steps;

  /// How stretches of two lists are compared; the results are the same.
  enum Form {
    balanced,  ///< both in local memory, comparisons dealt to the work-items
    saving,    ///< one in local memory, a work-item holds one of the other
  };
  static Form form_for(const Device &device);

  /// For maps of width × height px, the `edges` strongest of which count, at most 65536, and lists
  /// of up to `room` edge pairs; 0 for none. Throws Error::failed where the device refuses.
  EdgePairs(Context &context, int width, int height, size_t edges, size_t room, Form form);

  /// Enqueues the count in a map of edges, as Canny gives it, and the list if there is room. If
  /// there are too many, it uses each second, third, … one. Never waits.
  void run(Queue &queue, const cl::Buffer &edges, const Rect &region);

  int width() const { return width_; }
  int height() const { return height_; }

  /// Uint by kind: direction * steps + way. Then how many edges count, and how many there are.
  const cl::Buffer &space() const { return space_; }
  static constexpr size_t space_bytes = (kinds + 2) * sizeof(cl_uint);

  /// Indices in the map of the edges that count, by direction; `begins`: where those of each of the
  /// directions begin, to the number of all.
  const cl::Buffer &edges() const { return top_k_.places(); }
  const cl::Buffer &edge_begins() const { return begins_; }
  /// EdgePairs by kind, the places of their edges among edges() in the lower and the upper half;
  /// where those of each kind begin, to the number of all; and this number.
  const cl::Buffer &pairs() const { return pairs_; }
  const cl::Buffer &pair_begins() const { return pair_begins_; }
  const cl::Buffer &pairs_count() const { return kept_; }

 private:
  int width_, height_;
  size_t edges_room_, room_;
  TopK top_k_;
  RadixSort edges_sort_, pairs_sort_;
  Scan scan_;
  Kernel begin_, vote_;
  cl::Buffer begins_, firsts_, space_, kept_, keys_, pairs_, pair_begins_, kinds_count_;
};

/// The edge pairs of each frame, whose edge thresholds follow the noise.
class FrameEdgePairs {
 public:
  /// For frames of width × height px. Throws the errors of Canny and EdgePairs.
  FrameEdgePairs(Context &context, int width, int height, const FrameFormat &frame, size_t edges);

  /// Enqueues the count; gives EdgePairs::space(). Never waits.
  const cl::Buffer &run(Queue &queue, const Picture &frame);
  /// The next frame does not follow the last one.
  void reset() { canny_.reset(); }

 private:
  Rect whole_;
  Canny canny_;
  EdgePairs edge_pairs_;
};

}  // namespace glcl::hough
