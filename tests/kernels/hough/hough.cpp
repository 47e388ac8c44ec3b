// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists, votes and scores against their references, and shapes in scenes against where they are.
#include "hough/hough.h"
#include "hough/maketemplate.h"

#include <array>
#include <random>
#include <tuple>

#include "kernels/bands.h"
#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "opencl/buffer.h"
#include "reference/hough/canny.h"
#include "reference/hough/hough.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"

using glcl::Rect;
using glcl::hough::Canny;
using glcl::hough::Hough;
using glcl::hough::Template;
using glcl::hough::TopK;
using reference::Pose;
using reference::Target;

namespace {

using Templates = std::vector<std::shared_ptr<const Template>>;

Layout layout_of(Bench &bench) { return glcl::layout_for(bench.context->device()); }

std::shared_ptr<const Template> shape_of(Bench &bench, const Target &target) {
  return glcl::hough::make_template(*bench.queue, target.name, {},
                                    bench.upload(target.picture(), layout_of(bench)));
}

Hough::TemplateMatches find(Bench &bench, Hough &hough, const Hough::Settings &settings,
                            const Frame &frame) {
  hough.run(*bench.queue, settings, bench.upload(frame, layout_of(bench)));
  const auto bytes = download<char>(bench, hough.result(), Hough::result_bytes);
  return Hough::read(bytes.data(), hough.templates());
}

Frame grey_frame(int width, int height) {
  Frame frame(width, height);
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 128;
  return frame;
}

bool is_at(const Hough::TemplateMatch &object, const Pose &pose) {
  return std::abs(std::remainder(object.angle - pose.angle, 360)) <= 2 &&
         std::abs(object.scale / pose.scale - 1) <= 0.03 &&
         std::hypot(object.x - pose.x, object.y - pose.y) <= 2;
}

}  // namespace

TEST(test_top_k) {
  Bench bench;
  std::mt19937 random(1);
  for (const auto &[width, height] : {std::array{1, 1}, {61, 37}, {200, 100}})
    for (const size_t capacity : {size_t(1), size_t(100), size_t(100000)})
      for (const int kinds : {1, 4, 256}) {
        std::vector<uint16_t> map(size_t(width) * height);
        for (uint16_t &value : map)
          if (random() % 3)
            value = uint16_t(random() % 2 * Canny::strong | random() % kinds << 7 |
                             (random() % 90 + 1));
        const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                2 * map.size(), map.data());
        TopK engine(*bench.context, 7, 256, Canny::strong, capacity);
        for (const Rect &region : {Rect{0, 0, width, height}, {3, 5, 37, 15}, {0, 0, 0, 0}}) {
          engine.run(*bench.queue, buffer, width, height, region);
          const auto expected =
              reference::strongest(map, width, 7, 256, Canny::strong, capacity, region);
          const auto counts = download<uint32_t>(bench, engine.counts(), 2);
          const size_t all =
              reference::strongest(map, width, 7, 256, Canny::strong, map.size(), region).size();
          fail_unless(counts[0] == expected.size() && counts[1] == all,
                      "%u of %u, expected %zu of %zu", counts[0], counts[1], expected.size(), all);
          const auto keys = download<uint32_t>(bench, engine.keys(), capacity);
          const auto indices = download<uint32_t>(bench, engine.indices(), capacity);
          std::vector<uint32_t> histogram(128);
          for (size_t i = 0; i < expected.size(); i++) {
            fail_unless(keys[i] == expected[i].key && indices[i] == expected[i].index,
                        "number %zu: %u at %u, expected %u at %u", i, keys[i], indices[i],
                        expected[i].key, expected[i].index);
            histogram[keys[i]]++;
          }
          fail_unless(download<uint32_t>(bench, engine.histogram(), 128) == histogram, "histogram");
        }
      }
}

