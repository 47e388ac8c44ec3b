// SPDX-License-Identifier: LGPL-2.1-or-later
// A scene for rules: a square that moves over a picture, which may pan.
#pragma once

#include "reference/textured.h"

namespace test {

/// Px: of frames, and of the square.
constexpr int width = 160, height = 120, side = 28;

/// A square that moves to the right by 3 px per frame, over a picture that pans by `pan` px.
/// `foot`: the lower edge of the square.
inline reference::Frame moving_square(int number, double pan, int foot = 78) {
  reference::Frame frame = reference::textured_frame(width, height, {pan * number, 0});
  const reference::Frame square = reference::textured_frame(side, side, {}, 9);
  const int left = 4 + 3 * number;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side && left + x < width; x++)
      for (int k = 0; k < 3; k++)
        frame.at(left + x, foot - side + y)[k] = uint8_t(square.at(x, y)[k] / 2 + 120);
  return frame;
}

}  // namespace test
