// SPDX-License-Identifier: LGPL-2.1-or-later
#include "range.h"

#include <set>

#include "motion/range.h"

namespace reference {

namespace {

using glcl::motion::Key;
using Engine = glcl::motion::Range;

constexpr int strip = glcl::motion::LumaPlane::strip;

int areas_along(int px) { return (px + strip - 1) / strip; }

Plane shrunk(Plane plane, int by) {
  for (; by > 1; by /= 2) plane = halved(plane);
  return plane;
}

}  // namespace

int Ranges::mean_square() const {
  int64_t sum = 0;
  for (const int range : ranges) sum += int64_t(range) * range;
  return static_cast<int>(sum / static_cast<int64_t>(ranges.size()));
}

Ranges ranges_of(const Plane &current, const Plane &before, int least, int most, int lambda,
                 double target, int64_t errors, uint64_t last) {
  const std::vector<int> ranges = Engine::ranges(least, most);
  const int shrink = Engine::reduction_for(current.width, current.height),
            across = strip / 8 / shrink;
  const Plane small = shrunk(current, shrink), small_before = shrunk(before, shrink);
  const std::vector<int> reaches = Engine::reduced_ranges(ranges, shrink);
  const int columns = areas_along(current.width), rows = areas_along(current.height),
            blocks = (small.width + 7) / 8;
  const size_t areas = size_t(columns) * rows;
  std::vector<std::vector<uint64_t>> sums;
  for (const int reach : reaches) {
    std::vector<uint64_t> of_areas(areas);
    const int coarse_lambda = std::max(lambda, Engine::least_lambda);
    const auto keys = full_search(small, small_before, 8,
                                  glcl::motion::SearchWindow::of_range(reach), coarse_lambda);
    for (size_t i = 0; i < keys.size(); i++) {
      const glcl::motion::Vector v = glcl::motion::vector_of(keys[i]);
      const uint64_t sad = glcl::motion::cost_of(keys[i]) - coarse_lambda * vector_bits(v);
      of_areas[i / blocks / across * columns + i % blocks / across] += sad * sad;
    }
    sums.push_back(of_areas);
  }
  uint64_t total = 0;
  for (const uint64_t sum : sums.back()) total += sum;
  float excess = -1;
  if (target >= 0) {
    const float allowed = static_cast<float>(target) * static_cast<float>(last),
                there = static_cast<float>(errors) * static_cast<float>(total);
    excess = allowed - there;
  }
  std::vector<size_t> needs;
  for (size_t area = 0; area < areas; area++) {
    size_t i = 0;
    for (; i + 1 < ranges.size(); i++) {
      const int64_t above = int64_t(sums[i][area]) - int64_t(sums.back()[area]);
      const float expected =
          static_cast<float>(above) * static_cast<float>(errors) * static_cast<float>(areas);
      if (above <= int64_t(total / Engine::share / areas) || expected <= excess) break;
    }
    needs.push_back(i);
  }
  Ranges chosen;
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      size_t most = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, rows - 1); v++)
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, columns - 1); u++)
          most = std::max(most, needs[size_t(v) * columns + u]);
      chosen.ranges.push_back(ranges[most]);
      chosen.sum += sums[most][size_t(y) * columns + x];
    }
  return chosen;
}

std::vector<Key> full_search(const Plane &current, const Plane &before, int block,
                             const std::vector<int> &ranges, int lambda) {
  const bool partitions = block == glcl::motion::Search::partitions;
  const int side = partitions ? 16 : block, each = partitions ? block : 1,
            columns = (current.width + side - 1) / side, areas = areas_along(current.width);
  std::vector<Key> keys;
  for (const int range : std::set<int>(ranges.begin(), ranges.end())) {
    const auto found =
        full_search(current, before, block, glcl::motion::SearchWindow::of_range(range), lambda);
    keys.resize(found.size());
    for (size_t i = 0; i < found.size(); i++) {
      const int number = static_cast<int>(i) / each, x = number % columns * side,
                y = number / columns * side;
      if (ranges[y / strip * areas + x / strip] == range) keys[i] = found[i];
    }
  }
  return keys;
}

}  // namespace reference
