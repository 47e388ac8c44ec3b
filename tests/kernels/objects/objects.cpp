// SPDX-License-Identifier: LGPL-2.1-or-later
// The background model, shadows, regions and drawings against their references, and the tracker on
// known scenes.
#include "objects/objects.h"

#include <array>
#include <random>

#include "objects/renderer.h"
#include "objects/tracker.h"
#include "reference/camera/camera.h"
#include "reference/objects/objects.h"

#include "kernels/bands.h"
#include "kernels/engine.h"
#include "reference/textured.h"

using glcl::camera::CameraState;
using Box = glcl::RectF;
using glcl::objects::Object;
using glcl::objects::Region;
using glcl::objects::RegionList;
using glcl::objects::Regions;
using glcl::objects::Tracker;

namespace {

template <class Value>
cl::Buffer upload(Bench &bench, const std::vector<Value> &values) {
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    values.size() * sizeof(Value), const_cast<Value *>(values.data()));
}

template <class Value>
std::vector<Value> download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  std::vector<Value> values(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value), values.data());
  return values;
}

/// Runs the model over frames on the device and in the reference; they may differ only where
/// rounding decides.
void run_background(Bench &bench, int width, int height,
                    const std::vector<std::vector<float>> &frames,
                    const std::vector<CameraState> &states, float level, bool rolls,
                    bool measured) {
  const auto frame = glcl::camera::FrameGeometry::of(width, height);
  glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::luma, width, height);
  noise.set(*bench.queue, level);
  // As after a measurement, so that the scene's deviation counts.
  if (measured) noise.prepare(*bench.queue, {noise.variances(), 0, 0});
  glcl::objects::BackgroundModel engine(*bench.context, frame);
  Regions regions(*bench.context, frame);
  float deviation = 2;
  bench.queue->cl().enqueueWriteBuffer(engine.deviation(), CL_TRUE, 0, sizeof deviation,
                                       &deviation);
  reference::BackgroundModel expected(frame);
  glcl::camera::Rows rows(*bench.context, frame);
  // The variance of renewed noise, and how far a moving camera disables it.
  const std::vector<float> flicker{3, 0.25f};
  bench.queue->cl().enqueueWriteBuffer(noise.flicker(), CL_TRUE, 0, 2 * sizeof(float),
                                       flicker.data());
  expected.set_flicker(0.75f * flicker[0]);
  const size_t pixels = expected.pixels.size();
  size_t off = 0;
  for (size_t n = 0; n < frames.size(); n++) {
    const glcl::objects::BackgroundModel::Bounds bounds{4.5f, 0.25f};
    // Boxes of the previous frame, or none.
    RegionList before{};
    for (int i = 0; i < int(n) % 4; i++) {
      const int left = int(n) * 3 + i * width / 3 - 5, top = height / 4 + 9 * i;
      before.regions[before.count++] = {left, top, left + 30, top + height / 3, 9, 99, 0, 0};
    }
    if (rolls) {
      reference::RowLight light(frame);
      light.part = 0.9f, light.swing = 0.03f;
      std::vector<float> numbers{light.part, light.swing};
      for (size_t i = 0; i < light.ratios.size(); i++)
        numbers.push_back(light.ratios[i] = 1 + 0.1f * std::sin(float(i) + float(n)));
      bench.queue->cl().enqueueWriteBuffer(rows.brightness(), CL_TRUE, 0,
                                           numbers.size() * sizeof(float), numbers.data());
      expected.set_rows(light);
    }
    engine.run(*bench.queue, bounds, upload(bench, frames[n]),
               upload(bench, std::vector<CameraState>{states[n]}), rows, noise,
               upload(bench, std::vector<RegionList>{before}));
    expected.set_deviation(measured ? deviation : 0, 1 - flicker[1]);
    expected.next(bounds, frames[n], states[n], reference::even_noise(level),
                  {before.regions, before.regions + before.count});
    const auto levels_now = download<cl_float2>(bench, engine.levels(), pixels);
    const auto ages = download<cl_uchar2>(bench, engine.ages(), pixels);
    const auto foreground = download<cl_uchar>(bench, engine.foreground(), pixels);
    const auto variances = download<cl_ushort>(bench, engine.variances(), pixels);
    regions.run(*bench.queue, 1, engine.foreground(), upload(bench, frames[n]),
                upload(bench, std::vector<CameraState>{states[n]}), engine.deviation());
    deviation = download<float>(bench, engine.deviation(), 1)[0];
    if (measured)
      fail_unless(std::abs(deviation - expected.counted_deviation()) <= 0.02f + 0.02f * deviation,
                  "%d×%d, frame %zu: deviation %g, expected %g", width, height, n, deviation,
                  expected.counted_deviation());
    for (size_t i = 0; i < pixels; i++) {
      const auto &p = expected.pixels[i];
      const bool same = std::abs(levels_now[i].s[0] - p.background) <= 0.02f &&
                        ages[i].s[0] == p.age && ages[i].s[1] == p.candidate_age &&
                        foreground[i] == p.eighths &&
                        std::abs(variances[i] / 64.0f - p.variance) <= 0.05f + 0.01f * p.variance &&
                        (!p.candidate_age || std::abs(levels_now[i].s[1] - p.candidate) <= 0.02f);
      // A pixel that was decided differently once differs for some frames.
      off += !same && p.margin > 0.01f;
    }
  }
  fail_unless(double(off) <= 0.002 * double(pixels * frames.size()), "%d×%d: %zu of %zu differ",
              width, height, off, pixels * frames.size());
}

