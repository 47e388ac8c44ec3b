// SPDX-License-Identifier: LGPL-2.1-or-later
// The colours of a field: direction as hue with full saturation, speed as brightness.
#pragma once

#include <array>

#include "flow.h"

namespace reference::opticalflow {

/// R, G and B, 0..255, of a vector; at `gain` px per frame and above they are full.
std::array<double, 3> wheel(double x, double y, double gain);

/// The whole field, rounded, alpha 255.
Frame coloured(const Field &field, double gain);

}  // namespace reference::opticalflow
