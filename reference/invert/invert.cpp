// SPDX-License-Identifier: LGPL-2.1-or-later
#include "invert.h"

#include <cmath>

namespace reference {

Frame invert(const Frame &frame, double strength) {
  Frame result = frame;
  for (size_t i = 0; i < frame.rgba.size(); i++)
    if (i % 4 != 3)
      result.rgba[i] = static_cast<uint8_t>(
          std::nearbyint(frame.rgba[i] + strength * (255 - 2 * frame.rgba[i])));
  return result;
}

}  // namespace reference
