// SPDX-License-Identifier: LGPL-2.1-or-later
// File descriptors imported by OpenCL.
//
// NVIDIA's OpenCL (580.159) counts imports per descriptor number, for the whole process. Every
// import of memory adds one to the count of its number. Every clReleaseMemObject of an object
// imported with that number subtracts one, for its last reference or any other. At zero the driver
// closes the number. So:
// - An imported image has one reference (Image). The release of another one would close the number
//   early, and later releases would close it for a later import.
// - Imports and releases take turns. Otherwise an import between the last count and the close
//   would be forgotten, and its number never closed.
#pragma once

#include <mutex>

namespace glcl::sharing {

/// Lock for every import into OpenCL and every release of imported memory.
std::mutex &imports();

}  // namespace glcl::sharing
