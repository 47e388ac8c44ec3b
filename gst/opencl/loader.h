// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL loader, libOpenCL.so.1. It is opened at the first call of OpenCL, so that plugin and
// tools load without it too.
#pragma once

#include <string>

namespace glcl {

/// Why the loader can't be opened, as the dynamic linker says it; empty where it can.
const std::string &loader_obstacle();

/// A function of the loader by its name; null where there is no loader or it is too old for it.
void *loader_function(const char *name);

}  // namespace glcl