std::vector<float> levels(const Frame &frame) {
  std::vector<float> list;
  for (size_t i = 0; i < frame.rgba.size(); i += 4) list.push_back(frame.rgba[i]);
  return list;
}

}  // namespace

TEST(test_background_model) {
  Bench bench;
  std::mt19937 next(3);
  for (const auto &[w, h] : {std::array{1, 1}, {2, 7}, {63, 41}, {160, 121}})
    for (int kind = 0; kind < 10; kind++) {
      std::vector<std::vector<float>> frames;
      std::vector<CameraState> states;
      for (int n = 0; n < 30; n++) {
        CameraState state{};
        state.fresh = n == 0 || n == 22;
        state.frames = n;
        state.fit = {{}, {}, 1 + 0.01f * float(n % 3), float(n % 2)};
        if (kind == 1)
          state.from_background = {float(n % 3 - 1), float(n % 5 - 2), 0, 0},
          state.from_frame = {0.3f, -0.4f, 0, 0};
        if (kind == 2 || kind == 9) state.from_background = {0.3f, 0.2f, 0.006f, -0.004f};
        if (kind == 4) state.lag = float(n % 7);
        if (kind == 5) {
          state.from_background = {-2.3f, 0.4f, 0, 0.001f};
          state.bend_background[0] = 1e-4f, state.bend_background[1] = -5e-5f;
        }
        states.push_back(state);
        // A square moves over a noisy picture.
        Frame frame = kind == 3
                          ? reference::random_frame(w, h, 1 + unsigned(n) / 12)
                          : reference::noisy(reference::natural_frame(w, h), 3, unsigned(n) + 1);
        for (int y = h / 3; y < h / 2; y++)
          for (int x = n; x < std::min(n + 20, w); x++)
            frame.at(x, y)[0] = uint8_t(200 + next() % 20);
        if (kind == 7) frame = reference::relit(frame, 1.4 - 0.02 * (n % 20), 0);
        frames.push_back(levels(frame));
      }
      run_background(bench, w, h, frames, states, kind >= 8 ? 1 : 3, kind == 6, kind >= 8);
    }
}

namespace {

/// A coloured and textured plane, a shadow that moves over it from the left, and an object as dark.
Frame shaded(int width, int height, int number, double light, bool grey) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double level = 130 + 20 * std::sin(0.7 * x) * std::cos(0.5 * y),
                   edge = 1 / (1 + std::exp((x - 2.0 * number) / 2)), lit = 1 - (1 - light) * edge;
      const bool thing = x >= width / 2 && x < width / 2 + 14 && y >= height / 3 && number > 12;
      const double colour[] = {1.1, 1, 0.8};
      for (int c = 0; c < 3; c++)
        frame.at(x, y)[c] = uint8_t(thing ? 80 : level * lit * (grey ? 1 : colour[c]) + 0.5);
      frame.at(x, y)[3] = 255;
    }
  return frame;
}

}  // namespace

