// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges against their reference, bit for bit, and against known scenes.
#include "hough/canny.h"

#include <array>
#include <cstring>
#include <tuple>

#include "kernels/engine.h"
#include "reference/hough/canny.h"
#include "reference/textured.h"

using glcl::hough::Canny;

namespace {

using Edges = std::vector<uint16_t>;

Edges download(Bench &bench, const Canny &engine, const Frame &frame) {
  Edges edges(size_t(frame.width) * frame.height);
  bench.queue->cl().enqueueReadBuffer(engine.edges(), CL_TRUE, 0, 2 * edges.size(), edges.data());
  return edges;
}

reference::Thresholds thresholds(Bench &bench, const Canny &engine) {
  std::vector<uint32_t> words(512);
  bench.queue->cl().enqueueReadBuffer(engine.thresholds(), CL_TRUE, 0, 4 * words.size(),
                                      words.data());
  reference::Thresholds result;
  for (size_t i = 0; i < 256; i++) result[i] = {words[2 * i], words[2 * i + 1]};
  return result;
}

/// The engine's result, which must equal the reference's.
Edges edges_of(Bench &bench, Canny &engine, const Canny::Settings &settings, const Frame &frame,
               Layout layout, const char *what) {
  engine.run(*bench.queue, settings, bench.upload(frame, layout, layout == Layout::buffer ? 5 : 0));
  const Edges edges = download(bench, engine, frame);
  const Edges expected = reference::canny(frame, thresholds(bench, engine), settings.hysteresis);
  for (size_t i = 0; i < edges.size(); i++)
    fail_unless(edges[i] == expected[i], "%s, %d×%d: at (%d, %d) %x, expected %x", what,
                frame.width, frame.height, int(i % frame.width), int(i / frame.width), edges[i],
                expected[i]);
  return edges;
}

Edges edges_of(Bench &bench, const Canny::Settings &settings, const Frame &frame,
               const char *what) {
  Canny engine(*bench.context, frame.width, frame.height, Layout::buffer);
  return edges_of(bench, engine, settings, frame, Layout::buffer, what);
}

size_t count(const Edges &edges) {
  return edges.size() - std::count(edges.begin(), edges.end(), 0);
}

/// A disc of 200 on 80.
Frame disc(int width, int height, double x, double y, double radius) {
  Frame frame(width, height);
  for (int j = 0; j < height; j++)
    for (int i = 0; i < width; i++) {
      const double inside = std::clamp(radius + 0.5 - std::hypot(i - x, j - y), 0.0, 1.0);
      const auto level = static_cast<uint8_t>(std::lround(80 + 120 * inside));
      uint8_t *p = frame.at(i, j);
      p[0] = p[1] = p[2] = level, p[3] = 255;
    }
  return frame;
}

}  // namespace

TEST(test_content) {
  Bench bench;
  const int w = 131, h = 67;
  const Frame natural = reference::natural_frame(w, h);
  const std::pair<const char *, Frame> frames[] = {
      {"random", reference::random_frame(w, h)},     {"flat", reference::flat_frame(w, h)},
      {"gradient", reference::gradient_frame(w, h)}, {"natural", natural},
      {"noise", reference::noisy(natural, 8, 1)},    {"textured", reference::textured_frame(w, h)}};
  for (const auto &[what, frame] : frames)
    for (const bool hysteresis : {false, true})
      for (const auto &[low, high] : {std::array{-1.0, -1.0}, {2, 10}, {0, 0}, {0, 127}}) {
        const Edges edges = edges_of(bench, {low, high, hysteresis}, frame, what);
        if (!std::strcmp(what, "flat")) fail_unless(count(edges) == 0);
      }
}

TEST(test_sizes) {
  Bench bench;
  for (const auto &[w, h] :
       {std::array{1, 1}, {1, 40}, {40, 1}, {2, 3}, {32, 32}, {33, 65}, {64, 31}})
    for (const bool hysteresis : {false, true})
      edges_of(bench, {0.5, 2, hysteresis}, reference::random_frame(w, h), "size");
}

TEST(test_groups) {
  using Form = Canny::Form;
  Bench bench;
  const int w = 100, h = 45;
  const Frame frame = reference::textured_frame(w, h);
  for (const Layout layout : {Layout::buffer, Layout::image})
    for (const auto &[form, group, tile] : {std::tuple{Form::tiles, Size{32, 8}, Size{32, 32}},
                                            {Form::tiles, Size{1, 1}, Size{16, 8}},
                                            {Form::tiles, Size{7, 3}, Size{64, 16}},
                                            {Form::rows, Size{1, 1}, Size{16, 3}},
                                            {Form::rows, Size{1, 1}, Size{64, 64}}}) {
      Canny engine(*bench.context, w, h, layout, form, group, tile);
      for (const bool hysteresis : {true, false})
        edges_of(bench, engine, {-1, -1, hysteresis}, frame, layout, "groups");
    }
}

