// SPDX-License-Identifier: LGPL-2.1-or-later
// The choice of points against its reference: the eigenvalues, and the list that a sort of all
// candidates gives.
#include "klt/selection.h"

#include <cmath>

#include "klt.h"

using glcl::Size;
using glcl::klt::KernelForm;
using glcl::klt::Pyramids;
using glcl::klt::Selection;

namespace {

/// The work of an item or a group at a time.
struct Part {
  KernelForm form;
  Size tile;
};

struct Chosen {
  reference::klt::Plane values;
  List list;
};

/// Chooses points in a frame without any.
Chosen choose(Bench &bench, const Frame &frame, Layout layout, const Settings &settings,
              double noise = 0, const Part *part = nullptr) {
  Pyramids pyramids(*bench.context, frame.width, frame.height, layout);
  Points points(*bench.context, frame.width, frame.height);
  Selection selection =
      part ? Selection(*bench.context, frame.width, frame.height, part->form, part->tile)
           : Selection(*bench.context, frame.width, frame.height);
  glcl::noise::Noise level(*bench.context, glcl::noise::Noise::Texels::gaussian, frame.width,
                           frame.height);
  level.set(*bench.queue, noise);
  const cl::Buffer pyramid = pyramids.make();
  pyramids.build(*bench.queue, bench.upload(frame, layout, 5), 1, pyramid);
  points.next_occupancy_mark(*bench.queue);
  points.update_slots(*bench.queue, {settings.features, 1, true, true});
  selection.run(*bench.queue, settings, pyramids.plane(pyramid), level.variances(),
                settings.features, points, true);
  points.report(*bench.queue, settings.features, level.variances(), true);
  Chosen chosen{{frame.width, frame.height}, download(bench, points)};
  bench.queue->cl().enqueueReadBuffer(selection.values(), CL_TRUE, 0,
                                      chosen.values.values.size() * sizeof(float),
                                      chosen.values.values.data());
  return chosen;
}

/// The eigenvalues are the reference's, and the list is that of a sort of them.
size_t check(Bench &bench, const Frame &frame, Layout layout, const Settings &settings,
             const std::string &what, double noise = 0, const Part *part = nullptr) {
  const Chosen chosen = choose(bench, frame, layout, settings, noise, part);
  const auto expected = reference::klt::eigenvalues(reference::klt::pyramid(frame, 1)[0]);
  for (size_t i = 0; i < expected.values.size(); i++)
    fail_unless(
        std::abs(chosen.values.values[i] - expected.values[i]) <= 1e-3 * expected.values[i] + 0.05,
        "%s: eigenvalue %g at (%d, %d), expected %g", what.c_str(), chosen.values.values[i],
        int(i) % frame.width, int(i) / frame.width, expected.values[i]);
  const auto corners =
      reference::klt::select(chosen.values, settings, noise * noise, settings.features);
  const List &list = chosen.list;
  fail_unless(list.points.size() == corners.size(), "%s: %zu points, expected %zu", what.c_str(),
              list.points.size(), corners.size());
  for (size_t i = 0; i < corners.size(); i++) {
    const PointRecord &point = list.points[i];
    fail_unless(point.id == i && int(point.x) == corners[i].x && int(point.y) == corners[i].y,
                "%s: point %zu is %u at (%g, %g), expected at (%d, %d)", what.c_str(), i, point.id,
                point.x, point.y, corners[i].x, corners[i].y);
  }
  return corners.size();
}

std::vector<Frame> frames(int width, int height) {
  return {reference::random_frame(width, height),
          reference::flat_frame(width, height),
          reference::gradient_frame(width, height),
          reference::natural_frame(width, height),
          reference::textured_frame(width, height),
          reference::noisy(reference::flat_frame(width, height), 6, 3),
          board_frame(width, height, 8)};
}

}  // namespace

TEST(test_content) {
  Bench bench;
  for (const auto &[width, height] :
       {std::pair{1, 1}, {2, 5}, {7, 7}, {13, 12}, {64, 64}, {161, 97}}) {
    int number = 0;
    for (const Frame &frame : frames(width, height))
      for (Layout layout : {Layout::image, Layout::buffer})
        for (int features : {1, 20, 10000}) {
          Settings settings;
          settings.features = features;
          check(bench, frame, layout, settings,
                size_text(frame) + ", content " + std::to_string(number++ / 6));
        }
  }
}

TEST(test_settings) {
  Bench bench;
  for (const Frame &frame : frames(161, 97)) {
    size_t before = 20000;
    for (int distance : {1, 2, 3, 5, 17, 64}) {
      Settings settings;
      settings.features = 10000;
      settings.quality = 1e-3;
      settings.min_distance = distance;
      const size_t count =
          check(bench, frame, Layout::buffer, settings, "distance " + std::to_string(distance));
      fail_unless(count <= before, "points that are further apart are not more");
      before = count;
    }
    for (int cells : {1, 3, 10}) {
      Settings settings;
      settings.features = 60;
      settings.cells = cells;
      check(bench, frame, Layout::buffer, settings, "cells " + std::to_string(cells));
    }
    Settings settings;
    settings.quality = 0.5;
    check(bench, frame, Layout::buffer, settings, "quality");
    settings.quality = 0;
    settings.min_eigenvalue = 3000;
    check(bench, frame, Layout::buffer, settings, "eigenvalue");
  }
}

