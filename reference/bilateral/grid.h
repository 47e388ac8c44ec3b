// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bilateral/bilateral.h"
#include "reference/conversion/conversion.h"
#include "reference/frames.h"

namespace reference {

/// The bilateral grid as glcl::bilateral::Grid defines it, in double precision, one cell after the
/// other.
Frame bilateral_grid(const Frame &in, const glcl::bilateral::BilateralFilter::Settings &settings);
/// The same for frames in PixelFormat::rgba64.
PlanarFrame deep_bilateral_grid(const PlanarFrame &in,
                                const glcl::bilateral::BilateralFilter::Settings &settings);

}  // namespace reference
