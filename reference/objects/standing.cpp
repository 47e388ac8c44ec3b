// SPDX-License-Identifier: LGPL-2.1-or-later
#include "standing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reference {

namespace {

constexpr int side = 2, young_age = 3;  // px of a cell; frames

}  // namespace

std::vector<int> standing_means(const std::vector<float> &levels, const std::vector<int> &ages,
                                int width, int height) {
  std::vector<int> means;
  for (int top = 0; top < height; top += side)
    for (int left = 0; left < width; left += side) {
      std::vector<double> known;
      int all = 0;
      for (int y = top; y < std::min(top + side, height); y++)
        for (int x = left; x < std::min(left + side, width); x++, all++) {
          const size_t at = size_t(y) * size_t(width) + size_t(x);
          if (ages[at] >= young_age) known.push_back(double(levels[at]));
        }
      const double sum = std::accumulate(known.begin(), known.end(), 0.0);
      means.push_back(
          2 * int(known.size()) < all
              ? -1
              : int(std::rint(std::clamp(256 * sum / double(known.size()), 0.0, 65534.0))));
    }
  return means;
}

}  // namespace reference
