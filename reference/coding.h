// SPDX-License-Identifier: LGPL-2.1-or-later
// Coding artefacts as of H.264 without a loop filter.
#pragma once

#include "reference/frames.h"

namespace reference {

/// Codes the frames of a stream: blocks of 8×8 px become cosines, which are quantised in steps of
/// `step` levels (orthonormal; about 2^((QP - 4) / 6)) and lost below 2/3 of it in intra frames,
/// 5/6 in others, which code the difference from the previous frame. Of colours only the grey is
/// coded, the mean of R, G and B; the rest stays.
class Coder {
 public:
  explicit Coder(double step) : step_(step) {}

  /// The decoded frame; all frames have the same size. An intra frame codes all blocks; the others
  /// predict the pixel at (x, y) from (x - dx, y - dy), whole px.
  Frame code(const Frame &frame, bool intra, int dx = 0, int dy = 0);

 private:
  double step_;
  std::vector<double> decoded_;  // grey of the last frame
};

}  // namespace reference
