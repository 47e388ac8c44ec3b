// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opencl/device.h"

namespace glcl::bench {

/// The devices of a list in the format of the property `devices`. A single device is split into
/// halves if it can be.
std::vector<Device> shared_devices(const std::string &wishes);

/// Prints the cost per frame of a block search from host memory, over many frames, for each device
/// alone and for all together. Returns false if a way of sharing the work finds other vectors.
/// `wishes`: see shared_devices().
bool print_shared(const std::string &wishes, const std::vector<std::pair<int, int>> &sizes,
                  double seconds);

}  // namespace glcl::bench
