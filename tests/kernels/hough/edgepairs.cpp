// SPDX-License-Identifier: LGPL-2.1-or-later
// EdgePairs of edges and the votes of two pictures' ones against the reference.
#include "hough/globalmotion.h"

#include <array>
#include <random>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "reference/hough/edgepairs.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"

using glcl::hough::Canny;
using glcl::hough::EdgePairs;
using glcl::hough::FrameEdgePairs;
using glcl::hough::Transform;

namespace {

using Map = std::vector<uint16_t>;
constexpr EdgePairs::Form forms[] = {EdgePairs::balanced, EdgePairs::saving};

/// Edges of some directions, as many as a part of all pixels.
Map random_map(int width, int height, int directions, double part, unsigned seed) {
  std::mt19937 random(seed);
  Map map(size_t(width) * height);
  for (uint16_t &value : map)
    if (random() < part * 4294967296.0)
      value = uint16_t((random() % 4 ? Canny::strong : 0) | random() % 256 << 7 |
                       (random() % directions * 90 / directions + 1));
  return map;
}

Map map_of(Bench &bench, const Frame &frame) {
  const Layout layout = glcl::layout_for(bench.context->device());
  Canny canny(*bench.context, frame.width, frame.height, layout);
  canny.run(*bench.queue, {}, bench.upload(frame, layout));
  return download<uint16_t>(bench, canny.edges(), size_t(frame.width) * frame.height);
}

void check(Bench &bench, const Map &map, int width, size_t edges, size_t capacity) {
  const int height = static_cast<int>(map.size()) / width;
  const reference::EdgePairs expected(map, width, edges, capacity);
  for (const EdgePairs::Form form : forms) {
    EdgePairs edge_pairs(*bench.context, width, height, edges, capacity, form);
    for (int again = 0; again < 2; again++)
      edge_pairs.run(*bench.queue, upload(bench, map), {0, 0, width, height});
    auto space = download<uint32_t>(bench, edge_pairs.space(), EdgePairs::kinds + 2);
    fail_unless(space[EdgePairs::kinds] == expected.indices.size());
    space.resize(EdgePairs::kinds);
    fail_unless(space == expected.space, "space");
    fail_unless(
        download<uint32_t>(bench, edge_pairs.edges(), expected.indices.size()) == expected.indices,
        "edges");
    if (!capacity) continue;
    const size_t count = download<uint32_t>(bench, edge_pairs.pairs_count(), 1)[0];
    fail_unless(count == expected.pairs.size() && count <= capacity, "%zu pairings", count);
    const auto begins = download<uint32_t>(bench, edge_pairs.pair_begins(), EdgePairs::kinds + 1);
    const auto pairs = download<uint32_t>(bench, edge_pairs.pairs(), count);
    std::vector<reference::EdgePair> list;
    for (uint32_t kind = 0; kind < EdgePairs::kinds; kind++)
      for (uint32_t i = begins[kind]; i < begins[kind + 1]; i++)
        list.push_back({kind, pairs[i] & 0xffff, pairs[i] >> 16});
    std::sort(list.begin(), list.end());
    fail_unless(list == expected.pairs, "list");
  }
}

}  // namespace

TEST(test_edge_pairs) {
  Bench bench;
  check(bench, Map(1), 1, 100, 100);
  check(bench, Map(200 * 50), 200, 100, 100);
  for (const int directions : {1, 2, 30, 90})
    for (const size_t capacity : {size_t(0), size_t(1), size_t(1000), size_t(1) << 17}) {
      check(bench, random_map(61, 37, directions, 0.3, 1), 61, 600, capacity);
      check(bench, random_map(200, 20, directions, 0.1, 2), 200, 300, capacity);
    }
  check(bench, map_of(bench, reference::clutter_frame(160, 120, 5)), 160, 2000, 1 << 16);
  // Those that hardly fit in several stretches.
  check(bench, random_map(90, 70, 2, 1, 3), 90, 700, 1 << 18);
}

