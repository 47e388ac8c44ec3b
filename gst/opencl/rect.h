// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace glcl {

/// Px of a frame.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
  bool empty() const { return width <= 0 || height <= 0; }
  bool operator==(const Rect &other) const {
    return x == other.x && y == other.y && width == other.width && height == other.height;
  }
};

/// Clips an area to a frame. An empty area becomes the whole frame; an area outside becomes the
/// nearest row, column or pixel at the frame's edge.
Rect clipped(const Rect &area, int width, int height);
/// True if a part of the area lies inside the frame.
bool meets(const Rect &area, int width, int height);

}  // namespace glcl
