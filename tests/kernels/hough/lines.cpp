// SPDX-License-Identifier: LGPL-2.1-or-later
// Straight lines against the reference, exactly, and in scenes against where they are.
#include "hough/linefinder.h"

#include <cstring>
#include <random>
#include <tuple>

#include "hough/canny.h"
#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "reference/hough/figures.h"
#include "reference/hough/lines.h"
#include "reference/textured.h"

using glcl::Rect;
using glcl::hough::Canny;
using glcl::hough::FoundLine;
using glcl::hough::LineFinder;
using glcl::hough::LineSegment;
using glcl::hough::LineSettings;
using reference::Stroke;

namespace {

constexpr LineSettings all_lines{100, 30, 5};

std::vector<FoundLine> result_of(Bench &bench, const LineFinder &finder) {
  return LineFinder::read(download<char>(bench, finder.result(), LineFinder::result_bytes).data());
}

void check_equal(const LineSegment &found, const LineSegment &expected, size_t seed,
                 const char *what) {
  fail_unless(!std::memcmp(&found, &expected, sizeof found),
              "%s: seed %zu leads from (%d, %d) to (%d, %d), %d of %d, %d; expected from (%d, %d) "
              "to (%d, %d), %d of %d, %d",
              what, seed, found.x1, found.y1, found.x2, found.y2, found.hits, found.steps,
              found.strength, expected.x1, expected.y1, expected.x2, expected.y2, expected.hits,
              expected.steps, expected.strength);
}

/// Compares the lines among edges with those of the reference, and returns them.
std::vector<FoundLine> check(Bench &bench, LineFinder &finder, const std::vector<uint16_t> &edges,
                             int width, const LineSettings &settings, bool weak, const Rect &region,
                             const char *what) {
  finder.run(*bench.queue, settings, upload(bench, edges), weak, region);
  const reference::Lines expected(edges, width, static_cast<int>(edges.size()) / width, weak,
                                  region, settings);
  const auto segments =
      download<LineSegment>(bench, finder.segments(), static_cast<size_t>(finder.seeds()));
  fail_unless(segments.size() == expected.segments.size());
  for (size_t i = 0; i < segments.size(); i++)
    check_equal(segments[i], expected.segments[i], i, what);
  const auto found = result_of(bench, finder);
  fail_unless(found.size() == expected.found.size(), "%s: %zu lines, expected %zu", what,
              found.size(), expected.found.size());
  for (size_t i = 0; i < found.size(); i++)
    fail_unless(!std::memcmp(&found[i], &expected.found[i], sizeof found[i]), "%s: line %zu", what,
                i);
  return found;
}

std::vector<uint16_t> edges_of(Bench &bench, const Frame &frame,
                               const Canny::Settings &settings = {}) {
  const Layout layout = glcl::layout_for(bench.context->device());
  Canny canny(*bench.context, frame.width, frame.height, layout);
  canny.run(*bench.queue, settings, bench.upload(frame, layout), true);
  return download<uint16_t>(bench, canny.edges(), size_t(frame.width) * frame.height);
}

Rect whole(const Frame &frame) { return {0, 0, frame.width, frame.height}; }

std::vector<FoundLine> lines_of(Bench &bench, const Frame &frame, const LineSettings &settings,
                                const char *what) {
  LineFinder finder(*bench.context, frame.width, frame.height);
  return check(bench, finder, edges_of(bench, frame), frame.width, settings, false, whole(frame),
               what);
}

/// True if one of the lines has these ends, within `most` px, in either order.
bool has(const std::vector<FoundLine> &lines, const Stroke &stroke, double most) {
  const auto ends = [&](const FoundLine &line, double x1, double y1, double x2, double y2) {
    return std::hypot(line.x1 - x1, line.y1 - y1) <= most &&
           std::hypot(line.x2 - x2, line.y2 - y2) <= most;
  };
  return std::any_of(lines.begin(), lines.end(), [&](const FoundLine &line) {
    return ends(line, stroke.x1, stroke.y1, stroke.x2, stroke.y2) ||
           ends(line, stroke.x2, stroke.y2, stroke.x1, stroke.y1);
  });
}

/// An edge with the direction of a line's gradient.
constexpr uint16_t edge_of(int step) { return uint16_t(Canny::strong | 40 << 7 | (step + 1)); }

}  // namespace