// A point may fall on the next pixel, where devices differ in the last bits of a float.
TEST(test_match) {
  Bench bench;
  for (const auto &[w, h] : {std::array{61, 47}, {96, 40}}) {
    const Target target = reference::targets()[4];
    const auto shape = shape_of(bench, target);
    Hough hough(*bench.context, w, h, layout_of(bench));
    hough.set_templates({shape});
    Frame frame = reference::clutter_frame(w, h, 3);
    reference::place(frame, target, {30, 20, 70, 0.4});
    Hough::Settings settings;
    settings.scale_min = 0.3, settings.scale_max = 0.5;
    find(bench, hough, settings, frame);
    const auto edges = download<uint16_t>(bench, hough.canny().edges(), size_t(w) * h);
    const Hough::MatchMaps found = hough.matches(settings);
    const size_t count = size_t(72) * found.rows * found.pitch;
    const auto votes = download<uint16_t>(bench, found.votes, count);
    const auto poses = download<uint16_t>(bench, found.poses, count);
    const reference::Match expected(edges, w, h, found.half_width);
    const int share = (found.scales + 2) / 3;  // scales of a band
    const auto reach = [&](int band) {
      const double scale = std::exp2(found.first_scale + (band + 0.5) * share / 7.2725);
      return std::max(static_cast<int>(0.7 * shape->radius * scale / found.cell), 1);
    };
    for (int group = 0; group < 72; group++)
      for (int y = 0; y < found.rows; y++)
        for (int x = 0; x < found.columns; x++) {
          const int px = x * found.cell + found.cell / 2, py = y * found.cell + found.cell / 2;
          const size_t i = (size_t(group) * found.rows + y) * found.pitch + x;
          const int share = (found.scales + 2) / 3, first = group % 3 * share;
          const auto points = [&](int rotation, int scale) {
            return expected.points(*shape, px, py, (rotation + 0.5) * std::acos(-1.0) / 36,
                                   std::exp2(found.first_scale + (scale + 0.5) / 7.2725));
          };
          int most = 0;
          for (int rotation = group / 3 * 3; rotation < (group / 3 + 1) * 3; rotation++)
            for (int scale = first; scale < std::min(first + share, found.scales); scale++)
              most = std::max(most, points(rotation, scale));
          const int window = reach(group % 3), spacing = 1 + window / 4;
          double part = 0;
          int all = 0;
          for (int v = y - window; v <= y + window; v += spacing)
            for (int u = x - window; u <= x + window; u += spacing)
              if (u >= 0 && v >= 0 && u < found.columns && v < found.rows) {
                part += expected.directions(u * found.cell + found.cell / 2,
                                            v * found.cell + found.cell / 2);
                all++;
              }
          part /= all;
          const double chance = Template::match_points_count * part;
          const auto score_of = [&](int met) {
            return std::max(32 * (met - chance) / std::sqrt(chance * (1 - part) + 1), 0.0);
          };
          fail_unless(votes[i] >= score_of(most - 2) - 1 && votes[i] <= score_of(most + 2) + 1,
                      "(%d, %d) group %d: %d, %d points expected", x, y, group, votes[i], most);
          if (most > 8)
            fail_unless(points(poses[i] / found.scales, poses[i] % found.scales) >= most - 4,
                        "(%d, %d) group %d: pose %d", x, y, group, poses[i]);
        }
  }
}

// Of the strengths of neighbouring cells the largest stays. Those below three standard deviations
// of 32 are 0.
TEST(test_maxima) {
  using namespace glcl::hough;
  Bench bench;
  glcl::Context &context = *bench.context;
  constexpr int groups = SECTORS * BANDS, scales = 4;
  SearchGrid grid{};
  grid.cells = {{40, 3}};
  grid.pitch = 64;
  struct Place {
    int x, vote, pose, expected;
  };
  const Place places[] = {{3, 95, 9, 0},      {6, 96, 9, 96},     {10, 200, 9, 200},
                          {11, 150, 9, 0},    {15, 200, 9, 200},  {17, 150, 9, 150},
                          {21, 200, 9, 200},  {22, 150, 17, 150}, {26, 200, 8, 200},
                          {27, 150, 10, 150}, {31, 150, 9, 150},  {32, 150, 9, 0}};
  std::vector<uint16_t> votes(size_t(groups) * grid.cells.s[1] * grid.pitch), poses(votes.size()),
      expected(votes.size());
  for (const Place &place : places) {
    const size_t at = size_t(grid.pitch) + place.x;
    votes[at] = uint16_t(place.vote);
    poses[at] = uint16_t(place.pose);
    expected[at] = uint16_t(place.expected);
  }
  const cl::Buffer maxima = glcl::make_buffer(context.cl(), votes.size() * sizeof votes[0]);
  glcl::Kernel kernel(context, match_program(context), "match_maxima", {64, 1});
  kernel(*bench.queue, {size_t(grid.pitch), size_t(grid.cells.s[1]) * groups},
         glcl::upload_values(context.cl(), votes), glcl::upload_values(context.cl(), poses), maxima,
         grid, scales);
  const auto got = download<uint16_t>(bench, maxima, votes.size());
  for (const Place &place : places)
    fail_unless(got[size_t(grid.pitch) + place.x] == place.expected, "%d: %d", place.x,
                got[size_t(grid.pitch) + place.x]);
  fail_unless(got == expected, "another cell has a maximum");
}

