// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL loader, libOpenCL.so.1. It is opened at the first call of OpenCL, so that plugin and
// tools load without it too.
#pragma once

#include <string>

namespace glcl {

/// Why the loader can't be opened, as the dynamic linker says it; empty where it can.
const std::string &loader_obstacle();

}  // namespace glcl