TEST(test_content) {
  Bench bench;
  const int w = 181, h = 107;
  const Frame natural = reference::natural_frame(w, h);
  Frame drawn = reference::level_frame(w, h, 90);
  for (int i = 0; i < 9; i++)
    reference::draw(drawn, Stroke{10.0 + 17 * i, 8, 170.0 - 11 * i, 100}, 3, 200);
  const std::pair<const char *, Frame> frames[] = {{"random", reference::random_frame(w, h)},
                                                   {"flat", reference::flat_frame(w, h)},
                                                   {"gradient", reference::gradient_frame(w, h)},
                                                   {"natural", natural},
                                                   {"noise", reference::noisy(natural, 8, 1)},
                                                   {"textured", reference::textured_frame(w, h)},
                                                   {"drawn", drawn}};
  LineFinder finder(*bench.context, w, h);
  size_t all = 0;
  for (const auto &[what, frame] : frames)
    for (const double high : {-1.0, 5.0})
      for (const bool weak : {false, true}) {
        const auto edges = edges_of(bench, frame, {-1, high, false});
        for (const LineSettings &settings : {all_lines, LineSettings{3, 60, 0}, {100, 10, 40}})
          all += check(bench, finder, edges, w, settings, weak, {0, 0, w, h}, what).size();
        check(bench, finder, edges, w, all_lines, weak, {37, 21, 90, 70}, what);
      }
  fail_unless(all > 100, "%zu lines", all);
}

TEST(test_sizes) {
  Bench bench;
  for (const auto &[w, h] :
       {std::array{1, 1}, {1, 40}, {40, 1}, {2, 3}, {32, 32}, {33, 65}, {64, 31}, {257, 16}}) {
    const auto edges = edges_of(bench, reference::random_frame(w, h), {0.5, 2, false});
    LineFinder finder(*bench.context, w, h);
    check(bench, finder, edges, w, {100, 10, 3}, true, {0, 0, w, h}, "size");
    // A line over the whole frame.
    std::vector<uint16_t> line(size_t(w) * h);
    for (int x = 0; x < w; x++) line[size_t(h / 2) * w + x] = edge_of(45);
    const auto found = check(bench, finder, line, w, all_lines, false, {0, 0, w, h}, "line");
    fail_unless(found.size() == (w >= 30 ? 1 : 0), "%d×%d: %zu", w, h, found.size());
  }
}

TEST(test_groups) {
  Bench bench;
  const int w = 150, h = 75;
  const auto edges = edges_of(bench, reference::textured_frame(w, h), {1, 2, false});
  for (const unsigned items : {1u, 7u, 32u, 64u, 128u}) {
    LineFinder finder(*bench.context, w, h, items);
    check(bench, finder, edges, w, {100, 12, 4}, true, {0, 0, w, h}, "groups");
  }
}

// Edges on lines in all directions, with weak ones, wrong directions and gaps.
TEST(test_seeds) {
  Bench bench;
  const int side = 120;
  std::mt19937 random(1);
  LineFinder finder(*bench.context, side, side);
  size_t all = 0;
  for (int step = 0; step < 90; step++) {
    const double angle = step * std::acos(-1.0) / 90;
    std::vector<uint16_t> edges(size_t(side) * side);
    for (int along = -80; along <= 80; along++)
      for (const int off : {-12, 0, 3, 30}) {
        const auto x = std::lround(60 + off * std::cos(angle) - along * std::sin(angle)),
                   y = std::lround(60 + off * std::sin(angle) + along * std::cos(angle));
        if (x < 0 || y < 0 || x >= side || y >= side || random() % 12 == 0) continue;
        const int turned = (step + static_cast<int>(random() % 9) - 4 + 90) % 90;
        edges[size_t(y) * side + size_t(x)] =
            uint16_t(edge_of(turned) & (random() % 9 ? 0xffff : ~Canny::strong));
      }
    all +=
        check(bench, finder, edges, side, all_lines, step % 2, {0, 0, side, side}, "lines").size();
  }
  fail_unless(all >= 4 * 80, "%zu lines", all);
}