// Parts of any form and size find the same.
TEST(test_tiles) {
  Bench bench;
  std::vector<Part> parts{
      {KernelForm::tiles, {8, 8}}, {KernelForm::tiles, {16, 16}}, {KernelForm::tiles, {20, 20}}};
  if (can_run(bench.context->device(), KernelForm::rows))
    for (const Size tile : {Size{8, 8}, {16, 64}, {64, 16}, {128, 8}})
      parts.push_back({KernelForm::rows, tile});
  for (const Part &part : parts)
    for (const Frame &frame : frames(97, 61))
      for (int distance : {1, 2, 3, 9}) {
        Settings settings;
        settings.min_distance = distance;
        check(bench, frame, Layout::buffer, settings,
              "parts of " + std::to_string(part.tile.x) + "×" + std::to_string(part.tile.y), 0,
              &part);
      }
}

// The levels of a pyramid, by each form.
TEST(test_pyramid) {
  Bench bench;
  for (const KernelForm form : {KernelForm::tiles, KernelForm::rows})
    for (const auto &[width, height] : {std::pair{1, 1},
                                        {5, 3},
                                        {33, 64},
                                        {64, 33},
                                        {113, 18},
                                        {224, 21},
                                        {255, 97},
                                        {258, 31},
                                        {270, 70}})
      for (Layout layout : {Layout::image, Layout::buffer}) {
        if (!can_run(bench.context->device(), form)) continue;
        const Frame frame = reference::random_frame(width, height);
        Pyramids pyramids(*bench.context, width, height, layout, form);
        const int count = int(pyramids.levels().size());
        const auto expected = reference::klt::pyramid(frame, count);
        const cl::Buffer made = pyramids.make();
        pyramids.build(*bench.queue, bench.upload(frame, layout, 5), count, made);
        std::vector<float> texels(made.getInfo<CL_MEM_SIZE>() / sizeof(float));
        bench.queue->cl().enqueueReadBuffer(made, CL_TRUE, 0, texels.size() * sizeof texels[0],
                                            texels.data());
        for (int i = 0; i < count; i++) {
          const Pyramids::PyramidLevel &level = pyramids.levels()[i];
          for (int y = -2; y < level.height + 2; y++)
            for (int x = -2; x < level.width + 2; x++) {
              const float is = texels[level.offset + y * level.pitch + x],
                          should = expected[i].at(x, y);
              fail_unless(std::abs(is - should) <= 1e-3,
                          "%s, form %d, level %d: %g at (%d, %d), expected %g",
                          size_text(frame).c_str(), form, i, is, x, y, should);
            }
        }
      }
}

// A ramp has the slope 1, but for a margin of 3 px; one colour has none.
TEST(test_gradient) {
  reference::klt::Plane ramp(20, 15);
  for (int y = 0; y < 15; y++)
    for (int x = 0; x < 20; x++) ramp(x, y) = float(x - 2 * y);
  const auto [gx, gy] = reference::klt::gradient(ramp);
  for (int y = 0; y < 15; y++)
    for (int x = 0; x < 20; x++) {
      const bool in_margin = x < 3 || y < 3 || x >= 17 || y >= 12;
      fail_unless(std::abs(gx.at(x, y) - (in_margin ? 0 : 1)) < 1e-5, "%g", gx.at(x, y));
      fail_unless(std::abs(gy.at(x, y) + (in_margin ? 0 : 2)) < 1e-5, "%g", gy.at(x, y));
    }
}

// Equal ones in a neighbourhood: the last of them. A board has a corner at every meeting of four
// squares, all alike.
TEST(test_ties) {
  Bench bench;
  Settings settings;
  settings.features = 10000;
  const Chosen chosen = choose(bench, board_frame(160, 120, 20), Layout::buffer, settings);
  for (const PointRecord &a : chosen.list.points)
    for (const PointRecord &b : chosen.list.points)
      fail_unless(a.id == b.id || std::abs(a.x - b.x) > 3 || std::abs(a.y - b.y) > 3);
  fail_unless(chosen.list.points.size() == 7 * 5, "%zu points", chosen.list.points.size());
}

// Noise that is known gives no points; texture in it does.
TEST(test_noise) {
  Bench bench;
  Settings settings;
  for (double level : {2.0, 8.0, 16.0}) {
    const Frame wall = reference::noisy(reference::flat_frame(320, 240), level, 1);
    const size_t none = check(bench, wall, Layout::buffer, settings, "wall", level);
    fail_unless(none <= 3, "%zu points in noise of %g", none, level);
    fail_unless(choose(bench, wall, Layout::buffer, settings).list.points.size() > 300);
  }
  const Frame texture = reference::noisy(reference::textured_frame(320, 240), 6, 1);
  const size_t some = check(bench, texture, Layout::buffer, settings, "texture", 6);
  fail_unless(some > 300, "%zu points in texture with noise", some);
}

// Cells spread the points: with them each quarter of a frame whose texture is in one of them has
// its share at most.
TEST(test_cells) {
  Bench bench;
  Frame frame = reference::noisy(reference::flat_frame(320, 240), 2, 1);
  const Frame rich = reference::random_frame(320, 240);
  frame = reference::covered(frame, rich, [](int x, int y) { return x < 160 && y < 120; });
  Settings settings;
  settings.features = 60;
  settings.quality = 1e-6;
  const auto corner = [&](const Chosen &chosen) {
    return std::count_if(chosen.list.points.begin(), chosen.list.points.end(),
                         [](const PointRecord &p) { return p.x < 160 && p.y < 120; });
  };
  fail_unless(corner(choose(bench, frame, Layout::buffer, settings)) > 57);
  settings.cells = 2;
  const Chosen even = choose(bench, frame, Layout::buffer, settings);
  fail_unless(corner(even) == 15 && even.list.points.size() == 60, "%zu in all",
              even.list.points.size());
}