// Two objects at one position are one. A nearby object with a far lower score is a part.
TEST(test_selection) {
  using namespace glcl::hough;
  Bench bench;
  glcl::Context &context = *bench.context;
  const std::string option = glcl::one_group_option(context.device().device);
  glcl::Kernel kernel(context, context.program("hough/objects.cl", option), "hough_select_objects",
                      {});
  const auto selected = [&](const std::vector<FoundTemplate> &candidates, int most) {
    cl::Buffer objects = glcl::make_buffer(context.cl(), candidates.size() * sizeof candidates[0]);
    bench.queue->cl().enqueueWriteBuffer(
        objects, CL_TRUE, 0, candidates.size() * sizeof candidates[0], candidates.data());
    const cl::Buffer result = glcl::make_buffer(context.cl(), Hough::result_bytes);
    kernel(*bench.queue, kernel.group(), objects, int(candidates.size()), 0.2f, most,
           glcl::upload_values(context.cl(), std::vector<cl_uint>{7}), result,
           cl::Local(kernel.group().x * sizeof(cl_float2)));
    const auto head = download<cl_uint>(bench, result, 2);
    fail_unless(head[1] == 7, "%u edges", head[1]);
    auto list = download<FoundTemplate>(bench, result, 1 + head[0]);
    list.erase(list.begin());
    return list;
  };
  struct Pair {
    float distance, score;  // in smaller radii; relative
    size_t objects;
  };
  for (const Pair &pair : {Pair{0.45f, 0.95f, 1},
                           {0.55f, 0.95f, 2},
                           {1.4f, 0.65f, 1},
                           {1.4f, 0.75f, 2},
                           {1.6f, 0.65f, 2}})
    for (const bool turned : {false, true}) {
      const float off = 20 * pair.distance;
      std::vector<FoundTemplate> candidates{
          {60 + off * 0.6f, 60 - off * 0.8f, 1, 0, 0.8f * pair.score, 1, turned ? 50.f : 20, 0},
          {60, 60, 1, 0, 0.8f, 0, turned ? 20.f : 50, 0}};
      const auto list = selected(candidates, 10);
      fail_unless(list.size() == pair.objects, "distance %g, score %g: %zu objects", pair.distance,
                  pair.score, list.size());
      fail_unless(list[0].templ == 0 && list[0].score == 0.8f, "the best is first");
    }
  // At most the wanted number, the first of equal ones, and none below the least score.
  const std::vector<FoundTemplate> apart{{50, 50, 1, 0, 0.1f, 0, 10, 0},
                                         {150, 50, 1, 0, 0.5f, 1, 10, 0},
                                         {250, 50, 1, 0, 0.5f, 2, 10, 0},
                                         {350, 50, 1, 0, 0.6f, 3, 10, 0}};
  fail_unless(selected(apart, 10).size() == 3, "one score is too low");
  const auto two = selected(apart, 2);
  fail_unless(two.size() == 2 && two[0].templ == 3 && two[1].templ == 1, "the two best");
}

