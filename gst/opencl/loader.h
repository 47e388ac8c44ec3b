// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL loader, libOpenCL.so.1. It is opened at the first OpenCL call, so that plugin and
// tools load without it.
#pragma once

#include <string>

namespace glcl {

/// Error of the dynamic linker if the loader can't be opened, else empty.
const std::string &loader_obstacle();

/// A function of the loader by name; null if the loader is missing or too old.
void *loader_function(const char *name);

}  // namespace glcl
