// SPDX-License-Identifier: LGPL-2.1-or-later
// Shots found on the device, as elements find them.
#pragma once

#include <vector>

#include "histogram/shots.h"
#include "reference/frames.h"

namespace accuracy {

using FoundShots = std::vector<glcl::histogram::Shots::Shot>;

/// The shots found by the shapes of edges.
FoundShots find_by_shape(const std::vector<reference::Frame> &frames);

/// The frames at which tracking points reports a cut.
FoundShots find_by_points(const std::vector<reference::Frame> &frames);

}  // namespace accuracy