// The device and the reference agree about shadows, and these lie where the shadow falls.
TEST(test_shadows) {
  Bench bench;
  for (Layout layout : {Layout::buffer, Layout::image})
    for (const auto &[w, h] : {std::array{1, 1}, {2, 7}, {63, 41}, {160, 121}, {1000, 600}})
      for (int kind = 0; kind < (w > 160 ? 1 : 5); kind++) {
        const auto frame = glcl::camera::FrameGeometry::of(w, h);
        const int shrink = int(frame.shrink), columns = frame.size.s[0], rows = frame.size.s[1];
        const size_t pixels = size_t(columns) * rows;
        glcl::objects::BackgroundModel background(*bench.context, frame);
        glcl::objects::Shadows engine(*bench.context, frame, layout, 3);
        reference::Shadows expected(frame);
        glcl::camera::Rows light(*bench.context, frame);
        glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::luma, w, h);
        noise.set(*bench.queue, 1);
        size_t off = 0, shadows = 0, things = 0, wrong = 0;
        for (int n = 0; n < 26; n++) {
          CameraState state{};
          state.fit.gain = kind == 2 && n % 2 ? 1.02f : 1;
          state.fresh = n == 0 || (kind == 3 && n == 20);
          state.frames = n;
          if (kind == 3)
            state.from_background = {float(n % 3 - 1), 0, 0, 0},
            state.from_frame = {0.3f, -0.4f, 0, 0};
          if (kind == 4) state.from_background = {0.3f, 0.2f, 0.006f, -0.004f};
          const int at = n < 6 ? -99 : 6 * n / 5;
          const Frame in = shaded(w, h, shrink * at, 0.7, kind == 1);
          std::vector<float> small;
          for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++)
              small.push_back(in.at(std::min(x * shrink, w - 1), std::min(y * shrink, h - 1))[1]);
          const cl::Buffer levels = upload(bench, small),
                           states = upload(bench, std::vector<CameraState>{state});
          background.run(*bench.queue, {4.5f, 0.25f}, levels, states, light, noise,
                         upload(bench, std::vector<RegionList>(1)));
          engine.sample_colours(*bench.queue,
                                bench.upload(in, layout, layout == Layout::buffer ? 3 : 0));
          const bool anew = n == 0;
          engine.run(*bench.queue, levels, states, background, anew);
          const auto levels_now = download<cl_float2>(bench, background.levels(), pixels);
          const auto known = download<cl_uchar2>(bench, background.ages(), pixels);
          const auto foreground = download<cl_uchar>(bench, background.foreground(), pixels);
          std::vector<float> background;
          std::vector<int> ages;
          for (size_t i = 0; i < pixels; i++)
            background.push_back(levels_now[i].s[0]), ages.push_back(known[i].s[0]);
          const auto wanted = expected.next(in, small, state, background, ages, foreground, anew);
          const auto marked = download<cl_uchar>(bench, engine.foreground(), pixels);
          const auto colours = download<cl_short2>(bench, engine.colours(), pixels);
          for (size_t i = 0; i < pixels; i++) {
            off += marked[i] != wanted[i] && expected.margins[i] > 0.002f;
            for (int c = 0; c < 2; c++)
              off += std::abs(colours[i].s[c] - 64 * expected.colours[i][size_t(c)]) > 2;
            const bool thing = background[i] > 90 && small[i] == 80;
            shadows += marked[i] == 1, things += thing, wrong += thing && marked[i] == 1;
          }
        }
        fail_unless(double(off) <= 0.001 * double(26 * pixels), "%d×%d, %d: %zu differ", w, h, kind,
                    off);
        fail_unless(
            w != 160 || kind > 2 || (shadows > pixels / 2 && things > 0 && wrong < things / 5),
            "%d×%d, %d: %zu are shadows, %zu of %zu of a thing", w, h, kind, shadows, wrong,
            things);
      }
}

TEST(test_bands) {
  Bench bench;
  std::vector<CameraState> states(3);
  std::vector<std::vector<float>> frames;
  for (int n = 0; n < 3; n++) {
    states[n].fresh = n == 0, states[n].frames = n, states[n].fit = {{}, {}, 1, 0};
    frames.push_back(levels(reference::noisy(reference::natural_frame(63, 121), 3, unsigned(n))));
  }
  const auto work = [&] { run_background(bench, 63, 121, frames, states, 3, false, false); };
  work();
  const int more = more_bands(bench, work);
  fail_unless(more > 0, "%d more bands", more);
}

// An object that stops stays foreground for a moment and then becomes background. The place it left
// is background at once.
TEST(test_stops) {
  const auto frame = glcl::camera::FrameGeometry::of(8, 8);
  reference::BackgroundModel background(frame);
  const auto see = [&](float level, int frames) {
    int foreground = 0;
    for (int i = 0; i < frames; i++) {
      CameraState state{};
      state.fit.gain = 1;
      state.fresh = background.pixels[0].age == 0;
      state.frames = 100;
      background.next({4.5f, 0.25f}, std::vector<float>(64, level), state,
                      reference::even_noise(2));
      foreground += background.pixels[0].eighths > 0;
    }
    return foreground;
  };
  fail_unless(see(80, 60) == 0);
  const int stays = see(150, 40);
  fail_unless(stays == 19, "foreground for %d frames", stays);
  fail_unless(see(80, 5) == 0, "the background comes back at once");
  fail_unless(see(150, 1) == 0, "and so does the object that had stayed");
}

