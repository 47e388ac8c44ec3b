// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace glcl {

/// A part of a frame, px.
struct Area {
  int x = 0, y = 0, width = 0, height = 0;
  bool empty() const { return width <= 0 || height <= 0; }
  bool operator==(const Area &other) const {
    return x == other.x && y == other.y && width == other.width && height == other.height;
  }
};

/// What lies of an area inside a frame, for any numbers: all of the frame where the area is empty,
/// and the row, column or pixel at the frame's edge that is nearest to one outside of it.
Area clipped(const Area &area, int width, int height);
/// Whether any of it lies inside.
bool meets(const Area &area, int width, int height);

}  // namespace glcl
