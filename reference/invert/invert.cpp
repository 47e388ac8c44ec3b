// SPDX-License-Identifier: LGPL-2.1-or-later
#include "invert.h"

#include <cmath>

namespace reference {

Frame invert(const Frame &frame, double strength) {
  const Colours colours = reference::invert(Colours(frame), strength);
  Frame result = frame;
  for (size_t i = 0; i < frame.rgba.size(); i++)
    result.rgba[i] = static_cast<uint8_t>(std::nearbyint(colours.pixels[i / 4][i % 4]));
  return result;
}

Colours invert(const Colours &colours, double strength) {
  Colours result = colours;
  for (auto &pixel : result.pixels)
    for (int i = 0; i < 3; i++) pixel[i] += strength * (255 - 2 * pixel[i]);
  return result;
}

}  // namespace reference
