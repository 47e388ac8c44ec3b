// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgepairs.h"

#include <algorithm>
#include <cmath>

#include "canny.h"
#include "hough.h"
#include "hough/canny.h"

namespace reference {

namespace {

constexpr int steps = EdgePairs::steps;

/// Calls `use` for each two edge pairs of a kind, rotated like the earlier ones.
template <class Use>
void for_couples(const EdgePairs &before, const EdgePairs &after, int rotation, const Use &use) {
  for (const EdgePair &a : before.pairs) {
    const uint32_t kind = (a.kind + uint32_t(rotation * steps)) % (steps * steps);
    auto b = std::lower_bound(after.pairs.begin(), after.pairs.end(), EdgePair{kind, 0, 0});
    for (; b != after.pairs.end() && b->kind == kind; ++b) use(a, *b);
  }
}

}  // namespace

EdgePairs::EdgePairs(const std::vector<uint16_t> &map, int width, size_t edges, size_t capacity)
    : width(width), height(static_cast<int>(map.size()) / width), space(steps * steps) {
  using glcl::hough::Canny;
  auto list =
      strongest(map, width, 7, Canny::strengths, Canny::strong, edges, {0, 0, width, height});
  std::stable_sort(list.begin(), list.end(),
                   [](const Listed &a, const Listed &b) { return a.key < b.key; });
  for (const Listed &one : list) indices.push_back(one.index);
  std::vector<EdgePair> all;
  for (uint32_t i = 0; i < list.size(); i++)
    for (uint32_t j = 0; j < list.size(); j++) {
      const int direction = static_cast<int>(list[i].key) - 1;
      if (static_cast<int>(list[j].key) - 1 != (direction + steps / 2) % steps) continue;
      const int x = static_cast<int>(indices[j] % width) - static_cast<int>(indices[i] % width);
      const int y = static_cast<int>(indices[j] / width) - static_cast<int>(indices[i] / width);
      const int way = (full_step(x, y) % steps - direction + steps) % steps;
      all.push_back({uint32_t(direction * steps + way), i, j});
    }
  const size_t every = capacity ? std::max<size_t>((all.size() + capacity - 1) / capacity, 1) : 1;
  for (size_t i = 0; i < all.size(); i += every) pairs.push_back(all[i]);
  std::sort(pairs.begin(), pairs.end());
  for (const EdgePair &pair : pairs) space[pair.kind]++;
}

std::vector<uint64_t> correlation(const EdgePairs &before, const EdgePairs &after) {
  std::vector<uint64_t> sums(steps);
  for (int rotation = 0; rotation < steps; rotation++)
    for (int i = 0; i < steps * steps; i++)
      sums[rotation] +=
          uint64_t(before.space[i]) * after.space[(i + rotation * steps) % (steps * steps)];
  return sums;
}

std::vector<uint32_t> scale_votes(const EdgePairs &before, const EdgePairs &after, int rotation) {
  std::vector<uint32_t> votes(EdgePairs::scales);
  const auto square = [](const EdgePairs &of, const EdgePair &pair) {
    const auto from = static_cast<int>(of.indices[pair.from]),
               to = static_cast<int>(of.indices[pair.to]);
    const int x = to % of.width - from % of.width, y = to / of.width - from / of.width;
    return static_cast<float>(x * x + y * y);
  };
  for_couples(before, after, rotation, [&](const EdgePair &a, const EdgePair &b) {
    // In floats, since a scale may be on the border of two.
    const auto reaches = [&, from = square(before, a), to = 400 * square(after, b)](int scale) {
      return to >= float((9 + 2 * scale) * (9 + 2 * scale)) * from;
    };
    for (int scale = 0; scale < EdgePairs::scales; scale++)
      if (reaches(scale) && !reaches(scale + 1)) votes[scale]++;
  });
  return votes;
}

std::vector<uint32_t> shift_votes(const EdgePairs &before, const EdgePairs &after, int rotation,
                                  int scale, int fine) {
  const int columns = ((after.width - 1) >> fine) + 1, lines = ((after.height - 1) >> fine) + 1;
  std::vector<uint32_t> votes(size_t(columns) * lines);
  const double angle = rotation * std::acos(-1.0) / steps, by = 4096 * (5 + scale) / 10.0;
  const int64_t c = std::lround(by * std::cos(angle)), s = std::lround(by * std::sin(angle));
  const auto vote = [&](uint32_t from, uint32_t to) {
    const auto x = int64_t(before.width) - 1 - 2 * int64_t(before.indices[from] % before.width);
    const auto y = int64_t(before.height) - 1 - 2 * int64_t(before.indices[from] / before.width);
    const auto to_x = static_cast<int>(std::floor(double(c * x - s * y + 4096) / 8192)) +
                      static_cast<int>(after.indices[to] % after.width);
    const auto to_y = static_cast<int>(std::floor(double(s * x + c * y + 4096) / 8192)) +
                      static_cast<int>(after.indices[to] / after.width);
    if (to_x >= 0 && to_y >= 0 && to_x < after.width && to_y < after.height)
      votes[size_t(to_y >> fine) * columns + (to_x >> fine)]++;
  };
  for_couples(before, after, rotation, [&](const EdgePair &a, const EdgePair &b) {
    vote(a.from, b.from);
    vote(a.to, b.to);
  });
  return votes;
}

}  // namespace reference
