// SPDX-License-Identifier: LGPL-2.1-or-later
// The real pictures of which accuracy-street makes its street.
#pragma once

#include <vector>

#include "reference/frames.h"

namespace street {

using reference::Frame;

/// A picture to paste over the street: alpha says where.
using Cutout = Frame;

/// Pictures of the data folder, in the size of the street.
struct Pictures {
  Frame view;                        ///< a street, larger than a frame
  std::vector<Frame> leaves;         ///< film of a tree in the wind
  std::vector<Cutout> dog, cyclist;  ///< film of those who pass
  Cutout car, flag, bag, box;
};

constexpr int view_width = 400, view_height = 225;  ///< px of the street

/// Without the data folder, `view` is empty.
Pictures load_pictures();

/// Pastes a cutout with its upper left corner at (x, y), lit by `light`.
void paste(Frame &frame, const Cutout &cutout, int x, int y, double light = 1);

}  // namespace street
