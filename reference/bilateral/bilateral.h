// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "bilateral/bilateral.h"
#include "reference/conversion/conversion.h"
#include "reference/frames.h"

namespace reference {

/// The bilateral filter as glcl::bilateral::BilateralFilter defines it, in double precision, one
/// tap after the other.
Frame bilateral(const Frame &in, const glcl::bilateral::BilateralFilter::Settings &settings);
/// The same for frames in PixelFormat::rgba64.
PlanarFrame deep_bilateral(const PlanarFrame &in,
                           const glcl::bilateral::BilateralFilter::Settings &settings);

/// Where a mix changes a frame: in a region (empty: everywhere), by a mask of levels that is
/// stretched over the frame (without levels: everywhere 255).
struct Area {
  glcl::Rect region{};
  int mask_width = 0, mask_height = 0;  ///< px
  std::vector<uint8_t> mask{};
};

/// in + amount * mask * (filtered - in) as glcl::bilateral::Mix defines it, with `luma` for the
/// brightness only; the hairline of a split view stays.
Frame mixed(const Frame &in, const Frame &filtered, double amount, double split = 0,
            bool luma = false, const Area &area = {});
/// The same for frames in PixelFormat::rgba64.
PlanarFrame deep_mixed(const PlanarFrame &in, const PlanarFrame &filtered, double amount,
                       double split = 0, bool luma = false, const Area &area = {});

/// Shows `in` left of column round(split * width) of `out`, and a white line there unless that is
/// an edge of the frame.
void show_split(const Frame &in, Frame &out, double split);

}  // namespace reference