TEST(test_votes) {
  Bench bench;
  const int width = 120, height = 90;
  const auto target = reference::targets()[2];
  for (const reference::Pose &pose : {reference::Pose{60, 45, 0, 0.8}, {52, 40, -40, 0.6}}) {
    Frame scene = reference::clutter_frame(width, height, 9);
    reference::place(scene, target, pose);
    const Map before_map = map_of(bench, target.picture()), after_map = map_of(bench, scene);
    const int side = target.picture().width;
    const reference::EdgePairs before(before_map, side, 500, 1 << 14),
        after(after_map, width, 800, 1 << 15);
    for (const EdgePairs::Form form : forms) {
      EdgePairs first(*bench.context, side, side, 500, 1 << 14, form),
          second(*bench.context, width, height, 800, 1 << 15, form);
      first.run(*bench.queue, upload(bench, before_map), {0, 0, side, side});
      second.run(*bench.queue, upload(bench, after_map), {0, 0, width, height});
      for (const auto &[fine, copies] : {std::array{0, 1}, {0, 16}, {2, 3}}) {
        Transform::Settings settings;
        settings.fine = fine, settings.copies = copies;
        Transform transform(*bench.context, width, height, settings, form);
        transform.run(*bench.queue, first, second);
        const auto correlation = reference::correlation(before, after);
        fail_unless(download<uint64_t>(bench, transform.correlation(), 90) == correlation);
        const auto rotation = static_cast<int>(
            std::max_element(correlation.begin(), correlation.end()) - correlation.begin());
        fail_unless(download<int>(bench, transform.rotation(), 1)[0] == rotation, "rotation");
        const auto scales = reference::scale_votes(before, after, rotation);
        fail_unless(download<uint32_t>(bench, transform.scale_votes(), 11) == scales, "scales");
        const auto scale =
            static_cast<int>(std::max_element(scales.begin(), scales.end()) - scales.begin());
        fail_unless(download<int>(bench, transform.scale(), 2)[1] == scale, "scale");
        const auto positions = reference::shift_votes(before, after, rotation, scale, fine);
        fail_unless(
            download<uint32_t>(bench, transform.position_votes(), positions.size()) == positions,
            "positions");
        const auto position =
            uint32_t(std::max_element(positions.begin(), positions.end()) - positions.begin());
        const std::vector<uint32_t> most = {positions[position], position};
        fail_unless(download<uint32_t>(bench, transform.position(), 2) == most, "position");
      }
    }
  }
}

// Place, size and light of a picture do not matter, but its content does.
TEST(test_frames) {
  Bench bench;
  const Layout layout = glcl::layout_for(bench.context->device());
  const int width = 240, height = 180;
  FrameEdgePairs edge_pairs(*bench.context, width, height, layout, 2048);
  const auto targets = reference::targets();
  const auto space = [&](int target, const reference::Pose &pose, double gain) {
    Frame frame(width, height);
    for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 128;
    reference::place(frame, targets[target], pose);
    const cl::Buffer &counts =
        edge_pairs.run(*bench.queue, bench.upload(reference::relit(frame, gain, 10), layout));
    auto found = download<uint32_t>(bench, counts, EdgePairs::kinds);
    double sum = 0;
    for (const uint32_t count : found) sum += count;
    std::vector<double> parts;
    for (const uint32_t count : found) parts.push_back(std::sqrt(count / sum));
    return parts;
  };
  const auto similarity = [](const std::vector<double> &a, const std::vector<double> &b,
                             int rotation) {
    double sum = 0;
    for (int i = 0; i < EdgePairs::kinds; i++)
      for (int off = -1; off <= 1; off++)
        sum +=
            a[i] * b[(i + rotation * EdgePairs::steps + off + EdgePairs::kinds) % EdgePairs::kinds];
    return sum;
  };
  const auto logo = space(2, {100, 80, 0, 1}, 1), same = space(2, {140, 100, 0, 1}, 0.6),
             rotated = space(2, {120, 90, -40, 1}, 1), sign = space(4, {100, 80, 0, 1}, 1);
  fail_unless(similarity(logo, same, 0) > 1.3 * similarity(logo, sign, 0), "%g %g",
              similarity(logo, same, 0), similarity(logo, sign, 0));
  fail_unless(similarity(logo, rotated, 20) > 1.2 * similarity(logo, rotated, 0), "%g %g",
              similarity(logo, rotated, 20), similarity(logo, rotated, 0));
}

