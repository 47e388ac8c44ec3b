// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "opencl/cl.h"

namespace glcl::camera {

/// A motion of the plane that keeps shapes, about the centre of the frame: the point z, from there,
/// moves by (x + iy) + (dilation + i rotation) z. The form of the first-order flow that also holds
/// translations.
struct SimilarityMotion {
  cl_float x = 0, y = 0;  ///< px: +x right, +y down
  cl_float dilation = 0, rotation = 0;

  /// The point that stays where it is, from the centre, px; infinite for a translation.
  cl_float2 fixed() const {
    const float square = dilation * dilation + rotation * rotation;
    if (square == 0) return {{INFINITY, INFINITY}};
    return {{-(dilation * x + rotation * y) / square, (rotation * x - dilation * y) / square}};
  }
};

/// What is known of a camera, on the device; kernels/camera/state.clh.
struct Fit {
  SimilarityMotion motion;
  cl_float bend[2];
  cl_float gain, offset;
};
constexpr int steps = 3;
struct CameraState {
  SimilarityMotion vectors;
  cl_float inliers, counted;
  cl_int frames, cut;
  SimilarityMotion step;
  cl_float path[4];
  SimilarityMotion from_picture, from_frame;
  cl_int fresh, reliable;
  cl_float bend_picture[2], bend_frame[2];
  cl_float curve, brightness;
  Fit fit, fits[steps];
  cl_float lag, confidence, reaches, unused;
};
static_assert(sizeof(CameraState) == 272, "as the kernels have it");

/// Frames in small.
struct FrameGeometry {
  cl_int2 size;      ///< px
  cl_float2 centre;  ///< px
  cl_float radius;   ///< from there to a corner, px
  cl_float shrink;   ///< px of frames to one of these

  /// Frames of width × height px by a whole number, whose pixels are then about `most` at most.
  static FrameGeometry of(int width, int height, int most = 520 * 1000);
};

enum class Compensation { none, translation, first_order_flow };

}  // namespace glcl::camera
