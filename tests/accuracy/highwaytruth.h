// SPDX-License-Identifier: LGPL-2.1-or-later
// The truth of the film in highway/ of the test data: the boxes of what moves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opencl/rect.h"
#include "reference/frames.h"

namespace highway {

using Box = glcl::RectF;

constexpr size_t settled = 40;  ///< frames after which objects are compared

/// The connected parts of a frame that move.
class Truth {
 public:
  /// Of the frame of this number in the film.
  Truth(const std::string &folder, size_t frame);
  /// True if most of a box is unknown or outside, so that it may be right.
  bool excuses(const Box &box) const;
  /// Compares boxes with the truth: how many true boxes are found with this IoU, and how many of
  /// the others are wrong.
  std::pair<int, int> compare(const std::vector<Box> &found, double least_iou) const;

  std::vector<Box> boxes;

 private:
  int fill(int x, int y, Box &box);

  reference::Frame mask_;
  std::vector<bool> seen_;
};

}  // namespace highway
