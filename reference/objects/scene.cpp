// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scene.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

/// The first pixels of cells along an axis, and the end.
std::vector<int> borders(int size, int most) {
  const int count = std::min(size, most);
  std::vector<int> list;
  for (int i = 0; i <= count; i++) list.push_back(i * size / count);
  return list;
}

}  // namespace

std::vector<glcl::objects::SceneCell> scene_cells(const SceneFrame &frame) {
  const auto level_at = [&](int x, int y) {
    return frame.small[size_t(std::clamp(y, 0, frame.height - 1)) * frame.width +
                       std::clamp(x, 0, frame.width - 1)];
  };
  const std::vector<int> columns = borders(frame.width, 48), rows = borders(frame.height, 27);
  std::vector<glcl::objects::SceneCell> cells;
  for (size_t r = 0; r + 1 < rows.size(); r++)
    for (size_t c = 0; c + 1 < columns.size(); c++) {
      glcl::objects::SceneCell cell{};
      int pixels = 0;
      for (int y = rows[r]; y < rows[r + 1]; y += frame.spacing)
        for (int x = columns[c]; x < columns[c + 1]; x += frame.spacing) {
          const float level = level_at(x, y),
                      mean = (level_at(x - 1, y) + level_at(x + 1, y) + level_at(x, y - 1) +
                              level_at(x, y + 1)) /
                             4,
                      detail = std::min(16 * (level - mean) * (level - mean), 10000.0f);
          cell.level += cl_uint(std::rint(16 * level));
          cell.detail += cl_uint(std::rint(detail));
          if (!frame.colours.empty()) {
            const cl_short2 colour = frame.colours[size_t(y) * frame.width + x];
            cell.colour += cl_uint(std::max(std::abs(colour.s[0]), std::abs(colour.s[1])));
          }
          pixels++;
        }
      if (frame.noise)
        cell.noise = noise_at(*frame.noise, float(cell.level) / (16 * float(pixels)));
      cells.push_back(cell);
    }
  return cells;
}

}  // namespace reference
