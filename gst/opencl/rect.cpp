// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rect.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace glcl {

Rect clipped(const Rect &area, int width, int height) {
  if (area.empty()) return {0, 0, width, height};
  const auto clip = [](int64_t begin, int64_t size, int64_t whole) {
    const int64_t from = std::clamp<int64_t>(begin, 0, whole - 1);
    const int64_t to = std::clamp<int64_t>(begin + size, from + 1, whole);
    return std::pair(static_cast<int>(from), static_cast<int>(to - from));
  };
  const auto [x, columns] = clip(area.x, area.width, width);
  const auto [y, rows] = clip(area.y, area.height, height);
  return {x, y, columns, rows};
}

bool meets(const Rect &area, int width, int height) {
  const auto within = [](int64_t begin, int64_t size, int64_t whole) {
    return begin < whole && begin + size > 0;
  };
  return !area.empty() && within(area.x, area.width, width) && within(area.y, area.height, height);
}

float common_area(const RectF &a, const RectF &b) {
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left),
              height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

RectF united(const RectF &a, const RectF &b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

RectF clipped(const RectF &rect, float width, float height) {
  return {std::clamp(rect.left, 0.0f, width), std::clamp(rect.top, 0.0f, height),
          std::clamp(rect.right, 0.0f, width), std::clamp(rect.bottom, 0.0f, height)};
}

}  // namespace glcl
