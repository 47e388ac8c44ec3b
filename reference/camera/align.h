// SPDX-License-Identifier: LGPL-2.1-or-later
// The motion of a camera by pixels, pixel by pixel.
#pragma once

#include <vector>

#include "camera/align.h"
#include "reference/noise/noise.h"
#include "rowbrightness.h"
#include "similarity.h"

namespace reference {

/// A reduced frame, as glcl::camera::Align.
std::vector<float> shrunk(const Texel &luma, const glcl::camera::FrameGeometry &frame);

/// As glcl::camera::Align. `background`: levels; `visible`: which of them count. `state`: of the
/// previous frame, with the vectors of this one; updated. `rows`: their brightness, as estimated.
void align(const std::vector<float> &small, const std::vector<float> &background,
           const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
           glcl::camera::Compensation compensation, bool first, const RowBrightness &rows,
           glcl::camera::CameraState &state);
/// The end of the alignment: updates the state.
void update_state(const Similarity &motion, Complex bend, double gain, double offset,
                  const glcl::camera::FrameGeometry &frame, bool first, const RowBrightness &rows,
                  glcl::camera::CameraState &state);

}  // namespace reference
