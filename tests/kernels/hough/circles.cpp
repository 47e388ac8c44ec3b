// SPDX-License-Identifier: LGPL-2.1-or-later
// Circles against the reference, exactly, and in scenes against where they are.
#include "hough/circlefinder.h"

#include <array>
#include <cstring>

#include "hough/canny.h"
#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "reference/hough/circles.h"
#include "reference/hough/figures.h"
#include "reference/textured.h"

using glcl::Rect;
using glcl::hough::Canny;
using glcl::hough::CircleFinder;
using glcl::hough::CircleSettings;
using glcl::hough::FoundCircle;
using reference::Arc;
using Four = reference::Circles::Four;

namespace {

using Edges = std::vector<uint16_t>;

constexpr CircleSettings small_circles{100, 8, 40, 0.5};

void check_equal(const std::vector<Four> &found, const std::vector<Four> &expected,
                 const char *what) {
  for (size_t i = 0; i < found.size(); i++)
    fail_unless(found[i] == expected[i],
                "%s number %zu: (%d, %d, %d), %d; expected (%d, %d, %d), %d", what, i, found[i][0],
                found[i][1], found[i][2], found[i][3], expected[i][0], expected[i][1],
                expected[i][2], expected[i][3]);
}

/// Compares the circles among edges with those of the reference, and returns them.
std::vector<FoundCircle> check(Bench &bench, CircleFinder &finder, const Edges &edges, int width,
                               const CircleSettings &settings, bool weak, const Rect &region,
                               const char *what) {
  finder.run(*bench.queue, settings, upload(bench, edges), weak, region);
  const reference::Circles expected(edges, width, static_cast<int>(edges.size()) / width, weak,
                                    region, settings);
  const auto votes = download<uint32_t>(bench, finder.votes(), expected.votes.size());
  for (size_t i = 0; i < votes.size(); i++)
    fail_unless(votes[i] == expected.votes[i], "%s: cell %zu has %u votes, expected %u", what, i,
                votes[i], expected.votes[i]);
  check_equal(download<Four>(bench, finder.seeds(), CircleFinder::most_candidates), expected.seeds,
              what);
  check_equal(download<Four>(bench, finder.fitted(), CircleFinder::most_candidates),
              expected.fitted, what);
  const auto found =
      CircleFinder::read(download<char>(bench, finder.result(), CircleFinder::result_bytes).data());
  fail_unless(found.size() == expected.found.size(), "%s: %zu circles, expected %zu", what,
              found.size(), expected.found.size());
  for (size_t i = 0; i < found.size(); i++)
    fail_unless(!std::memcmp(&found[i], &expected.found[i], sizeof found[i]), "%s: circle %zu",
                what, i);
  return found;
}

Edges edges_of(Bench &bench, const Frame &frame, const Canny::Settings &settings = {}) {
  const Layout layout = glcl::layout_for(bench.context->device());
  Canny canny(*bench.context, frame.width, frame.height, layout);
  canny.run(*bench.queue, settings, bench.upload(frame, layout), true);
  return download<uint16_t>(bench, canny.edges(), size_t(frame.width) * frame.height);
}

std::vector<FoundCircle> circles_of(Bench &bench, const Frame &frame,
                                    const CircleSettings &settings, const char *what) {
  CircleFinder finder(*bench.context, frame.width, frame.height);
  return check(bench, finder, edges_of(bench, frame), frame.width, settings, false,
               {0, 0, frame.width, frame.height}, what);
}

bool has(const std::vector<FoundCircle> &circles, const Arc &expected, double most) {
  return std::any_of(circles.begin(), circles.end(), [&](const FoundCircle &circle) {
    return std::hypot(circle.x - expected.x, circle.y - expected.y) <= most &&
           std::abs(circle.radius - expected.radius) <= most;
  });
}

/// Edges on a circle, whose direction is off by `turned` steps.
Edges ring(int width, int height, const Arc &arc, int turned = 0) {
  Edges edges(size_t(width) * height);
  const double pi = std::acos(-1.0);
  for (double degrees = arc.from; degrees < arc.to; degrees += 0.25) {
    const double angle = degrees * pi / 180;
    const auto x = std::lround(arc.x + arc.radius * std::cos(angle)),
               y = std::lround(arc.y + arc.radius * std::sin(angle));
    const int step = static_cast<int>(std::lround(degrees / 2)) + turned;
    if (x >= 0 && y >= 0 && x < width && y < height)
      edges[size_t(y) * width + size_t(x)] =
          uint16_t(Canny::strong | 40 << 7 | ((step + 180) % 90 + 1));
  }
  return edges;
}

}  // namespace

TEST(test_content) {
  Bench bench;
  const int w = 181, h = 107;
  const Frame natural = reference::natural_frame(w, h);
  Frame drawn = reference::level_frame(w, h, 90);
  for (int i = 0; i < 5; i++) reference::fill(drawn, {20.0 + 33 * i, 50.0, 8.0 + 2 * i}, 200);
  const std::pair<const char *, Frame> frames[] = {{"random", reference::random_frame(w, h)},
                                                   {"flat", reference::flat_frame(w, h)},
                                                   {"gradient", reference::gradient_frame(w, h)},
                                                   {"natural", natural},
                                                   {"noise", reference::noisy(natural, 8, 1)},
                                                   {"textured", reference::textured_frame(w, h)},
                                                   {"drawn", drawn}};
  CircleFinder finder(*bench.context, w, h);
  size_t all = 0;
  for (const auto &[what, frame] : frames)
    for (const double high : {-1.0, 5.0})
      for (const bool weak : {false, true}) {
        const Edges edges = edges_of(bench, frame, {-1, high, false});
        for (const CircleSettings &settings :
             {small_circles, CircleSettings{5, 10, 100, 0.1}, {100, 3, 250, 0.3}})
          all += check(bench, finder, edges, w, settings, weak, {0, 0, w, h}, what).size();
        check(bench, finder, edges, w, small_circles, weak, {37, 21, 90, 70}, what);
      }
  fail_unless(all > 50, "%zu circles", all);
}

