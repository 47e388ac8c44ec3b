// SPDX-License-Identifier: LGPL-2.1-or-later
// The scalar reference of kernels/invert.
#pragma once

#include "reference/conversion/conversion.h"
#include "reference/frames.h"

namespace reference {

/// Each colour c becomes c + strength (255 - 2 c), rounded to even; alpha stays. strength: 0 to 1.
Frame invert(const Frame &frame, double strength);
/// The same, not rounded.
Colours invert(const Colours &colours, double strength);

}  // namespace reference