TEST(test_bands) {
  Bench bench;
  const int w = 160, h = 120;
  const Target target = reference::targets()[4];
  Frame frame = reference::relit(reference::clutter_frame(w, h, 3), 0.3, 90);
  reference::place(frame, target, {80, 60, 0, 1});
  const Templates shapes{shape_of(bench, target)};
  const auto result = [&] {
    Hough hough(*bench.context, w, h, layout_of(bench));
    hough.set_templates(shapes);
    const auto object = find(bench, hough, {}, frame).objects.at(0);
    const Hough::MatchMaps found = hough.matches({});
    const size_t count = size_t(72) * found.rows * found.pitch;
    return std::tuple(download<uint16_t>(bench, found.votes, count),
                      download<uint16_t>(bench, found.poses, count), object.x, object.y,
                      object.angle, object.score);
  };
  const auto expected = result();
  std::remove_const_t<decltype(expected)> got;
  const int more = more_bands(bench, [&] { got = result(); });
  fail_unless(more >= 3, "%d more bands", more);
  fail_unless(got == expected);
}

// Every thing by itself, and its score.
TEST(test_found) {
  Bench bench;
  const int w = 200, h = 160;
  Hough hough(*bench.context, w, h, layout_of(bench));
  unsigned seed = 1;
  for (const Target &target : reference::targets()) {
    const auto shape = shape_of(bench, target);
    hough.set_templates({shape});
    for (const Pose &pose :
         {Pose{95.3, 81.6, 0, 1}, {104.2, 77, 133, 0.6}, {98, 79.5, -71, 1.45}}) {
      Frame frame = reference::relit(reference::clutter_frame(w, h, 40 + seed), 0.3, 90);
      reference::place(frame, target, pose);
      const auto found = find(bench, hough, {}, reference::noisy(frame, 2, seed++));
      fail_unless(!found.objects.empty() && is_at(found.objects[0], pose),
                  "%s at %g: %zu, (%g, %g) by %g and %g", target.name.c_str(), pose.angle,
                  found.objects.size(), found.objects.empty() ? 0 : found.objects[0].x,
                  found.objects.empty() ? 0 : found.objects[0].y,
                  found.objects.empty() ? 0 : found.objects[0].angle,
                  found.objects.empty() ? 0 : found.objects[0].scale);
      const auto edges = download<uint16_t>(bench, hough.canny().edges(), size_t(w) * h);
      for (const Hough::TemplateMatch &o : found.objects) {
        // For a scale between two levels, the engine may have used either.
        double off = 1;
        for (const Template::ScaleLevel &level : shape->levels)
          if (std::abs(std::log2(level.scale / o.scale)) < 0.5)
            off =
                std::min(off, std::abs(o.score - reference::score(edges, w, h, level, shape->radius,
                                                                  o.x, o.y, o.angle, o.scale)));
        fail_unless(off < 0.01, "score %g, off by %g", o.score, off);
      }
    }
  }
}

// Several of a kind and of several kinds, and the settings that leave some out.
TEST(test_several) {
  Bench bench;
  const int w = 360, h = 240;
  const auto targets = reference::targets();
  const Target &logo = targets[2], &sign = targets[4];
  Hough hough(*bench.context, w, h, layout_of(bench));
  hough.set_templates({shape_of(bench, logo), shape_of(bench, sign)});
  Frame frame = grey_frame(w, h);
  const Pose logos[] = {{60, 60, 20, 1}, {290, 80, -120, 0.8}},
             signs[] = {{90, 180, 80, 0.7}, {200, 150, 10, 1.1}};
  for (const Pose &pose : logos) reference::place(frame, logo, pose);
  for (const Pose &pose : signs) reference::place(frame, sign, pose);
  const auto is = [&](const Hough::TemplateMatches &found, const std::string &name,
                      const Pose &pose) {
    for (const auto &o : found.objects)
      if (o.templ->name == name && is_at(o, pose)) return true;
    return false;
  };
  Hough::Settings settings;
  const Hough::TemplateMatches all = find(bench, hough, settings, frame);

  fail_unless(all.objects.size() == 4, "%zu", all.objects.size());
  for (const Pose &pose : logos) fail_unless(is(all, "logo", pose));
  for (const Pose &pose : signs) fail_unless(is(all, "sign", pose));
  for (size_t i = 1; i < all.objects.size(); i++)
    fail_unless(all.objects[i].score <= all.objects[i - 1].score);
  fail_unless(all.edges > 500, "%u", all.edges);

  const auto again = download<char>(bench, hough.result(), Hough::result_bytes);
  find(bench, hough, settings, frame);
  fail_unless(again == download<char>(bench, hough.result(), Hough::result_bytes),
              "the same again");

  settings.max_objects = 2;
  fail_unless(find(bench, hough, settings, frame).objects.size() == 2);
  settings = {};
  settings.min_score = 1;
  fail_unless(find(bench, hough, settings, frame).objects.empty());
  settings = {};
  settings.scale_min = 0.95;
  const auto large = find(bench, hough, settings, frame);
  fail_unless(is(large, "logo", logos[0]) && is(large, "sign", signs[1]));
  for (const auto &o : large.objects) fail_unless(o.scale > 0.9, "x%g", o.scale);
  settings = {};
  settings.angle_min = 0, settings.angle_max = 30;
  const auto upright = find(bench, hough, settings, frame);
  fail_unless(is(upright, "logo", logos[0]) && is(upright, "sign", signs[1]));
  for (const auto &o : upright.objects) fail_unless(o.angle >= 0 && o.angle <= 30, "%g", o.angle);
  settings = {};
  settings.region = {0, 0, 130, 120};
  const auto left = find(bench, hough, settings, frame);
  fail_unless(left.objects.size() == 1 && is(left, "logo", logos[0]), "%zu", left.objects.size());
}