// Frames of a plane that a camera turns, nears and passes, in noise and other light; at a cut there
// is no motion.
TEST(test_global_motion) {
  Bench bench;
  using glcl::hough::GlobalMotion;
  const int width = 320, height = 240;
  GlobalMotion engine(*bench.context, width, height);
  const auto upload_map = [&](const Frame &frame) { return upload(bench, map_of(bench, frame)); };
  const auto found = [&](const Frame &before, const Frame &after) {
    engine.run(*bench.queue, upload_map(before), upload_map(after), {0, 0, width, height});
    return GlobalMotion::read(
        download<char>(bench, engine.result(), GlobalMotion::result_bytes).data());
  };
  const Frame first = reference::textured_frame(width, height, {}, 3);
  unsigned seed = 1;
  for (const reference::Motion &motion : {reference::Motion{0, 0, 0, 1},
                                          {5, -3, 0, 1},
                                          {0, 0, 0.03, 1},
                                          {-2.5, 1.5, -0.01, 1.02},
                                          {30, -22, 0.05, 1.03},
                                          {0, 0, -0.02, 0.97},
                                          {60, 40, 0, 1}}) {
    const Frame second =
        reference::relit(reference::textured_frame(width, height, motion, 3), 0.8, 5);
    const auto is = found(reference::noisy(first, 3, seed), reference::noisy(second, 3, seed + 1));
    seed += 2;
    const auto raw = download<float>(bench, engine.result(), 6);
    fail_unless(is.has_value(), "no motion of %g px, %g: %g of %g", motion.x, motion.angle, raw[4],
                raw[5]);
    const double rotation = -motion.angle * 180 / std::acos(-1.0);
    fail_unless(std::abs(is->rotation - rotation) < 0.2 &&
                    std::abs(is->zoom / motion.zoom - 1) < 0.005 &&
                    std::hypot(is->shift_x - motion.x, is->shift_y - motion.y) < 0.5,
                "(%g, %g) by %g and %g, instead of (%g, %g) by %g and %g", is->shift_x, is->shift_y,
                is->rotation, is->zoom, motion.x, motion.y, rotation, motion.zoom);
  }
  fail_unless(!found(first, reference::flat_frame(width, height)), "to nothing");
  fail_unless(!found(reference::flat_frame(width, height), first), "from nothing");
  const auto cut = found(first, reference::textured_frame(width, height, {}, 4));
  fail_unless(!cut, "a cut: %g", cut ? cut->agreement : 0);
}

// A run for the next picture uses the edge pairs of the last one, unless the region has changed;
// its result is that of a run that starts anew.
TEST(test_consecutive_motions) {
  Bench bench;
  using glcl::hough::GlobalMotion;
  const int width = 160, height = 120;
  GlobalMotion engine(*bench.context, width, height), fresh(*bench.context, width, height);
  std::vector<cl::Buffer> maps;
  for (const double x : {0, 3, 4, 9, 7, 7})
    maps.push_back(
        upload(bench, map_of(bench, reference::textured_frame(width, height, {x, 0, 0, 1}, 3))));
  const glcl::Rect whole{0, 0, width, height}, part{20, 10, 120, 100};
  const struct {
    size_t picture;
    uint64_t number;
    glcl::Rect region;
  } runs[] = {{1, 2, whole}, {2, 3, whole}, {3, 4, whole}, {4, 5, part},
              {5, 7, part},  {1, 8, part},  {2, 0, part},  {4, 1, part}};
  for (const auto &run : runs) {
    const auto result = [&](GlobalMotion &motion, uint64_t number) {
      motion.run(*bench.queue, maps[run.picture - 1], maps[run.picture], run.region, number);
      return download<char>(bench, motion.result(), GlobalMotion::result_bytes);
    };
    // Of the sixth run, the earlier picture is not the later one of the last run.
    const bool same = result(engine, run.number) == result(fresh, 0);
    fail_unless(same == (run.number != 8), "picture %zu", run.picture);
  }
}
