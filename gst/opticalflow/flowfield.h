// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/cl.h"

namespace glcl::opticalflow {

/// A flow field on the device: the motion of every pixel of the previous frame.
struct FlowField {
  int width = 0, height = 0;  ///< px, of the frames
  cl::Buffer vectors;         ///< float2 per pixel, px per frame, +x right, +y down
  cl::Buffer confidence;      ///< float per pixel, 0..1
  cl::Buffer noise;           ///< of the frames, see noise::Noise::variances(); null: unknown
};

}  // namespace glcl::opticalflow
