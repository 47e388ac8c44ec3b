// SPDX-License-Identifier: LGPL-2.1-or-later
// Things that stand still: the means of the background against their reference, and the outlines of
// things in real pictures.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/objects/regions.h"
#include "objects/backgroundmodel.h"
#include "objects/standingmap.h"
#include "reference/objects/standing.h"
#include "reference/textured.h"
#include "tests/support/film.h"

using glcl::RectF;
using glcl::camera::PixelHistory;
using glcl::objects::BackgroundModel;
using glcl::objects::StandingMap;
using reference::Frame;

namespace {

/// Compares the means of a background on the device with the reference.
void compare(Bench &bench, int width, int height, const std::vector<float> &levels,
             const std::vector<int> &ages) {
  const auto frame = glcl::camera::frame_geometry(width, height);
  BackgroundModel model(*bench.context, frame);
  std::vector<cl_float2> pairs;
  std::vector<PixelHistory> history;
  for (size_t i = 0; i < levels.size(); i++) {
    pairs.push_back({{levels[i], 255 - levels[i]}});
    history.push_back({});
    history.back().ages = {{cl_uchar(ages[i]), cl_uchar(255 - ages[i])}};
  }
  bench.queue->cl().enqueueWriteBuffer(model.levels(), CL_TRUE, 0, pairs.size() * sizeof pairs[0],
                                       pairs.data());
  bench.queue->cl().enqueueWriteBuffer(model.history(), CL_TRUE, 0,
                                       history.size() * sizeof history[0], history.data());
  const std::vector<int> expected = reference::standing_means(levels, ages, width, height);
  const auto found = download<cl_ushort>(bench, model.means(*bench.queue), expected.size());
  for (size_t i = 0; i < found.size(); i++) {
    const bool known = found[i] != glcl::objects::UNKNOWN_LEVEL;
    fail_unless(known == (expected[i] >= 0) && (!known || std::abs(found[i] - expected[i]) <= 1),
                "%d×%d, cell %zu: %d, expected %d", width, height, i, int(found[i]), expected[i]);
  }
}

}  // namespace

TEST(test_means) {
  Bench bench;
  for (const auto &[width, height] :
       {std::pair{1, 1}, {2, 1}, {3, 5}, {17, 9}, {64, 48}, {161, 33}}) {
    std::vector<std::vector<float>> pictures{levels_of(width, height),
                                             std::vector<float>(size_t(width) * height, 255)};
    const Frame natural = reference::natural_frame(width, height);
    std::vector<float> ramp, luma;
    for (int i = 0; i < width * height; i++) {
      ramp.push_back(float(i % width) * 255 / float(width));
      luma.push_back(natural.rgba[size_t(i) * 4 + 1]);
    }
    pictures.push_back(ramp), pictures.push_back(luma);
    for (const auto &levels : pictures)
      for (const int some : {0, 3, 5}) {
        std::vector<int> ages;
        for (size_t i = 0; i < levels.size(); i++)
          ages.push_back(some ? int((uint32_t(i) * 2654435761u >> 9) % unsigned(some + 1)) : 90);
        compare(bench, width, height, levels, ages);
      }
  }
}

namespace {

constexpr int width = 160, height = 120;
const glcl::camera::FrameGeometry frame = glcl::camera::frame_geometry(width, height);

std::vector<float> green_of(const Frame &picture) {
  std::vector<float> levels;
  for (size_t i = 1; i < picture.rgba.size(); i += 4) levels.push_back(picture.rgba[i]);
  return levels;
}

/// Shows a picture for some seconds, with two samples each.
void show(StandingMap &map, const Frame &picture, double seconds, double most = 1000,
          float light = 1) {
  std::vector<float> levels = green_of(picture);
  for (float &level : levels) level *= light;
  std::vector<cl_ushort> means;
  for (int mean :
       reference::standing_means(levels, std::vector<int>(levels.size(), 90), width, height))
    means.push_back(cl_ushort(mean));
  for (double passed = 0; passed < seconds; passed += 0.5) {
    for (int i = 0; i < 10; i++) map.pass(0.05);
    map.sample(means.data(), frame, most);
  }
}

/// A picture with a thing of one level with some noise.
Frame with_thing(Frame picture, int left, int top, int side, int level) {
  std::mt19937 random(1);
  for (int y = top; y < top + side; y++)
    for (int x = left; x < left + side; x++)
      std::fill_n(picture.at(x, y), 3, uint8_t(level + int(random() % 17) - 8));
  return picture;
}

}  // namespace