namespace {

/// Levels from 0 to 255, and slightly beyond as after rounding.
std::vector<float> levels_of(int width, int height) {
  std::vector<float> levels(size_t(width) * height);
  for (size_t i = 0; i < levels.size(); i++)
    levels[i] = float((i * 2654435761u >> 7) % 2561) / 10 - 0.25f;
  return levels;
}

RegionList regions_of(Bench &bench, const std::vector<uint8_t> &foreground, int width, int height,
                      int least, size_t items, const std::vector<uint8_t> &mask = {},
                      int mask_width = 0, int mask_height = 0) {
  const auto frame = glcl::camera::FrameGeometry::of(width, height);
  Regions engine(*bench.context, frame, items);
  if (!mask.empty()) engine.set_mask(*bench.queue, mask.data(), mask_width, mask_height);
  CameraState state{};
  state.frames = 7;
  const cl::Buffer pixels = upload(bench, foreground),
                   small = upload(bench, levels_of(width, height)),
                   deviation = upload(bench, std::vector<cl_uint>(34));
  RegionList result{};
  // Twice: a run does not depend on the one before.
  for (int i = 0; i < 2; i++) {
    engine.run(*bench.queue, least, pixels, small, upload(bench, std::vector<CameraState>{state}),
               deviation);
    result = download<RegionList>(bench, engine.list(), 1)[0];
  }
  fail_unless(result.state.frames == 7);
  constexpr size_t offset = 5;
  std::vector<uint8_t> cells;
  for (int y = 0; y < (height + 3) / 4 && !mask.empty(); y++)
    for (int x = 0; x < (width + 3) / 4; x++)
      cells.push_back(
          mask[size_t((2 * y + 1) * mask_height / (2 * ((height + 3) / 4))) * mask_width +
               (2 * x + 1) * mask_width / (2 * ((width + 3) / 4))]);
  std::vector<uint8_t> expected = reference::region_mask(
      foreground, width,
      {result.regions, result.regions + std::min<int>(result.count, RegionList::most)}, cells);
  expected.insert(expected.begin(), offset, 77);
  expected.insert(expected.end(), offset, 77);
  const cl::Buffer out = upload(bench, std::vector<uint8_t>(expected.size(), 77));
  engine.mask(*bench.queue, pixels, out, offset);
  fail_unless(download<uint8_t>(bench, out, expected.size()) == expected, "%d×%d: another mask",
              width, height);
  return result;
}

void expect_regions(const RegionList &result, const std::vector<Region> &expected,
                    const std::string &what) {
  fail_unless(result.count == int(expected.size()), "%s: %d regions, expected %zu", what.c_str(),
              result.count, expected.size());
  for (int i = 0; i < std::min<int>(result.count, RegionList::most); i++) {
    const Region &a = result.regions[i], &b = expected[size_t(i)];
    fail_unless(a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom &&
                    a.area == b.area && a.distance == b.distance && a.levels == b.levels &&
                    a.squares == b.squares,
                "%s: region %d is (%d, %d, %d, %d) of %d, expected (%d, %d, %d, %d) of %d",
                what.c_str(), i, a.left, a.top, a.right, a.bottom, a.area, b.left, b.top, b.right,
                b.bottom, b.area);
  }
}

}  // namespace

TEST(test_regions) {
  Bench bench;
  std::mt19937 next(5);
  for (const auto &[w, h] : {std::array{1, 1}, {4, 3}, {5, 70}, {101, 67}, {320, 240}})
    for (int part : {0, 3, 20, 40})
      for (size_t items : {size_t(1), size_t(16), size_t(128)}) {
        std::vector<uint8_t> foreground(size_t(w) * h);
        // Blobs, more or fewer of them, and specks.
        for (int i = 0; i < part * w * h / 3000; i++) {
          const int x0 = int(next() % unsigned(w)), y0 = int(next() % unsigned(h)),
                    r = 1 + int(next() % 9);
          for (int y = std::max(y0 - r, 0); y < std::min(y0 + r, h); y++)
            for (int x = std::max(x0 - r, 0); x < std::min(x0 + r, w); x++)
              foreground[size_t(y) * w + x] = uint8_t(8 + next() % 90);
        }
        for (uint8_t &pixel : foreground)
          if (next() % 100 < 4) pixel = 9;
        // And shadows, some over them.
        for (uint8_t &pixel : foreground)
          if (next() % 100 < 6) pixel = 1;
        const auto seen = std::count_if(foreground.begin(), foreground.end(),
                                        [](uint8_t pixel) { return pixel > 0; });
        const bool cut = float(seen) > 0.6f * float(foreground.size());
        expect_regions(
            regions_of(bench, foreground, w, h, 12, items),
            cut ? std::vector<Region>{} : reference::regions(foreground, levels_of(w, h), w, h, 12),
            std::to_string(w) + "×" + std::to_string(h) + ", " + std::to_string(part));
      }
  // Spirals join late; more regions than the list holds.
  std::vector<uint8_t> spiral(240 * 240);
  for (double t = 0; t < 50; t += 0.01)
    for (int i = 0; i < 36; i++) {
      const int down = i / 6, right = i % 6;
      spiral[size_t(120 + 2.2 * t * std::sin(t) + down) * 240 +
             size_t(120 + 2.2 * t * std::cos(t) + right)] = 10;
    }
  expect_regions(regions_of(bench, spiral, 240, 240, 1, 64),
                 reference::regions(spiral, levels_of(240, 240), 240, 240, 1), "spiral");
  std::vector<uint8_t> many(size_t(320) * 240);
  for (int y = 0; y < 240; y++)
    for (int x = 0; x < 320; x++) many[size_t(y) * 320 + x] = x % 16 < 4 && y % 16 < 4 ? 8 : 0;
  expect_regions(regions_of(bench, many, 320, 240, 1, 64),
                 reference::regions(many, levels_of(320, 240), 320, 240, 1), "many");
}

