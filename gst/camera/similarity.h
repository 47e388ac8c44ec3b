// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "opencl/cl.h"

namespace glcl::camera {

/// A similarity of the plane around the centre of the frame: the point z, relative to the centre,
/// moves by (x + iy) + (dilation + i rotation) z. This form of first-order flow includes
/// translations. A float4 in kernels.
struct alignas(sizeof(cl_float4)) SimilarityMotion {
  cl_float x = 0, y = 0;  ///< px: +x right, +y down
  cl_float dilation = 0, rotation = 0;

  /// The fixed point relative to the centre, px; infinite for a translation.
  cl_float2 fixed_point() const {
    const float square = dilation * dilation + rotation * rotation;
    if (square == 0) return {{INFINITY, INFINITY}};
    return {{-(dilation * x + rotation * y) / square, (rotation * x - dilation * y) / square}};
  }
};

}  // namespace glcl::camera
