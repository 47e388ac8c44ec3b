// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/interface.h"

namespace glcl::camera {

/// Reduces frames of width × height px by a whole number to about `most` pixels at most.
FrameGeometry frame_geometry(int width, int height, int most = 520 * 1000);

/// The model of the camera motion that is compensated.
enum class Compensation { none, translation, first_order_flow };

}  // namespace glcl::camera