// A mask of another size is scaled. A change of nearly all pixels is a cut.
TEST(test_mask_and_cut) {
  Bench bench;
  std::vector<uint8_t> foreground(size_t(160) * 120);
  for (int y = 20; y < 100; y++)
    for (int x = 10; x < 150; x++) foreground[size_t(y) * 160 + x] = 16;
  for (int x = 70; x < 90; x++) foreground[size_t(30) * 160 + x] = 1;
  std::vector<uint8_t> cells(40 * 30);
  for (int i = 0; i < 40 * 30; i++) cells[size_t(i)] = i % 40 >= 20;
  const RegionList half = regions_of(bench, foreground, 160, 120, 1, 64, {0, 255}, 2, 1);
  expect_regions(half, reference::regions(foreground, levels_of(160, 120), 160, 120, 1, cells),
                 "half");
  fail_unless(half.count == 1 && half.regions[0].left == 80 && !half.state.cut);
  std::fill(foreground.begin(), foreground.end(), 20);
  const RegionList all = regions_of(bench, foreground, 160, 120, 1, 64);
  fail_unless(all.count == 0 && all.state.cut, "%d regions", all.count);
}

namespace {

/// The region list for boxes in a frame of 320×240.
RegionList result_of(const std::vector<Box> &boxes,
                     const glcl::camera::SimilarityMotion &step = {}) {
  RegionList result{};
  result.state.step = step;
  for (const Box &b : boxes)
    result.regions[result.count++] = {int(b.left),
                                      int(b.top),
                                      int(b.right) - 1,
                                      int(b.bottom) - 1,
                                      int(b.area()),
                                      int(b.area()) * 32,
                                      0,
                                      0};
  return result;
}
Box box_at(double x, double y, double half = 12) {
  return {float(x - half), float(y - half), float(x + half), float(y + half)};
}

struct Follower {
  Tracker tracker{320, 240};
  glcl::camera::FrameGeometry frame = glcl::camera::FrameGeometry::of(320, 240);
  Tracker::Settings settings;
  Tracker::Report step(const std::vector<Box> &boxes,
                       const glcl::camera::SimilarityMotion &step = {}) {
    return tracker.step(settings, result_of(boxes, step), frame, 50, 0.04);
  }
};

}  // namespace

TEST(test_tracker) {
  // The object begins in the second frame, is reported, and ends after the gap.
  Follower f;
  int begun = 0, ended = 0;
  for (int i = 0; i < 20; i++) {
    const auto report = f.step({box_at(60 + 3 * i, 80 + i)});
    begun += int(report.begun.size());
    fail_unless(report.begun.size() == (i == 1) && report.objects.size() == (i >= 1), "frame %d",
                i);
    if (i < 6) continue;
    const Object &object = report.objects[0];
    fail_unless(object.id == 1 && std::abs(object.vx - 3) < 0.4 && std::abs(object.vy - 1) < 0.3,
                "(%g, %g)", object.vx, object.vy);
    fail_unless(std::abs(object.box.x() - float(60 + 3 * i)) < 0.01 && object.score > 0.5);
  }
  fail_unless(std::abs(f.tracker.predicted()[0].box.x() - (60 + 3 * 20)) < 1);
  for (int i = 0; i < 20; i++) {
    const auto report = f.step({});
    ended += int(report.ended.size());
    fail_unless(report.ended.size() == (i == 12), "frame %d", i);
  }
  fail_unless(begun == 1 && ended == 1);
  // A single detection is no object.
  for (int i = 0; i < 9; i++)
    fail_unless(f.step(i % 3 ? std::vector<Box>{} : std::vector{box_at(100, 100)}).begun.empty());
}

// Two objects that cross keep their numbers although they are one region for a while.
TEST(test_crossing) {
  for (double speed : {2.0, 4.0}) {
    Follower f;
    for (int i = 0; i < int(200 / speed); i++) {
      const Box a = box_at(60 + speed * i, 100), b = box_at(260 - speed * i, 104, 14);
      const bool touch = a.right >= b.left && b.right >= a.left;
      const auto report = f.step(touch ? std::vector{glcl::united(a, b)} : std::vector{a, b});
      if (i < 3) continue;
      fail_unless(report.objects.size() == 2 && report.begun.empty() && report.ended.empty(),
                  "frame %d: %zu", i, report.objects.size());
      for (const Object &object : report.objects) {
        const Box &truth = object.id == 1 ? a : b;
        fail_unless(glcl::common_area(object.box, truth) > 0.6f * truth.area(),
                    "frame %d, object %d at %g", i, int(object.id), object.box.x());
      }
    }
  }
}

