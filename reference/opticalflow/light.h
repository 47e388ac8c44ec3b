// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "reference/opticalflow/planes.h"

namespace reference::opticalflow {

/// Gain and offset that give the later frame the light of the earlier one.
struct Light {
  float gain = 1, offset = 0;
};

/// By what lies at the same place in both.
Light light_change(const Plane<1> &previous, const Plane<1> &current);

/// The light by pixels that match, the earlier frame's grey first, if that is better; and the mean
/// difference that is left, or -1 where it is not known.
float relight(const std::vector<Vector> &pairs, Light *light);

}  // namespace reference::opticalflow
