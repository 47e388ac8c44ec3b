// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "reference/opticalflow/planes.h"

namespace reference::opticalflow {

/// Gain and offset that adjust the later frame to the earlier one.
struct Brightness {
  float gain = 1, offset = 0;
};

/// Compares texels at the same place.
Brightness brightness_change(const Plane<1> &previous, const Plane<1> &current);

/// Fits the brightness to pairs of matching pixels (the grey of the earlier frame first) and takes
/// it if it is better. Returns the mean remaining difference, or -1 if it is unknown.
float fit_brightness(const std::vector<Vector> &pairs, Brightness *brightness);

}  // namespace reference::opticalflow
