// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "search.h"

namespace glcl::motion {

/// Finds the range that the full search needs for each area of Plane::strip px, on the device
/// before the search, without waiting. It tries `steps` ranges, from the smallest to the largest in
/// a geometric progression, on reduced planes with blocks of 8 px. A range is sufficient if its
/// squared sums of absolute differences exceed those of the largest range by at most 1/`share` of
/// the mean over the areas. An area gets the maximum of its neighbours' ranges, because areas of
/// little texture do not show their need. After A. Uta, "Collaborative multi-device motion
/// estimation on multi/many-core platforms", 2012, chapter 9.
class Range {
 public:
  static constexpr int steps = 8;
  static constexpr int least_lambda = 4;
  static constexpr int share = 8;  ///< see above

  /// The ranges that are tried, px; all between 1 and max_range, growing, some maybe equal.
  static std::vector<int> ranges(int least, int most);
  /// Px of a frame of this size to one of the planes: 2, 4 or 8.
  static int shrunk(int width, int height);
  /// The distance that vectors reach there for each of these ranges. An object that moves by a
  /// range's px is found although it moves by fractions of these pixels.
  static std::vector<int> reaches(const std::vector<int> &ranges, int shrink);

  Range() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  Range(Context &context, int width, int height);

  /// From the previous frame: `sums` as motion_sums leaves them, `parts` of them, and the squared
  /// errors that a prediction may have. Without one, `parts` is 0.
  struct Target {
    cl::Buffer sums;
    int parts = 0;
    double errors = -1;
  };

  /// Enqueues it for `current` in `reference`. `follows`: the last call was for the previous frame.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int least, int most,
           int lambda, const Target &target, bool follows);
  /// Ints on the device, of the last run: the range of each area in raster order, px.
  const cl::Buffer &ranges() const { return limits_; }
  /// An int on the device: the mean of their squares, rounded down.
  const cl::Buffer &mean_square() const { return mean_; }
  int areas() const { return columns_ * rows_; }

 private:
  void shrink(Queue &queue, const LumaPlane &from, const LumaPlane &to);

  int columns_ = 0, rows_ = 0;  // of areas
  int shrink_ = 2;
  LumaConverter luma_;
  Search search_;
  Kernel sum_, choose_;
  std::vector<LumaPlane> between_;  // from the frame to small_
  LumaPlane small_[2];
  cl::Buffer keys_, sums_, ranges_, last_, needs_, limits_, mean_;
  std::vector<int> known_;  // the settings of ranges_
};

}  // namespace glcl::motion
