// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opencl/device.h"

namespace glcl::bench {

/// The frame sizes and windows of A. Uta's measurements ("Collaborative multi-device motion
/// estimation on multi/many-core platforms", 2012).
extern const std::vector<std::pair<int, int>> thesis_sizes;
extern const std::vector<int> thesis_windows;

/// Prints, for each device and window, ms of kernels for a frame of each size by all forms of the
/// full search of 16 × 16 blocks, and what the tiled one, which the elements use, achieves of the
/// device's rate of absolute differences; false where forms find different vectors. A form is left
/// out where a frame would take it more than about `seconds`.
bool print_thesis(const std::vector<Device> &devices, const std::vector<std::pair<int, int>> &sizes,
                  double seconds);

}  // namespace glcl::bench
