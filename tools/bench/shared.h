// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opencl/device.h"

namespace glcl::bench {

/// The devices of a list of wishes, as for the property `devices`; the halves of one that is alone
/// and can be divided.
std::vector<Device> shared_devices(const std::string &wishes);

/// Prints what a frame of a block search costs each of these devices alone and all of them
/// together, from host memory, many frames in a row, and whether
/// every way of sharing finds the same vectors; false where one does not. `wishes`: as for
/// shared_devices().
bool print_shared(const std::string &wishes, const std::vector<std::pair<int, int>> &sizes,
                  double seconds);

}  // namespace glcl::bench
