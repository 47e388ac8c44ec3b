// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canny.h"
#include "pairlist.h"
#include "topk.h"

namespace glcl::hough {

/// Counts pairs of edges at right angles in a picture by kind, and can list them. A pair has one of
/// 90 × 90 kinds: the direction of its first edge, and the direction of the line between both edges
/// relative to it, in steps of 2°. The counts do not depend on the position and scale of the
/// content; a rotation shifts them (Gómez Luna 2012, fast generalised Hough transform).
class EdgePairs {
 public:
  static constexpr int steps = STEPS, kinds = steps * steps;

  /// How stretches of two lists are compared; the results are the same.
  enum Form {
    balanced,  ///< both in local memory; the items share the comparisons evenly
    saving,    ///< one in local memory; each item holds an element of the other
  };
  static Form form_for(const Device &device);
  /// The kernels for edge pairs.
  static Program program(Context &context, Form form);
  /// Work-items of a group, and groups, of the kernels that compare pairs.
  static size_t group_items(const Device &device) { return device.is_cpu() ? 1 : 128; }
  static size_t groups(const Device &device) { return device.is_cpu() ? 64 : 1024; }

  /// For maps of width × height px. The `edges` strongest edges count, at most 65536. `capacity`:
  /// the capacity of the list of pairs; 0: no list. Throws Error::failed if the device refuses
  /// kernels or memory.
  EdgePairs(Context &context, int width, int height, size_t edges, size_t capacity, Form form);

  /// Enqueues the count, and the list if there is one, in a region of Canny::edges(). If there are
  /// more pairs than the list can hold, it uses only every second, third, … pair. Never waits.
  void run(Queue &queue, const cl::Buffer &edges, const Rect &region);

  int width() const { return width_; }
  int height() const { return height_; }

  /// A uint per kind, which is direction of the edge * steps + relative direction of the line. Two
  /// more uint are the number of edges that count, and of all edges.
  const cl::Buffer &space() const { return space_; }
  static constexpr size_t space_bytes = (kinds + 2) * sizeof(cl_uint);

  /// Indices in the map of the edges that count, uint, sorted by direction.
  const cl::Buffer &edges() const { return top_k_.indices(); }
  /// The first element of each direction in edges(), uint, then their number.
  const cl::Buffer &edge_begins() const { return begins_; }
  /// The pairs, uint, sorted by kind: the lower half is the index of the first edge in edges(), the
  /// upper half that of the second.
  const cl::Buffer &pairs() const { return list_.pairs(); }
  /// The first element of each kind in pairs(), uint, then their number.
  const cl::Buffer &pair_begins() const { return list_.begins(); }
  /// The number of pairs in the list, uint.
  const cl::Buffer &pairs_count() const { return list_.count(); }

 private:
  int width_, height_;
  size_t edges_capacity_;
  TopK top_k_;
  RadixSort edges_sort_;
  PairList list_;
  Kernel begin_, vote_;
  cl::Buffer begins_, firsts_, space_;
};

/// Counts the edge pairs of each frame. The thresholds of edges follow the noise.
class FrameEdgePairs {
 public:
  /// For frames of width × height px. Throws the errors of Canny and EdgePairs.
  FrameEdgePairs(Context &context, int width, int height, const FrameFormat &frame, size_t edges);

  /// Changes the pixel format of the next frames. The measured noise stays.
  void set_format(Context &context, const FrameFormat &frame) { canny_.set_format(context, frame); }

  /// Enqueues the count and returns EdgePairs::space(). Never waits.
  const cl::Buffer &run(Queue &queue, const Picture &frame);
  /// Forgets the previous frame and the measured noise.
  void reset() { canny_.reset(); }

 private:
  Rect frame_;
  Canny canny_;
  EdgePairs edge_pairs_;
};

}  // namespace glcl::hough