// Pairs meet from any side or overtake each other. Their boxes jitter and are one while they touch.
// At most one in twenty has another number afterwards.
TEST(test_crossings) {
  int switched = 0, crossings = 0;
  for (unsigned n = 0; n < 200; n++) {
    std::mt19937 next(n + 1);
    const auto between = [&next](double low, double high) {
      return low + (high - low) * double(next() >> 8) / double(1 << 24);
    };
    const bool overtakes = n % 4 == 1;
    const double way = between(0, 6.28), speed = between(1.5, 4),
                 turn = overtakes ? between(-0.2, 0.2) : between(0.7, 5.58);
    struct Thing {
      double vx, vy, half, level;
    };
    std::vector<Thing> things;
    for (int i = 0; i < 2; i++) {
      const double fast = i == 0 ? speed : overtakes ? speed * between(0.2, 0.5) : between(1.5, 4);
      things.push_back({fast * std::cos(way + i * turn), fast * std::sin(way + i * turn),
                        between(9, 18), n % 4 == 2 ? 120 : 90 + 60.0 * i});
    }
    Tracker tracker(400, 400);
    const auto frame = glcl::camera::FrameGeometry::of(400, 400);
    std::array<uint64_t, 2> before{}, after{};
    bool touched = false;
    for (int i = -40; i <= 40; i++) {
      std::vector<Box> boxes;
      for (const Thing &thing : things)
        boxes.push_back(box_at(200 + thing.vx * i, 200 + thing.vy * i, thing.half));
      const auto near = [](const Box &a, const Box &b) {
        return a.left <= b.right + 8 && b.left <= a.right + 8 && a.top <= b.bottom + 8 &&
               b.top <= a.bottom + 8;
      };
      const bool touch = near(boxes[0], boxes[1]);
      touched |= touch;
      const std::vector<Box> seen = touch ? std::vector{glcl::united(boxes[0], boxes[1])} : boxes;
      RegionList result{};
      for (size_t k = 0; k < seen.size(); k++) {
        const Box &b = seen[k];
        const auto trembles = [&] { return int(next() % 3); };
        Region region{int(b.left) + trembles(),
                      int(b.top) + trembles(),
                      int(b.right) - trembles(),
                      int(b.bottom) - trembles(),
                      int(b.area()),
                      0,
                      0,
                      0};
        region.distance = 32 * region.area;
        region.levels = int(region.area * (touch ? 120 : things[k].level));
        result.regions[result.count++] = region;
      }
      const auto report = tracker.step({}, result, frame, 50, 0.04);
      for (size_t k = 0; k < 2 && !touch; k++)
        for (const Object &object : report.objects)
          if (glcl::common_area(object.box, boxes[k]) > 0.5f * boxes[k].area())
            (touched ? after : before)[k] = object.id;
      if (touched && !touch) break;
    }
    const bool found = before[0] && before[1] && after[0] && after[1];
    crossings += found;
    switched += found && before != after;
  }
  fail_unless(crossings >= 120, "%d crossings", crossings);
  fail_unless(20 * switched <= crossings, "%d of %d crossings switched", switched, crossings);
}

// An object that was found in two parts first becomes one object. Two objects that move side by
// side and touch at times stay two.
TEST(test_parts) {
  Follower f;
  size_t reported = 0;
  int ended = 0;
  for (int i = 0; i < 40; i++) {
    const double x = 40 + 3.0 * i;
    const Box all{float(x - 24), 90, float(x + 24), 120};
    const auto report = f.step(i < 8 ? std::vector<Box>{{all.left, 90, all.left + 12, 120},
                                                        {all.right - 12, 90, all.right, 120}}
                                     : std::vector{all});
    reported = report.objects.size();
    ended += int(report.ended.size());
    if (i > 20)
      fail_unless(reported == 1 && report.objects[0].id == 1 &&
                      glcl::common_area(report.objects[0].box, all) > 0.9f * all.area(),
                  "frame %d: %zu", i, reported);
  }
  fail_unless(reported == 1 && ended == 1);
  Follower g;
  for (int i = 0; i < 60; i++) {
    const Box a = box_at(40 + 3.0 * i, 80), b = box_at(40 + 3.0 * i, 115);
    const auto report =
        g.step(i % 10 < 3 && i > 8 ? std::vector{glcl::united(a, b)} : std::vector{a, b});
    fail_unless(i < 3 || (report.objects.size() == 2 && report.ended.empty()), "frame %d", i);
  }
}

