// SPDX-License-Identifier: LGPL-2.1-or-later
// File descriptors that OpenCL imports.
//
// NVIDIA's OpenCL (580.159) counts by number, for the whole process. Every import of memory adds
// one to the count of its descriptor's number. Every clReleaseMemObject of an object that was
// imported by that number, of its last reference or not, takes one away. At zero the driver closes
// the number. So:
// - An imported image has one reference (Image). The release of another one would close the number
//   early, and later releases would close it for whoever imported it since.
// - Imports and releases take turns. Between the last count and the close another import of the
//   number would be forgotten, and never closed.
#pragma once

#include <mutex>

namespace glcl::sharing {

/// To be held around every import into OpenCL and around the release of imported memory.
std::mutex &imports();

}  // namespace glcl::sharing
