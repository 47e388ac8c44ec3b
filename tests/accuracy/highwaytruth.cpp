// SPDX-License-Identifier: LGPL-2.1-or-later
#include "highwaytruth.h"

#include <cstdint>

#include "clips.h"

namespace highway {

namespace {

constexpr size_t first_mask = 470;
constexpr double most_unknown = 0.6;  // of a box; one with more may be right
constexpr uint8_t moves = 255, outside = 85, unknown = 170;

}  // namespace

Truth::Truth(const std::string &folder, size_t frame)
    : mask_(
          reference::load_picture(folder + "gt000" + std::to_string(first_mask + frame) + ".png")),
      seen_(size_t(mask_.width) * mask_.height) {
  const int least = mask_.width * mask_.height / 1500;
  for (int y = 0; y < mask_.height; y++)
    for (int x = 0; x < mask_.width; x++)
      if (Box box; fill(x, y, box) >= least) boxes.push_back(box);
}

bool Truth::excuses(const Box &box) const {
  int count = 0;
  for (int y = int(box.top); y < int(box.bottom); y++)
    for (int x = int(box.left); x < int(box.right); x++)
      count += mask_.at(x, y)[0] == outside || mask_.at(x, y)[0] == unknown;
  return count > most_unknown * double(box.area());
}

std::pair<int, int> Truth::compare(const std::vector<Box> &found, double least_iou) const {
  std::vector<bool> used(found.size());
  int right = 0, wrong = 0;
  for (const int match : clips::matched_boxes(boxes, found, least_iou))
    if (match >= 0) used[size_t(match)] = true, right++;
  for (size_t o = 0; o < used.size(); o++) wrong += !used[o] && !excuses(found[o]);
  return {right, wrong};
}

/// The pixels that are connected to one, and their box; none if they are known.
int Truth::fill(int x, int y, Box &box) {
  std::vector<std::pair<int, int>> open;
  const auto add = [&](int u, int v) {
    if (u < 0 || v < 0 || u >= mask_.width || v >= mask_.height || mask_.at(u, v)[0] != moves)
      return;
    const size_t at = size_t(v) * mask_.width + u;
    if (!seen_[at]) open.emplace_back(u, v);
    seen_[at] = true;
  };
  box = {1e9f, 1e9f, -1e9f, -1e9f};
  int count = 0;
  for (add(x, y); !open.empty(); count++) {
    const auto [u, v] = open.back();
    open.pop_back();
    box = glcl::united(box, {float(u), float(v), float(u + 1), float(v + 1)});
    for (int i = 0; i < 9; i++) add(u + i % 3 - 1, v + i / 3 - 1);
  }
  return count;
}

}  // namespace highway