// A faint region that changes its shape in one place is no object; an equally faint one that moves
// is.
TEST(test_faint) {
  for (double speed : {0.0, 2.0}) {
    Follower f;
    std::mt19937 next(1);
    const auto change = [&next] { return double(next() % 7); };
    size_t reported = 0;
    for (int i = 0; i < 40; i++) {
      const double x = 60 + speed * i;
      RegionList result = result_of({{float(x + change()), float(90 + change()),
                                      float(x + 24 + change()), float(110 + change())}});
      result.regions[0].distance = result.regions[0].area * 13;
      reported += f.tracker.step(f.settings, result, f.frame, 50, 0.04).objects.size();
    }
    fail_unless(speed > 0 ? reported > 20 : reported == 0, "at %g px: reported %zu times", speed,
                reported);
  }
}

// A parked object that starts to move begins within five frames, and its box leaves its first
// place.
TEST(test_sets_off) {
  for (int way : {-1, 1}) {
    Follower f;
    int first = -1;
    for (int i = 0; i < 15; i++) {
      const float from = 140, to = 180, gone = float(3 * way * (i + 1));
      const Box now{from + gone, 80, to + gone, 100}, old{from, 80, to, 100};
      const auto report = f.step({glcl::united(now, old)});
      if (!report.begun.empty() && first < 0) first = i;
      if (i < 8) continue;
      fail_unless(report.objects.size() == 1 &&
                      glcl::common_area(report.objects[0].box, now) > 0.8f * now.area() &&
                      report.objects[0].box.area() < 1.3f * now.area(),
                  "frame %d: from %g to %g", i,
                  report.objects.empty() ? 0 : report.objects[0].box.left,
                  report.objects.empty() ? 0 : report.objects[0].box.right);
    }
    fail_unless(first >= 0 && first < 5, "begins in frame %d", first);
  }
}

// An object that moves further per frame than its length is tracked, up to max_speed. A region that
// jumps back and forth is no object. With min_frames=1 an object begins at once.
TEST(test_leaps) {
  const auto reported = [](auto where, const Tracker::Settings &settings, int *first) {
    Follower f;
    f.settings = settings;
    size_t reported = 0;
    std::vector<uint64_t> ids;
    *first = -1;
    for (int i = 0; i < 9; i++) {
      const auto report = f.step({where(i)});
      if (!report.begun.empty() && *first < 0) *first = i;
      reported += report.objects.size();
      for (const Object &object : report.objects)
        fail_unless(object.id == 1, "frame %d: number %d", i, int(object.id));
    }
    return reported;
  };
  const auto goes = [](int i) { return box_at(30 + 32 * i, 60 + 14 * i, 7); };
  const auto jumps = [](int i) { return box_at(i % 2 ? 60 + 9 * i : 140, 40 + 61 * (i % 3), 7); };
  const auto waits = [](int) { return box_at(160, 100, 7); };
  int first = 0;
  fail_unless(reported(goes, {}, &first) == 7 && first == 2, "begins in frame %d", first);
  Tracker::Settings slow, once;
  slow.max_speed = 25, once.min_frames = 1;
  fail_unless(reported(goes, slow, &first) == 0, "beyond max_speed");
  fail_unless(reported(jumps, {}, &first) == 0, "jumps, begins in frame %d", first);
  fail_unless(reported(goes, once, &first) == 9 && first == 0, "begins in frame %d", first);
  fail_unless(reported(waits, once, &first) == 9 && first == 0, "begins in frame %d", first);
}

// A region that grows to fill the frame is no object. Many regions that appear at once and jitter
// are no objects either, but those that move on are.
TEST(test_flicker) {
  Follower f;
  for (int i = 0; i < 20; i++) {
    const auto by = float(std::max(20 - 3 * i, 0));
    fail_unless(f.step({{by, by, 320 - by / 2, 240 - by / 3}}).objects.empty(), "frame %d", i);
  }
  for (double speed : {0.0, 2.0}) {
    Follower g;
    std::mt19937 next(1);
    size_t reported = 0;
    for (int i = 0; i < 40; i++) {
      std::vector<Box> boxes;
      for (int k = 0; k < 6 && i >= 10; k++)
        boxes.push_back(box_at(40 + 40 * k + speed * i + int(next() % 5), 60 + 20 * k));
      RegionList result = result_of(boxes);
      result.state.frames = i;
      reported = g.tracker.step(g.settings, result, g.frame, 50, 0.04).objects.size();
    }
    fail_unless(reported == (speed > 0 ? 6 : 0), "at %g px: %zu reported", speed, reported);
  }
}