// A thing is an area until it is adopted; the background before it is no news.
TEST(test_areas) {
  const Frame ground = reference::relit(reference::textured_frame(width, height), 0.4, 60),
              thing = with_thing(ground, 60, 40, 20, 230);
  const RectF place{60, 40, 80, 60};
  StandingMap map;
  show(map, ground, 10);
  fail_unless(map.areas({}, 50).empty() && map.part_of(place) == 0);
  show(map, thing, 4);
  const auto areas = map.areas({}, 50);
  fail_unless(areas.size() == 1 &&
              areas[0].outline == StandingMap::StandingArea::Outline::present && !areas[0].lit);
  fail_unless(std::abs(areas[0].seconds - 4) < 0.01, "%g s", areas[0].seconds);
  fail_unless(glcl::common_area(areas[0].box, place) > 0.8f * place.area() &&
              areas[0].box.area() < 1.3f * place.area());
  fail_unless(map.part_of(place) > 0.8f && map.areas({place}, 50).empty());
  // Half of the light: the same area, nothing else.
  show(map, thing, 2, 1000, 0.5f);
  fail_unless(map.areas({}, 50).size() == 1 && map.part_of({0, 0, 50, 120}) == 0);
  map.hold(place);
  fail_unless(map.areas({}, 50)[0].seconds < 1);
  map.adopt({58, 38, 82, 62});
  fail_unless(map.areas({}, 50).empty());
  show(map, ground, 3, 1000, 0.5f);
  fail_unless(map.areas({}, 50).empty(), "what was behind it");
  show(map, thing, 3, 1000, 0.5f);
  fail_unless(map.areas({}, 50).empty(), "and back");
  // Another thing becomes old background by itself.
  const Frame other = with_thing(thing, 110, 70, 20, 20);
  show(map, other, 5, 6, 0.5f);
  fail_unless(map.areas({}, 50).size() == 1);
  show(map, other, 3, 6, 0.5f);
  fail_unless(map.areas({}, 50).empty());
  map.reset();
  show(map, ground, 1);
  fail_unless(map.areas({}, 50).empty());
}

// A lamp lights a part of a picture: its texture stays.
TEST(test_lit) {
  const Frame ground = reference::relit(reference::textured_frame(width, height), 0.5, 20);
  Frame lit = ground;
  for (int y = 30; y < 80; y++)
    for (int x = 40; x < 100; x++)
      for (int k = 0; k < 3; k++) lit.at(x, y)[k] = uint8_t(std::min(1.6 * lit.at(x, y)[k], 255.0));
  StandingMap map;
  show(map, ground, 10);
  show(map, lit, 3);
  const auto areas = map.areas({}, 200);
  fail_unless(!areas.empty());
  for (const auto &area : areas) fail_unless(area.lit);
}

// A soft shadow on plain ground has no clear outline. A thing there has one.
TEST(test_soft_shadow) {
  using Outline = StandingMap::StandingArea::Outline;
  const Frame ground = reference::noisy(reference::relit(Frame(width, height), 0, 150), 1, 1);
  Frame shadow = ground;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int k = 0; k < 3; k++) {
        const double lit = 1 - 0.4 / (1 + std::exp((std::hypot(x - 80, y - 60) - 30) / 6));
        shadow.at(x, y)[k] = uint8_t(lit * shadow.at(x, y)[k]);
      }
  const auto outline = [&](const Frame &before, const Frame &now) {
    StandingMap map;
    show(map, before, 10);
    show(map, now, 3);
    const auto areas = map.areas({}, 200);
    fail_unless(areas.size() == 1, "%zu areas", areas.size());
    return areas[0].outline;
  };
  fail_unless(outline(ground, shadow) == Outline::unclear, "a shadow comes");
  fail_unless(outline(shadow, ground) == Outline::unclear, "a shadow goes");
  const Frame thing = with_thing(ground, 60, 40, 30, 120);
  fail_unless(outline(ground, thing) == Outline::present, "a thing comes");
  fail_unless(outline(thing, ground) == Outline::old, "a thing goes");
}

// Of things in real pictures, most outlines are clear, and few of these are wrong.
TEST(test_outlines) {
  using Outline = StandingMap::StandingArea::Outline;
  int all = 0, right = 0, wrong = 0;
  std::mt19937 random(3);
  const auto draw = [&](int least, int most) {
    return least + int(random() % unsigned(most - least));
  };
  for (const Frame &picture : film::pictures())
    for (int i = 0; i < 40; i++) {
      const Frame ground = reference::crop(picture, draw(0, picture.width - width),
                                           draw(0, picture.height - height), width, height);
      const int side = draw(14, 40);
      const Frame thing = with_thing(ground, draw(8, width - side - 8), draw(8, height - side - 8),
                                     side, draw(20, 235));
      for (const bool came : {true, false}) {
        StandingMap map;
        show(map, came ? ground : thing, 10);
        show(map, came ? thing : ground, 2);
        const auto areas = map.areas({}, 0.4f * float(side * side));
        if (areas.empty()) continue;
        all++;
        right += areas[0].outline == (came ? Outline::present : Outline::old);
        wrong += areas[0].outline == (came ? Outline::old : Outline::present);
      }
    }
  std::printf("%d areas: %d right, %d wrong outlines\n", all, right, wrong);
  fail_unless(right >= 0.7 * all && wrong <= 0.03 * all, "%d of %d right, %d wrong", right, all,
              wrong);
}
