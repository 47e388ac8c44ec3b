// SPDX-License-Identifier: LGPL-2.1-or-later
// What keeps elements from running on a device.
#pragma once

#include <string>
#include <vector>

#include "device.h"

namespace glcl {

/// Why no element can run there; empty where elements can.
std::string obstacle(const Device &device);
/// What is less there than the elements are made for, so that some may fail; empty where nothing
/// is.
std::string shortage(const Device &device);

/// The devices that have either, with it: "P:D NAME, FLAW; …".
std::string flaws(const std::vector<Device> &devices);
/// Whether a device has neither.
bool is_sound(const Device &device);

/// The devices that device=auto would have taken before this one, but for their flaws.
std::string passed_over(const std::vector<Device> &devices, const Device &chosen);

/// How early `auto` takes a device: GPUs, then CPUs, then others.
int rank(const Device &device);

bool is_pocl(const Device &device);

}  // namespace glcl
