// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace glcl {

/// A rectangle of whole pixels of a frame, px.
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

/// A rectangle of a frame in fractions of pixels, px; right and bottom are exclusive.
struct RectF {
  float left = 0, top = 0, right = 0, bottom = 0;

  float width() const { return right - left; }
  float height() const { return bottom - top; }
  float area() const { return width() * height(); }
  float x() const { return (left + right) / 2; }
  float y() const { return (top + bottom) / 2; }
  RectF moved(float dx, float dy) const { return {left + dx, top + dy, right + dx, bottom + dy}; }
};

/// Area of the intersection of two rectangles, px².
float common_area(const RectF &a, const RectF &b);
/// The smallest rectangle that contains both.
RectF united(const RectF &a, const RectF &b);
/// The part of a rectangle within 0 … width and 0 … height.
RectF clipped(const RectF &rect, float width, float height);

}  // namespace glcl
