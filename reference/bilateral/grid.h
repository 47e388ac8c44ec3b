// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bilateral/bilateral.h"
#include "reference/frames.h"

namespace reference {

/// The bilateral grid as glcl::bilateral::Grid defines it, in double precision, one cell after the
/// other.
Frame bilateral_grid(const Frame &in, const glcl::bilateral::BilateralFilter::Settings &settings);

}  // namespace reference
