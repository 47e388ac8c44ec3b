// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of shot detection: counts and cells equal the reference; textures distinguish frames.
#include "histogram/shotvalues.h"

#include <climits>
#include <functional>

#include "histogram/histogram.h"
#include "histogram/shots.h"
#include "kernels/engine.h"
#include "reference/histogram/cells.h"
#include "reference/histogram/shots.h"
#include "reference/textured.h"

using glcl::histogram::Histogram;
using glcl::histogram::Shots;
using glcl::histogram::ShotValues;
using glcl::histogram::Structure;

namespace {

constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the test

/// A part of a natural scene, changed.
template <class Change>
Frame changed(const Frame &frame, const Change &change) {
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++) {
        uint8_t &level = result.rgba[4 * (size_t(y) * frame.width + x) + c];
        level = static_cast<uint8_t>(std::clamp(change(x, y, c, double(level)), 0.0, 255.0));
      }
  return result;
}

/// Flipped upside down, left and right or both.
Frame flipped(const Frame &frame, bool across, bool down) {
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      std::copy_n(&frame.rgba[4 * (size_t(y) * frame.width + x)], 4,
                  &result.rgba[4 * (size_t(down ? frame.height - 1 - y : y) * frame.width +
                                    (across ? frame.width - 1 - x : x))]);
  return result;
}

Frame lit_by_lamp(const Frame &frame) {
  return changed(frame, [](int x, int y, int, double level) {
    return level * (0.25 + 0.75 / (1 + (std::pow(x - 60, 2) + std::pow(y - 30, 2)) / 1e4));
  });
}

Frame with_caption(const Frame &frame) {
  return changed(frame,
                 [](int, int y, int, double level) { return y >= 130 && y < 170 ? 30 : level; });
}

double similarity(const Frame &a, const Frame &b) {
  return Structure::similarity(Structure(reference::cells(a).data()),
                               Structure(reference::cells(b).data()));
}

}  // namespace

TEST_EACH(test_values_equal_the_reference, 0, 2) {
  const Layout layout = layouts[__i__];
  Bench bench;
  ShotValues engine(*bench.context, layout, Shots::counts);
  for (const auto &[width, height] : {std::pair{1, 1}, {31, 17}, {33, 19}, {320, 180}, {641, 367}})
    for (const Frame &frame :
         {reference::random_frame(width, height), reference::flat_frame(width, height),
          reference::gradient_frame(width, height), reference::natural_frame(width, height)}) {
      Histogram histogram(*bench.context, width, height, {Histogram::Mode::rgb, Shots::levels},
                          layout);
      const Picture in = bench.upload(frame, layout);
      const cl::Buffer &values =
          engine.run(*bench.queue, in, histogram.run(*bench.queue, in, {0, 0, width, height}));
      std::vector<uint32_t> got(Shots::values);
      bench.queue->cl().enqueueReadBuffer(values, CL_TRUE, 0, got.size() * sizeof(cl_uint),
                                          got.data());
      const std::vector<uint32_t> expected = reference::shot_values(frame);
      for (size_t i = 0; i < got.size(); i++)
        fail_unless(got[i] == expected[i], "%d×%d: value %zu is %u, reference %u", width, height, i,
                    got[i], expected[i]);
      // After the counts of edge pairs.
      ShotValues of_shapes(*bench.context, layout, 5);
      const std::vector<uint32_t> counts{1, 2, 3, 4, 5};
      const cl::Buffer edge_counts(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   counts.size() * sizeof(cl_uint),
                                   const_cast<uint32_t *>(counts.data()));
      got.resize(counts.size() + Structure::values);
      bench.queue->cl().enqueueReadBuffer(of_shapes.run(*bench.queue, in, edge_counts), CL_TRUE, 0,
                                          got.size() * sizeof(cl_uint), got.data());
      std::vector<uint32_t> all = counts;
      all.insert(all.end(), expected.begin() + Shots::counts, expected.end());
      fail_unless(got == all, "%d×%d: other values after the counts of edge pairs", width, height);
    }
}

// A lamp at one side, other gains of R, G and B, a filter without colour and a caption keep the
// texture.
TEST(test_same_texture) {
  const Frame frame = reference::natural_frame(320, 180);
  const double gains[] = {0.7, 1, 1.35};
  const Frame balanced =
      changed(frame, [&](int, int, int c, double level) { return level * gains[c]; });
  const Frame filtered = changed(frame, [&](int x, int y, int, double) {
    const uint8_t *pixel = &frame.rgba[4 * (size_t(y) * frame.width + x)];
    return 0.8 * (0.3 * pixel[0] + 0.59 * pixel[1] + 0.11 * pixel[2]) + 30;
  });
  for (const auto &[other, what] : {std::pair{lit_by_lamp(frame), "lamp"},
                                    {balanced, "white balance"},
                                    {filtered, "night filter"},
                                    {with_caption(frame), "caption"}})
    fail_unless(similarity(frame, other) >= 0.6, "%s: %f", what, similarity(frame, other));
  fail_unless(similarity(frame, frame) == 1, "%f", similarity(frame, frame));
}

