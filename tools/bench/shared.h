// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace glcl::bench {

/// Prints what a frame of a block search costs each of these devices alone and all of them
/// together, from host memory, many frames in a row, and whether
/// every way of sharing finds the same vectors; false where one does not. `wishes`: as for the
/// property `devices`; a CPU that is alone is divided into two.
bool print_shared(const std::string &wishes, const std::vector<std::pair<int, int>> &sizes,
                  double seconds);

}  // namespace glcl::bench
