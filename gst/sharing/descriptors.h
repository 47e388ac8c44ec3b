// SPDX-License-Identifier: LGPL-2.1-or-later
// File descriptors imported by OpenCL.
//
// NVIDIA's OpenCL (580.159) counts imports per descriptor number, for the whole process. Every
// import of memory adds one to the count of its number. Every clReleaseMemObject of an object
// imported with that number subtracts one, for its last reference or any other. At zero the driver
// closes the number. So:
// - An imported image has one reference (Image). The release of another one would close the number
//   early, and later releases would close it for whoever imported it since.
// - Imports and releases take turns. Between the last count and the close another import of the
//   number would be forgotten, and never closed.
#pragma once

#include <mutex>

namespace glcl::sharing {

/// Lock for every import into OpenCL and every release of imported memory.
std::mutex &imports();

}  // namespace glcl::sharing
