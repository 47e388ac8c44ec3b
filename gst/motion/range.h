// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "planereducer.h"
#include "search.h"

namespace glcl::motion {

/// Finds the range that a full search needs for each area of LumaPlane::strip px, on the device and
/// without waiting. Before the search it tries `steps` ranges in a geometric progression, on
/// reduced planes with blocks of 8 px. A range is sufficient if its squared sums of absolute
/// differences are close to those of the largest range: above them by at most 1/`share` of the mean
/// over the areas.
/// An area gets the maximum of its own and its neighbours' ranges, because areas of little texture
/// do not show their need. After A. Uta, "Collaborative multi-device motion estimation on
/// multi/many-core platforms", 2012, chapter 9.
class Range {
 public:
  static constexpr int steps = 8;
  static constexpr int least_lambda = 4;  ///< of the search on reduced planes
  static constexpr int share = 8;         ///< see above

  /// The ranges that are tried, px, in ascending order from `least` to `most`; some may be equal.
  static std::vector<int> ranges(int least, int most);
  /// The factor by which planes are reduced for frames of this size: 2, 4 or 8.
  static int reduction_for(int width, int height);
  /// The range of the search on reduced planes for each of these ranges. An object that moves by a
  /// range is found although it moves by fractions of reduced pixels.
  static std::vector<int> reduced_ranges(const std::vector<int> &ranges, int reduction);

  Range() = default;
  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  Range(Context &context, int width, int height);

  /// The target for the prediction, with the result of the previous frame.
  struct PredictionTarget {
    cl::Buffer sums;     ///< of motion_sums for the previous frame
    int parts = 0;       ///< number of sums; 0: no target
    double errors = -1;  ///< maximum squared error of the prediction, levels²
  };

  /// Enqueues finding the ranges, from `least` to `most` px, for a search of `current` in
  /// `reference`. `follows`: the last call was for the previous frame.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int least, int most,
           int lambda, const PredictionTarget &target, bool follows);
  /// Ints on the device: the range of each area in raster order, px, from the last run().
  const cl::Buffer &ranges() const { return area_ranges_; }
  /// An int on the device: the mean of their squares, rounded down.
  const cl::Buffer &mean_square() const { return mean_square_; }
  int areas() const { return columns_ * rows_; }

 private:
  int columns_ = 0, rows_ = 0;  // of areas
  int reduction_ = 2;
  PlaneReducer reducer_;
  Search search_;
  Kernel sum_, choose_;
  cl::Buffer keys_, sums_, ranges_, last_sum_, needed_, area_ranges_, mean_square_;
  std::vector<int> current_ranges_;  // the values of ranges_
};

}  // namespace glcl::motion
