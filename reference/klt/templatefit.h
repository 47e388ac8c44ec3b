// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <complex>

#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"

namespace reference::klt {

using Complex = std::complex<double>;

struct Fitted {
  bool good = true;
  Complex at, similarity;
  double residue = 0, variance = 0;
};

/// Lays a template onto a plane by steps of Gauss and Newton. The place, the turn and the scale are
/// those with the least residual. The change of turn and scale from the previous frame counts as
/// one more measurement.
Fitted fit(const Plane &plane, const Template &patch, Complex at, Complex similarity, int steps,
           double noise);

}  // namespace reference::klt
