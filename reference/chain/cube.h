// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "chain/cube.h"

namespace reference {

/// Red, green and blue.
using Triple = std::array<double, 3>;

/// A colour mapped by the tables of a .cube file, in double precision, not clamped. `strength` is
/// the weight of the result relative to the colour.
Triple cube(const glcl::chain::Cube &cube, const Triple &colour, bool trilinear, double strength);

}  // namespace reference
