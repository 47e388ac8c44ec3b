// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reference/klt/pyramid.h"

namespace reference::klt {

/// How the details of two frames agree, 0 … 1. See klt/view.clh.
struct ViewMatch {
  double in_place = 0;  ///< without shift
  double best = 0;      ///< at the best shift
  double others = 0;    ///< at shifts far from that one
  int brightened = 0;   ///< cells that are saturated only in the second frame
};

ViewMatch match_views(const Plane &before, const Plane &after);

/// The coarsest level whose sides have 64 texels.
const Plane &coarse_level(const Pyramid &pyramid);

}  // namespace reference::klt
