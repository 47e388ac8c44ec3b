// SPDX-License-Identifier: LGPL-2.1-or-later
// Reasons why elements can't run on a device.
#pragma once

#include <string>
#include <vector>

#include "device.h"

namespace glcl {

/// Why no element can run on the device; empty if elements can run.
std::string obstacle(const Device &device);
/// A limit of the device that is too small, so that some elements may fail; empty if there is no
/// such limit.
std::string shortage(const Device &device);

/// The devices with an obstacle or shortage: "P:D NAME, FLAW; …".
std::string flaws(const std::vector<Device> &devices);
/// True if the device has neither.
bool is_sound(const Device &device);

/// The devices that device=auto would have preferred without their flaws.
std::string passed_over(const std::vector<Device> &devices, const Device &chosen);

/// The rank of a device for `auto`: GPUs, then CPUs, then others.
int rank(const Device &device);

bool is_pocl(const Device &device);

}  // namespace glcl