// Segments: gaps, directions, the part with an edge and the number of edges.
TEST(test_segments) {
  Bench bench;
  const int w = 200, h = 40;
  LineFinder finder(*bench.context, w, h);
  const auto found = [&](const LineSettings &settings, auto edge_at) {
    std::vector<uint16_t> edges(size_t(w) * h);
    for (int x = 0; x < w; x++) edges[size_t(20) * w + x] = edge_at(x);
    return check(bench, finder, edges, w, settings, false, {0, 0, w, h}, "segment");
  };
  const auto gap = [](int px) {
    return [=](int x) { return x < 90 || x >= 90 + px ? edge_of(45) : uint16_t(0); };
  };
  fail_unless(found(all_lines, gap(5)).size() == 1 && found(all_lines, gap(6)).size() == 2);
  fail_unless(found({100, 30, 0}, gap(1)).size() == 2 && found({100, 30, 40}, gap(40)).size() == 1);
  fail_unless(found({1, 30, 0}, gap(1)).size() == 1, "the limit");
  fail_unless(found({1, 30, 0}, gap(1))[0].x1 == 91, "the stronger one stays");
  const auto direction = [](int step) { return [=](int) { return edge_of(step); }; };
  fail_unless(found(all_lines, direction(51)).size() == 1);
  fail_unless(found(all_lines, direction(52)).empty(), "LINE_DIRECTION");
  const auto part = [](int of) {
    return [=](int x) { return x * of / 64 != (x - 1) * of / 64 ? edge_of(45) : uint16_t(0); };
  };
  fail_unless(found({100, 30, 2}, part(41)).size() == 1);
  fail_unless(found({100, 30, 2}, part(38)).empty(), "LINE_COVERED");
  const auto length = [](int px) {
    return [=](int x) { return x >= 70 && x < 70 + px ? edge_of(45) : uint16_t(0); };
  };
  fail_unless(found({100, 10, 5}, length(10)).size() == 1);
  fail_unless(found({100, 10, 5}, length(9)).empty());
  fail_unless(found({0, 10, 5}, length(90)).empty());
}

// Of the segments to which the seeds of a line lead, one stays. Two lines next to each other stay.
TEST(test_selected) {
  Bench bench;
  const int w = 300, h = 120;
  LineFinder finder(*bench.context, w, h);
  for (const int apart : {2, 4, 10})
    for (const double slope : {0.0, 0.1}) {
      std::vector<uint16_t> edges(size_t(w) * h);
      for (int x = 0; x < w; x++)
        for (const int y : {40, 40 + apart})
          edges[size_t(std::lround(y + slope * x)) * w + x] = edge_of(slope > 0 ? 48 : 45);
      const auto found =
          check(bench, finder, edges, w, all_lines, false, {0, 0, w, h}, "neighbours");
      fail_unless(found.size() == (apart <= 2 ? 1 : 2), "%d px apart: %zu", apart, found.size());
    }
}

// More segments than the list has room for.
TEST(test_many) {
  Bench bench;
  const int w = 640, h = 2000;
  std::vector<uint16_t> edges(size_t(w) * h);
  for (int y = 5; y < h; y += 10)
    for (int x = 0; x < w; x++)
      if (x % 40 < 20 + y % 17) edges[size_t(y) * w + x] = edge_of(45);
  LineFinder finder(*bench.context, w, h);
  const auto found = check(bench, finder, edges, w, {100, 15, 2}, false, {0, 0, w, h}, "many");
  fail_unless(found.size() == 100, "%zu", found.size());
}

// Lines of a drawing, and of steps in brightness, are where they were drawn.
TEST(test_places) {
  Bench bench;
  const int w = 400, h = 300;
  const Stroke strokes[] = {{30, 40, 370, 90}, {40, 270, 360, 120}, {200, 20, 230, 280}};
  Frame drawn = reference::level_frame(w, h, 90);
  for (const Stroke &stroke : strokes) reference::draw(drawn, stroke, 12, 190);
  for (const double noise : {0.0, 6.0}) {
    const auto found = lines_of(bench, reference::noisy(drawn, noise, 1), {100, 60, 30}, "strokes");
    for (const Stroke &stroke : strokes)
      for (const double side : {-6.0, 6.0}) {
        const double length = std::hypot(stroke.x2 - stroke.x1, stroke.y2 - stroke.y1);
        const double x = -side * (stroke.y2 - stroke.y1) / length,
                     y = side * (stroke.x2 - stroke.x1) / length;
        fail_unless(has(found, {stroke.x1 + x, stroke.y1 + y, stroke.x2 + x, stroke.y2 + y}, 4),
                    "noise of %g, side %g of the line from (%g, %g)", noise, side, stroke.x1,
                    stroke.y1);
      }
  }
  Frame step = reference::level_frame(w, h, 90);
  reference::raise(step, {0, 37.5, 399, 221}, 30);
  const auto found = lines_of(bench, reference::noisy(step, 6, 2), all_lines, "step");
  fail_unless(found.size() == 1 && has(found, {0, 37.5, 399, 221}, 3),
              "%zu lines, the first from (%g, %g) to (%g, %g)", found.size(), double(found[0].x1),
              double(found[0].y1), double(found[0].x2), double(found[0].y2));
  fail_unless(found[0].score > 0.9f, "%g", double(found[0].score));
}
