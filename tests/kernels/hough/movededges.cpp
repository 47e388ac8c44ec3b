// SPDX-License-Identifier: LGPL-2.1-or-later
// The global motion without what stands still in the picture, against the reference, and its
// numbers in kernels/hough/tuned.clh.
#include "hough/movededges.h"

#include <algorithm>
#include <cmath>

#include "hough/canny.h"
#include "hough/globalmotion.h"
#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "reference/hough/movededges.h"
#include "reference/textured.h"

using glcl::hough::AreaEdges;
using glcl::hough::AREAS;
using glcl::hough::Canny;
using glcl::hough::GlobalMotion;
using glcl::hough::MovedEdges;
using reference::AlignedMotion;
using reference::EdgeMaps;

namespace {

constexpr AlignedMotion no_motion{1, 0, 0, 0, 0, 0};

struct MovedResult {
  std::vector<AreaEdges> areas;
  std::vector<uint32_t> votes;
  AlignedMotion motion;

  uint32_t all_votes() const {
    uint32_t sum = 0;
    for (const uint32_t vote : votes) sum += vote;
    return sum;
  }
  bool replaced() const { return motion[5] > 0; }
};

/// The result of MovedEdges for a motion of all edges.
MovedResult run(Bench &bench, const EdgeMaps &maps, const AlignedMotion &motion,
                const glcl::Rect &region) {
  MovedEdges engine(*bench.context, maps.width, maps.height);
  const cl::Buffer result = upload(bench, std::vector<float>(motion.begin(), motion.end()));
  engine.run(*bench.queue, upload(bench, maps.before), upload(bench, maps.after), region, result);
  MovedResult found;
  found.areas = download<AreaEdges>(bench, engine.areas(), MovedEdges::areas_count);
  found.votes =
      download<uint32_t>(bench, engine.votes(), reference::moved_votes(maps, found.areas).size());
  const auto values = download<float>(bench, result, 6);
  std::copy(values.begin(), values.end(), found.motion.begin());
  return found;
}

MovedResult run(Bench &bench, const EdgeMaps &maps, const AlignedMotion &motion = no_motion) {
  return run(bench, maps, motion, {0, 0, maps.width, maps.height});
}

}  // namespace

// The lists of areas, the votes and the motion equal those of the reference.
namespace {

void expect_reference(Bench &bench, const EdgeMaps &maps, const AlignedMotion &motion,
                      const glcl::Rect &region, const char *what, int expected) {
  const MovedResult found = run(bench, maps, motion, region);
  const auto areas = reference::sampled_edges(maps, region, motion);
  for (size_t i = 0; i < areas.size(); i++) {
    const AreaEdges &is = found.areas[i], &right = areas[i];
    fail_unless(is.count == right.count && is.still == right.still && is.inside == right.inside,
                "%s, area %zu", what, i);
    // A distance may be rounded to the other side of the bound.
    fail_unless(std::abs(int(is.met) - int(right.met)) <= 1, "%s, area %zu: %u met, %u expected",
                what, i, is.met, right.met);
    fail_unless(std::equal(is.edges, is.edges + is.count, right.edges), "%s, area %zu", what, i);
  }
  fail_unless(found.votes == reference::moved_votes(maps, found.areas), "%s: votes", what);
  const auto right = reference::moved_alignment(maps, found.areas, found.votes);
  fail_unless(expected < 0 || right.has_value() == (expected > 0), "%s: replaced", what);
  for (size_t i = 0; i < 6; i++) {
    const float value = right ? (*right)[i] : motion[i], most = !right || i < 2 ? 1e-3f
                                                                : i < 5         ? 0.02f
                                                                                : 2;
    fail_unless(std::abs(found.motion[i] - value) <= most, "%s, %zu: %g, %g expected", what, i,
                found.motion[i], value);
  }
}

EdgeMaps maps_of(Bench &bench, const Frame &before, const Frame &after) {
  const Layout layout = glcl::layout_for(bench.context->device());
  Canny canny(*bench.context, before.width, before.height, layout);
  const auto map = [&](const Frame &frame) {
    canny.run(*bench.queue, {}, bench.upload(frame, layout));
    return download<uint16_t>(bench, canny.edges(), size_t(frame.width) * frame.height);
  };
  const std::vector<uint16_t> first = map(before);
  return {first, map(after), before.width, before.height};
}

/// Frame `number` of a plane that moves by a step each frame, with noise.
Frame seen(const reference::Motion &step, int number, bool overlay) {
  reference::Motion motion = step;
  motion.x *= number, motion.y *= number;
  if (number == 0) motion = {};
  const Frame frame = reference::textured_frame(320, 240, motion, 3);
  return reference::noisy(overlay ? reference::captioned(frame) : frame, 2, unsigned(number + 1));
}

/// The frame with a piece of another texture, `x` px to the right.
Frame with_thing(Frame frame, int x, int width, int height) {
  const Frame thing = reference::textured_frame(width, height, {}, 9);
  for (int v = 0; v < height; v++)
    for (int u = 0; u < width; u++) std::copy_n(thing.at(u, v), 3, frame.at(30 + x + u, 30 + v));
  return frame;
}

}  // namespace

