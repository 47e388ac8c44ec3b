// SPDX-License-Identifier: LGPL-2.1-or-later
// The colours of a field: direction as hue with full saturation, speed as brightness.
#pragma once

#include <array>

#include "flow.h"

namespace reference::opticalflow {

/// R, G and B, 0..255, of a vector; full at `gain` px per frame and above.
std::array<double, 3> wheel(double x, double y, double gain);

/// The picture of a field, rounded, alpha 255.
Frame coloured(const Field &field, double gain);

}  // namespace reference::opticalflow
