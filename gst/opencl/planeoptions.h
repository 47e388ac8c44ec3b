// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "format.h"

namespace glcl {

/// How the values of luma and chroma relate to colours.
struct Colorimetry {
  double kr = 0.299, kb = 0.114;  ///< weights of red and blue in luma
  bool full_range = false;        ///< black is 0, else 16 of 255
};

/// Build options of common/planes.clh for frames of a format other than RGBA.
std::string plane_options(const PixelFormat &format, const Colorimetry &colorimetry);

}  // namespace glcl