TEST(test_moved_edges) {
  Bench bench;
  const glcl::Rect all{0, 0, 320, 240};
  for (const reference::Motion &step : {reference::Motion{1, 0, 0, 1},
                                        {-2, 1.5, 0, 1},
                                        {3, 0, 0, 1},
                                        {0, -8, 0, 1},
                                        {4, 2, 0.004, 1.004}}) {
    const EdgeMaps maps = maps_of(bench, seen(step, 0, true), seen(step, 1, true));
    expect_reference(bench, maps, no_motion, all, "pan", 1);
    expect_reference(bench, maps, no_motion, {33, 21, 250, 190}, "region", 1);
  }
  const Frame still = seen({}, 0, true);
  expect_reference(bench, maps_of(bench, still, seen({}, 1, true)), no_motion, all, "still", 0);
  expect_reference(bench,
                   maps_of(bench, with_thing(still, 0, 120, 120), with_thing(still, 4, 120, 120)),
                   no_motion, all, "thing", 0);
  expect_reference(bench, maps_of(bench, still, reference::textured_frame(320, 240, {}, 4)),
                   no_motion, all, "cut", 0);
  const reference::Motion step{5, 0, 0, 1};
  expect_reference(bench, maps_of(bench, seen(step, 0, false), seen(step, 1, false)),
                   {1, 0, 5, 0, 1, 1000}, all, "no overlay", 0);
  for (const auto &[w, h] : {std::pair{1, 1}, {17, 13}, {131, 67}})
    expect_reference(bench,
                     maps_of(bench, reference::textured_frame(w, h, {}, 3),
                             reference::textured_frame(w, h, {2, 1, 0, 1}, 3)),
                     no_motion, {0, 0, w, h}, "size", -1);
}

// A camera that pans behind an overlay. A still scene has no motion at all, and a thing that moves
// before it gives it none.
TEST(test_overlaid_motion) {
  Bench bench;
  GlobalMotion engine(*bench.context, 320, 240);
  const auto found = [&](const Frame &before, const Frame &after) {
    const EdgeMaps maps = maps_of(bench, before, after);
    engine.run(*bench.queue, upload(bench, maps.before), upload(bench, maps.after),
               {0, 0, 320, 240});
    const auto motion = GlobalMotion::read(
        download<char>(bench, engine.result(), GlobalMotion::result_bytes).data());
    fail_unless(motion.has_value());
    return *motion;
  };
  for (const double px : {1, 2, 3, 4, 6, 8}) {
    const reference::Motion step{-px, 0, 0, 1};
    const auto is = found(seen(step, 0, true), seen(step, 1, true));
    fail_unless(std::hypot(is.shift_x - step.x, is.shift_y - step.y) <= 0.1 * px,
                "(%g, %g) instead of (%g, %g)", is.shift_x, is.shift_y, step.x, step.y);
    fail_unless(std::abs(is.rotation) < 0.1 && std::abs(is.zoom - 1) < 0.003);
  }
  const Frame still = reference::captioned(reference::textured_frame(320, 240, {}, 3));
  const auto none = found(still, still);
  fail_unless(none.shift_x == 0 && none.shift_y == 0 && none.rotation == 0 && none.zoom == 1);
  for (const int side : {40, 80, 120, 140}) {
    const auto is = found(with_thing(still, 0, side, side), with_thing(still, 4, side, side));
    fail_unless(std::hypot(is.shift_x, is.shift_y) < 0.02, "a thing of %d px: (%g, %g)", side,
                is.shift_x, is.shift_y);
  }
}

