// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgepairs.h"

namespace glcl::hough {

/// Estimates the similarity between two pictures by votes of their edge pairs, in three steps
/// (Gómez Luna 2012). The rotation is the one at which their counts agree best, modulo 180°, since
/// directions are those of lines. The scale follows from the sizes of pairs of one kind. The shift
/// follows from the edges, after rotation and scaling.
class Transform {
 public:
  static constexpr int sizes = SIZES;  ///< 0.5 … 1.5

  struct Settings {
    int fine = 0;        ///< places are squares of 2^fine px
    int copies = 1;      ///< of their space, which work-items take turns with
    int most_turn = 45;  ///< degrees / 2 to either side
    /// It takes not the size with the most votes, but the one that exceeds the votes of wrongly
    /// rotated edge pairs most.
    bool against_chance = false;
  };
  /// For a second picture of width × height px. Throws Error::failed where the device refuses.
  Transform(Context &context, int width, int height, const Settings &settings,
            EdgePairs::Form form);

  /// Enqueues the votes of edge pairs with lists; `after` is of the size that it was made for.
  void run(Queue &queue, const EdgePairs &before, const EdgePairs &after);
  /// Its three steps.
  void find_turn(Queue &queue, const EdgePairs &before, const EdgePairs &after);
  void find_size(Queue &queue, const EdgePairs &before, const EdgePairs &after);
  void find_place(Queue &queue, const EdgePairs &before, const EdgePairs &after);

  /// An int: degrees / 2 clockwise. Two uint each: the votes of the size and its number; those of
  /// the place and its number, row by row.
  const cl::Buffer &turn() const { return turn_; }
  const cl::Buffer &size() const { return size_; }
  const cl::Buffer &place() const { return place_; }
  /// Ulong by turn, uint by size, uint by place.
  const cl::Buffer &agreement() const { return agreement_; }
  const cl::Buffer &size_votes() const { return size_votes_; }
  const cl::Buffer &place_votes() const { return place_votes_; }
  /// Two int for each size and each of the turns: its cosine and sine by the size and 4096.
  const cl::Buffer &turns() const { return turns_; }

 private:
  Settings settings_;
  Argmax argmax_;
  Kernel correlate_, turn_kernel_, scale_, size_kernel_, shift_, fold_;
  size_t groups_;
  cl::Buffer agreement_, turn_, size_votes_, size_, place_votes_, place_, turns_, plane_,
      chance_votes_;
};

}  // namespace glcl::hough
