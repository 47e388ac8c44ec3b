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
void for_couples(const EdgePairs &before, const EdgePairs &after, int turn, const Use &use) {
  for (const EdgePair &a : before.pairs) {
    const uint32_t kind = (a.kind + uint32_t(turn * steps)) % (steps * steps);
    auto b = std::lower_bound(after.pairs.begin(), after.pairs.end(), EdgePair{kind, 0, 0});
    for (; b != after.pairs.end() && b->kind == kind; ++b) use(a, *b);
  }
}

}  // namespace

EdgePairs::EdgePairs(const std::vector<uint16_t> &map, int width, size_t edges, size_t room)
    : width(width), height(static_cast<int>(map.size()) / width), space(steps * steps) {
  using glcl::hough::Canny;
  auto list =
      strongest(map, width, 7, Canny::strengths, Canny::strong, edges, {0, 0, width, height});
  std::stable_sort(list.begin(), list.end(),
                   [](const Listed &a, const Listed &b) { return a.key < b.key; });
  for (const Listed &one : list) places.push_back(one.place);
  std::vector<EdgePair> all;
  for (uint32_t i = 0; i < list.size(); i++)
    for (uint32_t j = 0; j < list.size(); j++) {
      const int direction = static_cast<int>(list[i].key) - 1;
      if (static_cast<int>(list[j].key) - 1 != (direction + steps / 2) % steps) continue;
      const int x = static_cast<int>(places[j] % width) - static_cast<int>(places[i] % width);
      const int y = static_cast<int>(places[j] / width) - static_cast<int>(places[i] / width);
      const int way = (full_step(x, y) % steps - direction + steps) % steps;
      all.push_back({uint32_t(direction * steps + way), i, j});
    }
  const size_t every = room ? std::max<size_t>((all.size() + room - 1) / room, 1) : 1;
  for (size_t i = 0; i < all.size(); i += every) pairs.push_back(all[i]);
  std::sort(pairs.begin(), pairs.end());
  for (const EdgePair &pair : pairs) space[pair.kind]++;
}

std::vector<uint64_t> agreement(const EdgePairs &before, const EdgePairs &after) {
  std::vector<uint64_t> sums(steps);
  for (int turn = 0; turn < steps; turn++)
    for (int i = 0; i < steps * steps; i++)
      sums[turn] += uint64_t(before.space[i]) * after.space[(i + turn * steps) % (steps * steps)];
  return sums;
}

std::vector<uint32_t> scale_votes(const EdgePairs &before, const EdgePairs &after, int turn) {
  std::vector<uint32_t> votes(EdgePairs::sizes);
  const auto square = [](const EdgePairs &of, const EdgePair &pair) {
    const auto from = static_cast<int>(of.places[pair.from]),
               to = static_cast<int>(of.places[pair.to]);
    const int x = to % of.width - from % of.width, y = to / of.width - from / of.width;
    return static_cast<float>(x * x + y * y);
  };
  for_couples(before, after, turn, [&](const EdgePair &a, const EdgePair &b) {
    // In floats, since a size may be on the border of two.
    const auto reaches = [&, from = square(before, a), to = 400 * square(after, b)](int size) {
      return to >= float((9 + 2 * size) * (9 + 2 * size)) * from;
    };
    for (int size = 0; size < EdgePairs::sizes; size++)
      if (reaches(size) && !reaches(size + 1)) votes[size]++;
  });
  return votes;
}

std::vector<uint32_t> shift_votes(const EdgePairs &before, const EdgePairs &after, int turn,
                                  int size, int fine) {
  const int columns = ((after.width - 1) >> fine) + 1, lines = ((after.height - 1) >> fine) + 1;
  std::vector<uint32_t> votes(size_t(columns) * lines);
  const double angle = turn * std::acos(-1.0) / steps, by = 4096 * (5 + size) / 10.0;
  const int64_t c = std::lround(by * std::cos(angle)), s = std::lround(by * std::sin(angle));
  const auto vote = [&](uint32_t from, uint32_t to) {
    const auto x = int64_t(before.width) - 1 - 2 * int64_t(before.places[from] % before.width);
    const auto y = int64_t(before.height) - 1 - 2 * int64_t(before.places[from] / before.width);
    const auto to_x = static_cast<int>(std::floor(double(c * x - s * y + 4096) / 8192)) +
                      static_cast<int>(after.places[to] % after.width);
    const auto to_y = static_cast<int>(std::floor(double(s * x + c * y + 4096) / 8192)) +
                      static_cast<int>(after.places[to] / after.width);
    if (to_x >= 0 && to_y >= 0 && to_x < after.width && to_y < after.height)
      votes[size_t(to_y >> fine) * columns + (to_x >> fine)]++;
  };
  for_couples(before, after, turn, [&](const EdgePair &a, const EdgePair &b) {
    vote(a.from, b.from);
    vote(a.to, b.to);
  });
  return votes;
}

}  // namespace reference