namespace {

/// Single edges in areas of 20×20 px. In the next frame they may be elsewhere.
class Dots {
 public:
  static constexpr int size = 20 * AREAS;
  static constexpr uint16_t along_x = 1, along_y = 1 + 45;  // directions of the gradient
  EdgeMaps maps{std::vector<uint16_t>(size * size), std::vector<uint16_t>(size *size), size, size};

  /// Adds an edge at (x, y) that moves by (dx, dy).
  void add(int x, int y, int dx, int dy, uint16_t edge, int turned = 0) {
    maps.before[size_t(y) * size + x] = edge | glcl::hough::EDGE_STRONG;
    after(x + dx, y + dy, edge + turned);
  }
  void after(int x, int y, int edge) {
    if (x >= 0 && x < size) maps.after[size_t(y) * size + x] = uint16_t(edge);
  }
  /// Adds four edges to an area, of which the first `moved` move by (dx, dy).
  void fill(int area, int moved, int dx, int dy = 0, uint16_t edge = along_x, int turned = 0) {
    for (int k = 0; k < 4; k++) {
      const int x = area % AREAS * 20 + 4 + k % 2 * 10, y = area / AREAS * 20 + 4 + k / 2 * 10;
      k < moved ? add(x, y, dx, dy, edge, turned) : add(x, y, 0, 0, edge, turned);
    }
  }
  /// Adds an edge that has none in the next frame.
  void lose(int x, int y) {
    maps.before[size_t(y) * size + x] = along_x | glcl::hough::EDGE_STRONG;
  }
};

AlignedMotion shifted(float x) { return {1, 0, x, 0, 0, 0}; }

}  // namespace

// The direction of an edge that stands still.
TEST(test_still_edges) {
  Bench bench;
  for (const int turned : {2, 3}) {
    Dots dots;
    dots.fill(40, 0, 0, 0, 20, turned);
    const auto areas = run(bench, dots.maps).areas;
    fail_unless(areas[40].count == 4 && areas[40].still == (turned == 2 ? 4u : 0u),
                "SAME_DIRECTION");
  }
}

// When moved edges are aligned.
TEST(test_needed) {
  Bench bench;
  const auto with_still = [&](int areas, int moved) {
    Dots dots;
    for (int i = 0; i < areas; i++) dots.fill(i, moved, 3);
    for (int i = areas; i < 100; i++) dots.fill(i, 4, 3);
    return run(bench, dots.maps, shifted(3)).all_votes() > 0;
  };
  fail_unless(with_still(3, 0) && !with_still(2, 0), "LEAST_STILL");
  fail_unless(with_still(3, 1) && !with_still(3, 2), "STILL_PART");
  const auto with_moved = [&](int areas) {
    Dots dots;
    for (int i = 0; i < 16; i++) dots.fill(i, i < areas ? 4 : 0, 3);
    return run(bench, dots.maps).all_votes() > 0;
  };
  fail_unless(with_moved(2) && !with_moved(1), "LEAST_MOVED");
  const auto with_met = [&](int areas) {
    Dots dots;
    for (int i = 0; i < 100; i++) dots.fill(i, 4, i < areas ? 3 : 5);
    return run(bench, dots.maps, shifted(3)).all_votes() > 0;
  };
  fail_unless(with_met(74) && !with_met(75), "LEAST_MET");
}

// The shifts that get votes.
TEST(test_shift_reach) {
  Bench bench;
  const auto reaches = [&](int px) {
    Dots dots;
    for (int i = 0; i < 100; i++) dots.fill(i, 4, 0, px, Dots::along_y);
    const MovedResult found = run(bench, dots.maps);
    return found.replaced() && std::abs(found.motion[3] - float(px)) < 0.01f;
  };
  fail_unless(reaches(12) && !reaches(13), "SHIFT_REACH");
}

