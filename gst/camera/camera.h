// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "opencl/cl.h"

namespace glcl::camera {

/// A similarity of the plane around the centre of the frame: the point z, relative to the centre,
/// moves by (x + iy) + (dilation + i rotation) z. This form of first-order flow includes
/// translations.
struct SimilarityMotion {
  cl_float x = 0, y = 0;  ///< px: +x right, +y down
  cl_float dilation = 0, rotation = 0;

  /// The fixed point relative to the centre, px; infinite for a translation.
  cl_float2 fixed() const {
    const float square = dilation * dilation + rotation * rotation;
    if (square == 0) return {{INFINITY, INFINITY}};
    return {{-(dilation * x + rotation * y) / square, (rotation * x - dilation * y) / square}};
  }
};

/// The fit of a frame to the background, on the device; kernels/camera/state.clh explains it.
struct Fit {
  SimilarityMotion motion;
  cl_float bend[2];
  cl_float gain, offset;
};
constexpr int steps = 3;
/// The state of a camera, on the device; likewise.
struct CameraState {
  SimilarityMotion vectors;
  cl_float inliers, counted;
  cl_int frames, cut;
  SimilarityMotion step;
  cl_float path[4];
  SimilarityMotion from_background, from_frame;
  cl_int fresh, reliable;
  cl_float bend_background[2], bend_frame[2];
  cl_float curve, brightness;
  Fit fit, fits[steps];
  cl_float lag, confidence, reaches, unused;
};
static_assert(sizeof(CameraState) == 272, "as the kernels have it");

/// The size of reduced frames, and their relation to the full ones.
struct FrameGeometry {
  cl_int2 size;      ///< px
  cl_float2 centre;  ///< px
  cl_float radius;   ///< from the centre to a corner, px
  cl_float shrink;   ///< px of full frames per pixel

  /// Reduces frames of width × height px by a whole number to about `most` pixels at most.
  static FrameGeometry of(int width, int height, int most = 520 * 1000);
};

/// The model of the camera motion that is compensated.
enum class Compensation { none, translation, first_order_flow };

}  // namespace glcl::camera