TEST(test_other_texture) {
  const Frame frame = reference::natural_frame(320, 180);
  const double turned = similarity(frame, flipped(frame, true, true));
  fail_unless(turned <= 0.35, "%f", turned);
  const Frame flat = reference::flat_frame(320, 180);
  fail_unless(similarity(flat, flat) == 0 && similarity(frame, flat) == 0, "flat frames have none");
}

namespace {

/// Something dark before the lens, out of focus.
Frame covered(const Frame &frame) {
  return changed(frame,
                 [](int x, int y, int, double) { return 30 + 8 * std::sin((x + y) / 50.0); });
}

/// Like a table from near: little contrast.
Frame dull(const Frame &frame, double red) {
  return changed(frame, [=](int, int, int c, double level) {
    return (c == 0 ? red : c == 2 ? 1 / red : 1) * (120 + 0.12 * (level - 128));
  });
}

void expect_no_shots(const std::vector<Frame> &frames, const char *what) {
  const auto shots = reference::find_shots(frames);
  fail_unless(shots.empty(), "%s: %s", what, reference::describe(shots).c_str());
}

}  // namespace

// The lens is covered for a while. If another picture follows, it is a cut, at the frame at which
// the cover came.
TEST(test_cover) {
  const Frame scene = reference::natural_frame(320, 180);
  for (const int length : {2, 8, 20}) {
    std::vector<Frame> frames(30, scene);
    frames.insert(frames.end(), size_t(length), covered(scene));
    std::vector<Frame> other = frames;
    frames.insert(frames.end(), 40, scene);
    expect_no_shots(frames, "a cover");
    if (length < 8) continue;
    other.insert(other.end(), 40, flipped(scene, true, true));
    const auto shots = reference::find_shots(other);
    fail_unless(!shots.empty() && shots[0].frame == 30, "%d: %s", length,
                reference::describe(shots).c_str());
  }
}

// A view of little contrast has a histogram of few bins; its white balance jumps, its light drifts.
TEST(test_dull_view) {
  const Frame scene = reference::natural_frame(320, 180);
  std::vector<Frame> frames;
  for (int i = 0; i < 90; i++)
    frames.push_back(
        reference::relit(dull(scene, i < 45 ? 1 : 1.3), 1 + 0.1 * std::sin(i / 9.0), 0));
  expect_no_shots(frames, "a dull view");
  frames.insert(frames.end(), 30, dull(flipped(scene, true, true), 1));
  const auto shots = reference::find_shots(frames);
  fail_unless(shots.size() == 1 && shots[0].frame == 90, "%s", reference::describe(shots).c_str());
}

// A static scene with a lamp and a caption that appears and disappears; then shots of four frames.
TEST(test_shots_by_texture) {
  const Frame scene = reference::natural_frame(320, 180);
  std::vector<Frame> frames;
  for (const Frame &frame : {scene, lit_by_lamp(scene), scene, with_caption(scene), scene})
    frames.insert(frames.end(), 25, frame);
  auto shots = reference::find_shots(frames);
  fail_unless(shots.empty(), "%s", reference::describe(shots).c_str());

  const reference::Clip clip = reference::clips(0).front();  // its cuts: 20, 43, 69, 98
  const Frame parts[] = {clip.frames[30], clip.frames[50], clip.frames[80]};
  frames.assign(20, clip.frames[0]);
  for (int shot = 0; shot < 6; shot++) frames.insert(frames.end(), 4, parts[shot % 3]);
  frames.insert(frames.end(), 20, clip.frames[0]);
  shots = reference::find_shots(frames);
  fail_unless(shots.size() == 7, "%s", reference::describe(shots).c_str());
  for (size_t i = 0; i < shots.size(); i++)
    fail_unless(shots[i].frame == 20 + 4 * i, "%s", reference::describe(shots).c_str());
}

// Edges count in both directions; the two fields of an interlaced frame may differ.
TEST(test_sharpness) {
  const auto sharpness = [](const Frame &frame) {
    return Structure::sharpness(reference::cells(frame).data());
  };
  const Frame flat = reference::flat_frame(320, 180), scene = reference::natural_frame(320, 180);
  const auto striped = [&](const std::function<bool(int, int)> &bright) {
    return changed(flat, [&](int x, int y, int, double) { return bright(x, y) ? 108.0 : 100.0; });
  };
  const double across = sharpness(striped([](int x, int) { return x % 2; }));
  const double down = sharpness(striped([](int, int y) { return y % 4 < 2; }));
  const double fields = sharpness(striped([](int, int y) { return y % 2; }));
  fail_unless(sharpness(flat) == 0 && fields == 0, "%f, %f", sharpness(flat), fields);
  fail_unless(across > 63 && across <= 64 && down > 63 && down <= 64, "%f, %f", across, down);
  const Frame blurred = changed(scene, [&](int x, int y, int c, double level) {
    const int right = std::min(x + 1, scene.width - 1);
    return (level + scene.rgba[4 * (size_t(y) * scene.width + right) + c]) / 2;
  });
  fail_unless(sharpness(blurred) < 0.9 * sharpness(scene), "%f of %f", sharpness(blurred),
              sharpness(scene));
}