namespace {

/// Edges along x that say nothing about the shift along x, but for a start at 4 px, and `others`
/// that moved by some px.
Dots started(int others, int px) {
  Dots dots;
  for (int i = 0; i < 60; i++) dots.add(Dots::size - 6, 5 * i + 8, 4, 0, Dots::along_y);
  for (int i = 0; i < others; i++) dots.fill((2 + i % 2 * 11) * AREAS + 2 + i / 2 * 2, 4, px);
  return dots;
}

}  // namespace

// The distance up to which edges are searched in the first fit, and the number of fits: they come
// nearer the shift by a part each if most edges say nothing about it.
TEST(test_moved_rounds) {
  Bench bench;
  const auto reaches = [&](int px) {
    const MovedResult found = run(bench, started(10, px).maps);
    return found.replaced() && std::abs(found.motion[2] - float(px)) < 0.1f;
  };
  fail_unless(reaches(7) && !reaches(8), "MOVED_REACH");
  Dots dots = started(0, 0);
  dots.add(50, 50, 5, 0, Dots::along_x);
  for (int i = 3 * AREAS; i < 16 * AREAS; i++)
    for (int k = 0; k < 5; k++) {
      if (i % AREAS == AREAS - 1) continue;
      const int x = i % AREAS * 20 + 1, y = i / AREAS * 20 + 4 * k + 2;
      dots.add(x, y, 1, 0, Dots::along_y);
      for (int dx = 2; dx < 10; dx++) dots.after(x + dx, y, Dots::along_y);
    }
  const MovedResult found = run(bench, dots.maps, shifted(15));
  const auto right = reference::moved_alignment(dots.maps, found.areas, found.votes);
  fail_unless(right && found.replaced() && (*right)[2] < 4.99f, "%g", right ? (*right)[2] : 0);
  fail_unless(std::abs(found.motion[2] - (*right)[2]) < 1e-3f, "MOVED_ROUNDS: %g, %g expected",
              found.motion[2], (*right)[2]);
}

// The shift across an edge that shows whether it moved: 1 px, and half of it.
TEST(test_clear_shift) {
  Bench bench;
  const auto shows = [&](uint16_t edge) {
    Dots dots;
    for (int i = 0; i < 100; i++) dots.fill(i, 4, 1, 0, edge);
    return run(bench, dots.maps, shifted(-5)).replaced();
  };
  fail_unless(shows(Dots::along_x) && !shows(Dots::along_x + 30), "CLEAR_SHIFT");
}

// The distance of a point on an edge, and the part of the moved edges that must be on one.
TEST(test_on_edge) {
  Bench bench;
  const auto meets = [&](float off) {
    Dots dots;
    dots.fill(40, 4, 3);
    return run(bench, dots.maps, shifted(3 + off)).areas[40].met == 4;
  };
  fail_unless(meets(0.4f) && !meets(0.6f), "ON_EDGE");
  const auto replaced = [&](int lost) {
    Dots dots;
    for (int i = 0; i < 10; i++) dots.fill(i, 4, 3);
    for (int i = 0; i < lost; i++) dots.lose(8 + 4 * i, 100 + i % 2 * 20);
    return run(bench, dots.maps).replaced();
  };
  fail_unless(replaced(58) && !replaced(62), "LEAST_ON_EDGE");
}

// How many more edges must be on an edge if no area stands still: 104 and 108 instead of 100.
TEST(test_fits) {
  Bench bench;
  const auto replaced = [&](int areas) {
    Dots dots;
    for (int i = 0; i < 25; i++) dots.fill(i, 4, 3);
    for (int i = 0; i < areas; i++) dots.fill(8 * AREAS + i, 4, 9);
    return run(bench, dots.maps, shifted(3)).replaced();
  };
  fail_unless(replaced(27) && !replaced(26), "MORE_ON_EDGE");
}

// How many more areas must have moved than stand still.
TEST(test_more_areas) {
  Bench bench;
  const auto replaced = [&](int moved) {
    Dots dots;
    for (int i = 0; i < 20; i++) dots.fill(i, 0, 0);
    for (int i = 0; i < moved; i++) dots.fill(40 + i, 4, 3);
    return run(bench, dots.maps).replaced();
  };
  fail_unless(replaced(26) && !replaced(25), "MORE_AREAS");
}