TEST(test_sizes) {
  Bench bench;
  for (const auto &[w, h] :
       {std::array{1, 1}, {1, 40}, {40, 1}, {2, 3}, {32, 32}, {33, 65}, {64, 31}}) {
    CircleFinder finder(*bench.context, w, h);
    const Edges edges = edges_of(bench, reference::random_frame(w, h), {0.5, 2, false});
    for (const CircleSettings &settings :
         {CircleSettings{100, 3, 3, 0}, {100, 900, 1000, 0}, {100, 20, 5, 0.2}, {0, 3, 20, 0}})
      check(bench, finder, edges, w, settings, true, {0, 0, w, h}, "size");
  }
}

TEST(test_groups) {
  Bench bench;
  const int w = 150, h = 75;
  const Edges edges = edges_of(bench, reference::textured_frame(w, h), {1, 2, false});
  for (const unsigned items : {1u, 7u, 32u, 64u}) {
    CircleFinder finder(*bench.context, w, h, items);
    check(bench, finder, edges, w, {100, 5, 60, 0.2}, true, {0, 0, w, h}, "groups");
  }
}

// Votes of edges at all radii.
TEST(test_votes) {
  Bench bench;
  const int side = 400;
  CircleFinder finder(*bench.context, side, side);
  for (const auto &[least, most] : {std::array{3, 20}, {30, 47}, {40, 95}, {50, 190}, {100, 300}}) {
    const double radius = (least + most) / 2.0 / (most > 200 ? 2 : 1) + 5;
    const auto found = check(bench, finder, ring(side, side, {203.3, 198.6, radius}), side,
                             {100, least, most, 0.5}, false, {0, 0, side, side}, "radius");
    fail_unless(has(found, {203.3, 198.6, radius}, 0.5), "%zu of %g px", found.size(), radius);
    fail_unless(found[0].score > 0.95f, "%g", double(found[0].score));
  }
}

// Directions: all of a ring's edges are turned.
TEST(test_directions) {
  Bench bench;
  const int side = 160;
  CircleFinder finder(*bench.context, side, side);
  for (const int turned : {-8, -5, 0, 5, 8}) {
    const auto found = check(bench, finder, ring(side, side, {80, 80, 30}, turned), side,
                             {100, 20, 40, 0.7}, false, {0, 0, side, side}, "turned");
    fail_unless(found.size() == (std::abs(turned) < 8 ? 1 : 0), "turned by %d: %zu", turned,
                found.size());
  }
}

// A ring far from the middle of its votes, which moves far.
TEST(test_steps) {
  Bench bench;
  const int side = 400;
  CircleFinder finder(*bench.context, side, side);
  for (const double to : {150.0, 200.0, 250.0, 300.0})
    for (const double radius : {60.0, 150.0})
      check(bench, finder, ring(side, side, {200.5, 190.2, radius, 20, to}), side,
            {100, 40, 200, 0.3}, false, {0, 0, side, side}, "arc");
}

// Circles inside each other: two if their radii differ enough.
TEST(test_same) {
  Bench bench;
  const int side = 200;
  CircleFinder finder(*bench.context, side, side);
  for (const auto &[more, count] : {std::pair{3, 1}, {8, 2}, {20, 2}}) {
    Edges edges = ring(side, side, {100, 100, 20});
    const Edges outer = ring(side, side, {100, 100, 20.0 + more});
    for (size_t i = 0; i < edges.size(); i++)
      if (outer[i]) edges[i] = outer[i];
    const auto found =
        check(bench, finder, edges, side, {100, 10, 45, 0.5}, false, {0, 0, side, side}, "rings");
    fail_unless(int(found.size()) == count, "%d px more: %zu", more, found.size());
  }
}

// Discs, rings and arcs of a drawing, without and with noise, are where they were drawn.
TEST(test_places) {
  Bench bench;
  const int w = 400, h = 300;
  const Arc discs[] = {{80.4, 70.7, 40}, {320, 80, 21.5}, {300.5, 210.2, 60}, {60, 240, 12}};
  const Arc arc{170.6, 180.1, 50, 30, 260};
  Frame drawn = reference::level_frame(w, h, 90);
  for (const Arc &disc : discs) reference::fill(drawn, disc, 170);
  reference::draw(drawn, arc, 2, 200);
  for (const double noise : {0.0, 6.0}) {
    const auto found =
        circles_of(bench, reference::noisy(drawn, noise, 1), {20, 10, 80, 0.5}, "drawn");
    for (const Arc &disc : discs)
      fail_unless(has(found, disc, 0.6), "noise of %g: disc of %g px", noise, disc.radius);
    fail_unless(has(found, arc, 2.5), "noise of %g: arc", noise);
    fail_unless(found.size() == 5, "noise of %g: %zu circles", noise, found.size());
  }
}
