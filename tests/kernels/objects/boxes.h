// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "objects/tracker.h"

namespace test {

/// The region list of these boxes, px of frames of 320×240.
inline glcl::objects::RegionList regions_of(const std::vector<glcl::RectF> &boxes) {
  glcl::objects::RegionList list{};
  for (const glcl::RectF &box : boxes)
    list.regions[list.count++] = {int(box.left),
                                  int(box.top),
                                  int(box.right) - 1,
                                  int(box.bottom) - 1,
                                  int(box.area()),
                                  int(box.area()) * 32,
                                  0,
                                  0};
  return list;
}

}  // namespace test
