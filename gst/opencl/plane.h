// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "cl.h"

namespace glcl {

/// A plane of a frame on the device, with one number per texel.
struct Plane {
  const cl::Buffer &texels;
  int pitch = 0;   ///< texels from row to row
  int offset = 0;  ///< position of texel (0, 0), texels
};

}  // namespace glcl