// The dark side of an outline may be either.
TEST(test_reversed) {
  Bench bench;
  const Target tool = reference::targets()[3];
  Hough hough(*bench.context, 200, 160, layout_of(bench));
  hough.set_templates({shape_of(bench, tool)});
  Frame frame = grey_frame(200, 160);
  const Pose pose{100, 80, 37, 1};
  reference::place(frame, tool, pose);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    if (i % 4 != 3) frame.rgba[i] = uint8_t(255 - frame.rgba[i]);
  const auto found = find(bench, hough, {}, frame);
  fail_unless(found.objects.size() == 1 && is_at(found.objects[0], pose) &&
              found.objects[0].score > 0.8);
}

TEST(test_none) {
  Bench bench;
  const auto targets = reference::targets();
  for (const auto &[w, h] : {std::array{1, 1}, {40, 3}, {130, 97}}) {
    Hough hough(*bench.context, w, h, layout_of(bench));
    fail_unless(find(bench, hough, {}, reference::random_frame(w, h)).objects.empty(), "no shapes");
    hough.set_templates({shape_of(bench, targets[1]), shape_of(bench, targets[3])});
    const auto flat = find(bench, hough, {}, reference::flat_frame(w, h));
    fail_unless(flat.objects.empty() && flat.edges == 0);
    fail_unless(find(bench, hough, {}, reference::random_frame(w, h)).objects.empty(), "random");
  }
}

TEST(test_unusable) {
  const auto fails = [](const std::vector<uint16_t> &edges, const char *words) {
    try {
      Template("it", 40, 40, {{40, 40, edges}});
    } catch (const glcl::Error &error) {
      return std::string(error.what()).find(words) != std::string::npos &&
             error.kind() == glcl::Error::Kind::settings;
    }
    return false;
  };
  std::vector<uint16_t> edges(1600);
  fail_unless(fails(edges, "0 edge pixels"));
  for (int i = 0; i < 40; i++)
    edges[i * 40 + 5] = edges[i * 40 + 30] = Canny::strong | 100 << 7 | 1;
  fail_unless(fails(edges, "parallel"));
  for (int i = 5; i < 30; i++) edges[2 * 40 + i] = Canny::strong | 100 << 7 | 46;
  fail_unless(!fails(edges, ""));
}

// A photograph of the whole sensor: it is looked at in sizes that frames have.
TEST(test_large) {
  Bench bench;
  Frame frame = grey_frame(2400, 2000);
  for (int y = 400; y < 1600; y++)
    for (int x = 300; x < 300 + (y < 1200 ? 400 : 1800); x++)
      for (int c = 0; c < 3; c++) frame.rgba[(size_t(y) * frame.width + x) * 4 + c] = 230;
  const auto shape =
      glcl::hough::make_template(*bench.queue, "L", {}, bench.upload(frame, layout_of(bench)));
  fail_unless(shape->levels.size() == 4 && std::abs(shape->levels.back().scale - 0.7071) < 0.01,
              "%zu sizes, the largest %g", shape->levels.size(), shape->levels.back().scale);
  fail_unless(std::abs(shape->radius - std::hypot(900, 600)) < 4, "radius %g", shape->radius);
}
