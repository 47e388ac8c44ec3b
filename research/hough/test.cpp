// SPDX-License-Identifier: LGPL-2.1-or-later
// The forms that the thesis begins with count and vote as the others do, and the classic transform
// as it does on the host.
#include <algorithm>
#include <random>

#include "base.h"
#include "classic.h"
#include "hough/canny.h"
#include "reference/hough/edgepairs.h"
#include "sweep.h"
#include "tests/kernels/engine.h"

using glcl::hough::Canny;
using glcl::hough::EdgePairs;
using glcl::hough::Transform;
using glcl::research::BaseEdgePairs;

namespace {

using Map = std::vector<uint16_t>;

Map random_map(int width, int height, int directions, unsigned seed) {
  std::mt19937 random(seed);
  Map map(size_t(width) * height);
  for (uint16_t &value : map)
    if (random() % 3 == 0)
      value = uint16_t(Canny::strong | random() % 100 << 7 |
                       (random() % directions * 90 / directions + 1));
  return map;
}

cl::Buffer upload(Bench &bench, const Map &map) {
  return {bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 2 * map.size(),
          const_cast<uint16_t *>(map.data())};
}

std::vector<uint32_t> download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  std::vector<uint32_t> values(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, 4 * count, values.data());
  return values;
}

glcl::research::EdgeList list_of(const reference::EdgePairs &edge_pairs, const Map &map) {
  glcl::research::EdgeList list{edge_pairs.width, edge_pairs.height, edge_pairs.indices, {}};
  for (const uint32_t index : edge_pairs.indices) list.directions.push_back((map[index] & 127) - 1);
  return list;
}

}  // namespace

TEST(test_base) {
  Bench bench;
  for (const int directions : {1, 2, 90})
    for (const auto &[width, height] : {std::pair{1, 1}, {61, 37}, {300, 3}}) {
      const Map map = random_map(width, height, directions, 1);
      BaseEdgePairs engine(*bench.context, width, height, 500, 1000);
      engine.run(*bench.queue, upload(bench, map));
      const reference::EdgePairs expected(map, width, 500, 0);
      fail_unless(download(bench, engine.space(), EdgePairs::kinds) == expected.space);
      const uint32_t count = download(bench, engine.count(), 1)[0];
      fail_unless(count == expected.pairs.size(), "%u of %zu", count, expected.pairs.size());
    }
}

TEST(test_votes) {
  Bench bench;
  const size_t edges = 300, capacity = 1 << 16;
  for (const int directions : {2, 90})
    for (const auto &[width, height] : {std::pair{1, 1}, {61, 37}, {200, 5}}) {
      const Map maps[] = {random_map(37, 29, directions, 2),
                          random_map(width, height, directions, 3)};
      const reference::EdgePairs before(maps[0], 37, edges, capacity),
          after(maps[1], width, edges, capacity);
      static_assert(edges * edges / 2 <= capacity, "all pairings");
      BaseEdgePairs first(*bench.context, 37, 29, edges, capacity),
          second(*bench.context, width, height, edges, capacity);
      EdgePairs first_list(*bench.context, 37, 29, edges, capacity, EdgePairs::balanced),
          second_list(*bench.context, width, height, edges, capacity, EdgePairs::balanced);
      Transform known(*bench.context, width, height, {}, EdgePairs::balanced);
      first.run(*bench.queue, upload(bench, maps[0]));
      second.run(*bench.queue, upload(bench, maps[1]));
      first_list.run(*bench.queue, upload(bench, maps[0]), {0, 0, 37, 29});
      second_list.run(*bench.queue, upload(bench, maps[1]), {0, 0, width, height});
      known.run(*bench.queue, first_list, second_list);
      const auto rotation = static_cast<int>(download(bench, known.rotation(), 1)[0]);
      const auto scale = static_cast<int>(download(bench, known.scale(), 2)[1]);
      const auto scales = reference::scale_votes(before, after, rotation);
      const auto positions = reference::shift_votes(before, after, rotation, scale, 0);
      for (const int copies : {1, 3}) {
        glcl::research::BaseTransform transform(*bench.context, width, height, copies);
        transform.find_scale(*bench.queue, first, second, known);
        transform.find_position(*bench.queue, first, second, known);
        fail_unless(download(bench, transform.scale_votes(), scales.size()) == scales, "scales");
        fail_unless(download(bench, transform.position_votes(), positions.size()) == positions,
                    "positions");
      }
      if (directions != 90) continue;
      glcl::research::Classic classic(*bench.context, width, height, edges);
      classic.run(*bench.queue, first_list, second_list, known);
      fail_unless(
          download(bench, classic.most(), 180) ==
              glcl::research::classic_most(list_of(before, maps[0]), list_of(after, maps[1])),
          "classic, %d×%d", width, height);
    }
}

TEST(test_rule) {
  using glcl::research::thesis_form;
  for (const size_t tuples : {1, 59, 130, 300, 400})
    fail_unless(thesis_form(tuples) == EdgePairs::balanced, "%zu", tuples);
  for (const size_t tuples : {64, 128, 256, 500, 513, 770})
    fail_unless(thesis_form(tuples) == EdgePairs::saving, "%zu", tuples);
}
