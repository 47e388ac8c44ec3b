// SPDX-License-Identifier: LGPL-2.1-or-later
// Planes with a border, for tests of the tuned numbers of kernels/klt.
#pragma once

#include <CL/cl.h>

#include <vector>

constexpr int side = 128, pitch = side + 32, offset = 16 * pitch + 16;
constexpr cl_int4 level{{side, side, pitch, offset}};

/// A plane with a border, by a function of the place.
template <class Function>
std::vector<float> plane(Function value) {
  std::vector<float> texels(size_t(pitch) * (side + 32));
  for (int y = -16; y < side + 16; y++)
    for (int x = -16; x < side + 16; x++)
      texels[size_t(offset + y * pitch + x)] = float(value(x, y));
  return texels;
}
