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

/// Clips an area to a frame. An empty area becomes the whole frame; an area outside becomes the
/// nearest row, column or pixel at the frame's edge.
Area clipped(const Area &area, int width, int height);
/// True if a part of the area lies inside the frame.
bool meets(const Area &area, int width, int height);

}  // namespace glcl
