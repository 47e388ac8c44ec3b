// SPDX-License-Identifier: LGPL-2.1-or-later
#include "format.h"

#include <algorithm>

namespace glcl {

// Each plane: OpenCL; GL_RGBA8, GL_RGBA, GLSL; VK_FORMAT_R8G8B8A8_UNORM; bytes of a pixel.
const PixelFormat PixelFormat::rgba = {
    "RGBA", 1, {{CL_RGBA, CL_UNORM_INT8, 0x8058, 0x1908, "rgba8", 37, 4}}};

const PixelFormat *PixelFormat::find(const std::string &name) {
  const auto *const *found = std::find_if(
      std::begin(all), std::end(all), [&](const PixelFormat *one) { return one->name == name; });
  return found != std::end(all) ? *found : nullptr;
}

}  // namespace glcl
