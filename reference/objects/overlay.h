// SPDX-License-Identifier: LGPL-2.1-or-later
// The overlay of a moving picture, pixel by pixel.
#pragma once

#include <cstdint>
#include <vector>

#include "objects/overlay.h"
#include "reference/camera/align.h"
#include "reference/noise/noise.h"

namespace reference {

/// A pixel of the still picture, as glcl::objects::StillPixel.
struct StillPixel {
  Complex motion;
  float level = 0, evidence = 0;
  float margin = 1e9f;  ///< relative distance from the nearest decision
};

/// As glcl::objects::OverlayDetector: the still picture after a frame.
std::vector<StillPixel> still_picture(const std::vector<StillPixel> &before,
                                      const std::vector<float> &small,
                                      const glcl::camera::CameraState &state,
                                      const NoiseTable &noise,
                                      const glcl::camera::FrameGeometry &frame, bool restart);

/// The marks for the background model: 0, glcl's OVERLAY (2) or DOUBTFUL (3).
std::vector<uint8_t> overlay_marks(const std::vector<StillPixel> &still,
                                   const glcl::camera::CameraState &state,
                                   const glcl::camera::FrameGeometry &frame);

}  // namespace reference