// While the light changes, an object must move further. A faint region that jumps, or whose size
// changes much, is no object.
TEST(test_doubtful) {
  const auto begins = [](float lag, int eighths, auto box) {
    Follower f;
    for (int i = 0; i < 30; i++) {
      RegionList result = result_of({box(i)});
      result.state.lag = lag;
      result.regions[0].distance = result.regions[0].area * eighths;
      if (!f.tracker.step(f.settings, result, f.frame, 50, 0.04).begun.empty()) return i;
    }
    return -1;
  };
  const auto goes = [](int i) { return box_at(60 + 3 * i, 80); };
  const int clear = begins(0, 60, goes), lit = begins(16, 60, goes), faint = begins(0, 10, goes);
  fail_unless(clear == 1 && lit == 3 && faint > 1 && faint < 5, "%d %d %d", clear, lit, faint);
  const auto jumps = [](int i) { return box_at(60 + 16 * (i / 2 % 2), 80 + 12 * (i % 2)); };
  fail_unless(begins(0, 10, jumps) == -1);
  const auto shrinks = [](int i) {
    return i < 2 ? Box{40, 0, 300, 180} : Box{4, 80, i % 2 ? 20.0f : 90.0f, 150};
  };
  fail_unless(begins(0, 22, shrinks) == -1);
}

// A shaking camera moves all boxes; a cut ends all objects.
TEST(test_moves_along) {
  Follower f;
  double x = 0, y = 0;
  for (int i = 0; i < 40; i++) {
    const glcl::camera::SimilarityMotion step{i % 2 ? 14.0f : -14.0f, i % 3 ? 9.0f : -18.0f, 0, 0};
    x += step.x, y += step.y;
    const auto report = f.step({box_at(100 + x + 2 * i, 120 + y)}, step);
    fail_unless(i == 0 || (report.objects.size() == 1 && report.objects[0].id == 1), "frame %d", i);
  }
  RegionList cut = result_of({box_at(50, 50)});
  cut.state.cut = 1;
  const auto report = f.tracker.step({}, cut, f.frame, 50, 0.04);
  fail_unless(report.objects.empty() && report.begun.empty() && report.ended.size() == 1);
}

// Boxes are drawn at their place and leave other pixels unchanged, from 7×5 to 4K.
TEST(test_view) {
  Bench bench;
  for (Layout layout : {Layout::buffer, Layout::image})
    for (const auto &[w, h] : {std::array{640, 360}, {64, 48}, {7, 5}, {3840, 2160}}) {
      if (layout == Layout::image && w > 1000) continue;
      glcl::objects::ObjectRenderer view(*bench.context, w, h, layout);
      const Frame frame = reference::gradient_frame(w, h);
      const Picture in = bench.upload(frame, layout), out = bench.upload(Frame(w, h), layout);
      Object object;
      object.id = 1234567;
      object.box = {w * 0.25f, h * 0.5f, w * 0.75f, h * 0.9f};
      object.trail = {{w * 0.1f, h * 0.1f}, {w * 0.2f, h * 0.3f}, {w * 0.5f, h * 0.7f}};
      Object outside = object;
      outside.box = {-20, -30, w + 40.0f, h + 50.0f};
      outside.trail.clear();
      view.draw(*bench.queue, {object, outside}, {}, 0xffffdc00, 0xff000000, {in, out});
      const Frame drawn = bench.download(out);
      size_t same = 0, yellow = 0;
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          const uint8_t *a = frame.at(x, y), *b = drawn.at(x, y);
          same += std::equal(a, a + 4, b);
          yellow += b[0] == 255 && b[1] == 220 && b[2] == 0;
          fail_unless(a[3] == b[3], "alpha");
        }
      fail_unless(yellow > 0 && (w < 100 || same > size_t(w) * h * 3 / 4),
                  "%d×%d: %zu yellow, %zu same", w, h, yellow, same);
      if (w < 100) continue;
      const int thick = std::max(1, h / 270);
      for (int i = 0; i < thick; i++) {
        const uint8_t *edge = drawn.at(w * 3 / 4 - 1 - i, h * 7 / 10);
        fail_unless(edge[0] == 255 && edge[1] == 220, "the right edge is %d px thick", thick);
      }
      view.draw(*bench.queue, {}, {}, 0xffffdc00, 0xff000000, {in, out});
      check_equal(frame, bench.download(out), "nothing");
      // The camera: the line and the square are ten steps from the centre.
      const float go = h / 100.0f;
      view.draw(*bench.queue, {}, {go, 0, 0, 0}, 0xffffdc00, 0xff000000, {in, out});
      const Frame moved = bench.download(out);
      const auto is_yellow = [&](double x, double y) {
        const uint8_t *p = moved.at(int(x), int(y));
        return p[0] == 255 && p[1] == 220 && p[2] == 0;
      };
      const double side = h / 12.0, x = w / 2.0 + 10 * go;
      fail_unless(is_yellow(x - 5 * go, h / 2.0) && is_yellow(x + side, h / 2.0 + side / 2) &&
                      is_yellow(x - side / 2, h / 2.0 + side) && !is_yellow(x, h / 2.0 + side / 2),
                  "%d×%d: the camera", w, h);
    }
}