// Weak edges stay where they lead to a strong one, however far.
TEST(test_hysteresis) {
  Bench bench;
  const int w = 400, h = 90;
  Frame frame(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const int upper = std::max(120 - x, 30);
      uint8_t *p = frame.at(x, y);
      p[0] = p[1] = p[2] = uint8_t(60 + (y >= 30 ? upper : 0) + (y >= 60 ? 30 : 0)), p[3] = 255;
    }
  const auto rows = [&](const Edges &edges, int first) {
    return size_t(3 * w) - size_t(std::count(edges.begin() + ptrdiff_t(first) * w,
                                             edges.begin() + ptrdiff_t(first + 3) * w, 0));
  };
  const Edges strong = edges_of(bench, {-1, 15, false}, frame, "strong");
  const Edges both = edges_of(bench, {5, 15, true}, frame, "connected");
  const Edges weak = edges_of(bench, {-1, 5, false}, frame, "weak");
  fail_unless(rows(strong, 29) < 110 && rows(strong, 59) == 0);
  fail_unless(rows(weak, 29) >= w - 8 && rows(weak, 59) >= w - 8);
  fail_unless(rows(both, 29) == rows(weak, 29), "%zu", rows(both, 29));
  fail_unless(rows(both, 59) == 0, "%zu", rows(both, 59));
}

// Edges lie where a disc ends, and their directions point to its middle.
TEST(test_disc) {
  Bench bench;
  const double x = 60.3, y = 52.8, radius = 33;
  const Frame frame = disc(128, 110, x, y, radius);
  const Edges edges = edges_of(bench, {}, frame, "disc");
  fail_unless(count(edges) > 2 * 3 * radius * 0.8, "%zu", count(edges));
  for (size_t i = 0; i < edges.size(); i++) {
    if (!edges[i]) continue;
    const size_t row = i / frame.width, column = i % frame.width;
    const double dx = double(column) - x, dy = double(row) - y;
    fail_unless(std::abs(std::hypot(dx, dy) - radius) < 1.2, "%g px", std::hypot(dx, dy));
    const double angle = std::atan2(dy, dx) * 180 / std::acos(-1.0);
    double off = std::fmod(angle - 2.0 * ((edges[i] & 127) - 1) + 720, 180);
    off = std::min(off, 180 - off);
    fail_unless(off <= 4, "%g degrees, %g off", angle, off);
  }
}

// Thresholds rise with the noise, so that hardly one in 2000 px of a flat scene is an edge, however
// noisy
TEST(test_noise) {
  Bench bench;
  const int w = 320, h = 240;
  for (const double level : {1.0, 4.0, 8.0, 16.0}) {
    Canny engine(*bench.context, w, h, Layout::buffer);
    const Frame scene = disc(w, h, 160, 120, 70);
    Edges edges;
    for (unsigned i = 0; i < 3; i++)
      edges = edges_of(bench, engine, {}, reference::noisy(scene, level, i + 1), Layout::buffer,
                       "noise");
    size_t on = 0;
    for (size_t i = 0; i < edges.size(); i++) {
      const size_t row = i / w, column = i % w;
      on += edges[i] && std::abs(std::hypot(double(column) - 160, double(row) - 120) - 70) < 3;
    }
    fail_unless(on > 350 && count(edges) - on < 40, "noise of %g: %zu edges, %zu of the disc",
                level, count(edges), on);
    reference::NoiseTable table;
    bench.queue->cl().enqueueReadBuffer(engine.noise().variances(), CL_TRUE, 0, sizeof table,
                                        table.data());
    engine.run(*bench.queue, {}, bench.upload(scene, Layout::buffer));
    const auto found = thresholds(bench, engine),
               expected = reference::canny_thresholds(table, -1, -1);
    for (int i = 0; i < 256; i++)
      for (int k = 0; k < 2; k++)
        fail_unless(std::abs(double(found[i][k]) / expected[i][k] - 1) < 0.02,
                    "%d: %u, expected %u", i, found[i][k], expected[i][k]);
    engine.reset();
    engine.run(*bench.queue, {}, bench.upload(scene, Layout::buffer));
    fail_unless(thresholds(bench, engine) ==
                reference::canny_thresholds(reference::even_noise(2), -1, -1));
  }
}
