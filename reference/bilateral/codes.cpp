// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codes.h"

#include <algorithm>
#include <cmath>

namespace reference {

Codes::Codes(const Frame &frame)
    : width(frame.width),
      height(frame.height),
      full_scale(255),
      values(frame.rgba.begin(), frame.rgba.end()) {}

Codes::Codes(const PlanarFrame &frame)
    : width(frame.width), height(frame.height), full_scale(65535), values(frame.planes[0].values) {}

Frame Codes::frame() const {
  Frame frame(width, height);
  std::transform(values.begin(), values.end(), frame.rgba.begin(),
                 [](uint16_t code) { return static_cast<uint8_t>(code); });
  return frame;
}

PlanarFrame Codes::planar_frame() const {
  PlanarFrame frame(glcl::PixelFormat::rgba64, width, height);
  frame.planes[0].values = values;
  return frame;
}

void show_split(const Codes &in, Codes &out, double split) {
  const int column = static_cast<int>(std::lround(split * in.width));
  for (int y = 0; y < in.height; y++) {
    std::copy_n(in.at(0, y), 4 * column, out.at(0, y));
    if (column > 0 && column < in.width)
      std::fill_n(out.at(column, y), 3, static_cast<uint16_t>(in.full_scale));
  }
}

}  // namespace reference
