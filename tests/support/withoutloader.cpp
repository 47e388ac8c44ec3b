// SPDX-License-Identifier: LGPL-2.1-or-later
// For LD_AUDIT: the dynamic linker finds no OpenCL loader for any caller.
#include <link.h>

#include <cstdint>
#include <cstring>

extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned version) { return version; }

__attribute__((visibility("default"))) char *la_objsearch(const char *name, uintptr_t *, unsigned) {
  return std::strstr(name, "libOpenCL.so") ? nullptr : const_cast<char *>(name);
}
}
