// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "opticalflow/candidates.h"

namespace reference::opticalflow {

/// The motions that matches of single pixels vote for, as glcl::opticalflow::Candidates defines
/// them.
class CandidateMotions {
 public:
  using Grey = std::function<float(int x, int y)>;
  using Vector = std::array<float, 2>;

  /// From the grey of frames of width × height px.
  CandidateMotions(int width, int height, const Grey &before, const Grey &after);

  /// The candidates of pixel (x, y) from the cells around it, px.
  std::vector<Vector> around(float x, float y) const;
  /// The grey before and after of one pixel in each cell with a motion.
  const std::vector<Vector> &pairs() const { return pairs_; }

 private:
  int columns_, rows_;
  std::vector<std::vector<Vector>> cell_modes_;
  std::vector<Vector> pairs_;
};

}  // namespace reference::opticalflow
