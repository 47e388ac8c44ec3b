// SPDX-License-Identifier: LGPL-2.1-or-later
// The background model, shadows, regions and drawings against their references.
#include "objects/objects.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <random>
#include <set>

#include "objects/renderer.h"
#include "reference/camera/align.h"
#include "reference/objects/objects.h"
#include "reference/objects/overlay.h"

#include "kernels/bands.h"
#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/objects/regions.h"
#include "reference/textured.h"

using glcl::camera::CameraState;
using glcl::camera::PixelHistory;
using glcl::objects::Object;
using glcl::objects::Region;
using glcl::objects::RegionList;
using glcl::objects::Regions;

namespace {

using Bounds = glcl::objects::BackgroundModel::Bounds;

/// Bounds for two of three cells.
std::vector<Bounds> own_bounds(const glcl::camera::FrameGeometry &frame) {
  const cl_int2 cells = glcl::objects::BackgroundModel::cells_of(frame);
  std::vector<Bounds> own;
  for (int i = 0; i < cells.s[0] * cells.s[1]; i++)
    own.push_back(i % 3 == 0 ? Bounds{-1, -1} : Bounds{float(1 + i % 7), 0.25f * float(i % 2)});
  return own;
}

/// Writes the brightness of rows of a frame whose light rolls.
reference::RowBrightness rolling_light(Bench &bench, const glcl::camera::FrameGeometry &frame,
                                       const glcl::camera::RowBrightness &rows, float number) {
  reference::RowBrightness light(frame);
  light.part = 0.9f, light.swing = 0.03f;
  std::vector<float> numbers{light.part, light.swing};
  for (size_t i = 0; i < light.ratios.size(); i++)
    numbers.push_back(light.ratios[i] = 1 + 0.1f * std::sin(float(i) + number));
  bench.queue->cl().enqueueWriteBuffer(rows.brightness(), CL_TRUE, 0,
                                       numbers.size() * sizeof(float), numbers.data());
  return light;
}

/// Runs the model over frames on the device and in the reference; they may differ only where
/// rounding decides.
void run_background(Bench &bench, int width, int height,
                    const std::vector<std::vector<float>> &frames,
                    const std::vector<CameraState> &states, float level, bool rolls,
                    bool measured) {
  const auto frame = glcl::camera::frame_geometry(width, height);
  glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::luma, width, height);
  noise.set(*bench.queue, level);
  // As after a measurement, so that the scene's deviation counts.
  if (measured) noise.prepare(*bench.queue, {noise.variances(), 0, 0});
  glcl::objects::BackgroundModel engine(*bench.context, frame);
  Regions regions(*bench.context, frame);
  const glcl::objects::MotionGroups groups = no_groups(bench, width, height);
  float deviation = 2;
  bench.queue->cl().enqueueWriteBuffer(engine.deviation(), CL_TRUE, 0, sizeof deviation,
                                       &deviation);
  reference::BackgroundModel expected(frame);
  glcl::camera::RowBrightness rows(*bench.context, frame);
  // The variance of intra-frame flicker, and how far a moving camera disables it.
  const std::vector<float> flicker{3, 0.25f};
  bench.queue->cl().enqueueWriteBuffer(noise.state(), CL_TRUE,
                                       offsetof(glcl::noise::NoiseState, flicker),
                                       2 * sizeof(float), flicker.data());
  expected.set_flicker(0.75f * flicker[0]);
  const size_t pixels = expected.pixels.size();
  size_t off = 0;
  for (size_t n = 0; n < frames.size(); n++) {
    const Bounds bounds{4.5f, 0.25f};
    // Boxes of the previous frame, or none.
    RegionList before{};
    for (int i = 0; i < int(n) % 4; i++) {
      const int left = int(n) * 3 + i * width / 3 - 5, top = height / 4 + 9 * i;
      before.regions[before.count++] = {left, top, left + 30, top + height / 3, 9, 99, 0, 0};
    }
    if (rolls) expected.set_rows(rolling_light(bench, frame, rows, float(n)));
    // In some frames an overlay covers rows, and others may belong to it.
    std::vector<cl_uchar> marks(pixels);
    for (size_t i = 0; n % 5 == 3 && i < pixels; i++) {
      const size_t row = i / size_t(frame.size.s[0]);
      marks[i] = row % 16 == 3 ? 2 : row % 16 == 9 ? 3 : 0;
    }
    // In some frames, cells have bounds of their own.
    const auto own = n % 3 == 0 ? own_bounds(frame) : std::vector<Bounds>();
    if (n % 3 != 1) engine.set_bounds(*bench.queue, own);
    if (n % 3 != 1) expected.set_bounds(own);
    bench.queue->cl().enqueueWriteBuffer(engine.marks(), CL_TRUE, 0, pixels, marks.data());
    expected.set_marks(marks);
    engine.run(*bench.queue, bounds, upload(bench, frames[n]),
               upload(bench, std::vector<CameraState>{states[n]}), rows, noise,
               upload(bench, std::vector<RegionList>{before}));
    expected.set_deviation(measured ? deviation : 0, 1 - flicker[1]);
    expected.next(bounds, frames[n], states[n], reference::even_noise(level),
                  {before.regions, before.regions + before.count});
    const auto levels_now = download<cl_float2>(bench, engine.levels(), pixels);
    const auto history = download<PixelHistory>(bench, engine.history(), pixels);
    const auto foreground = download<cl_uchar>(bench, engine.foreground(), pixels);
    regions.run(*bench.queue, 1, engine.foreground(), upload(bench, frames[n]), groups,
                upload(bench, std::vector<CameraState>{states[n]}), engine.deviation());
    deviation = download<float>(bench, engine.deviation(), 1)[0];
    if (measured)
      fail_unless(std::abs(deviation - expected.counted_deviation()) <= 0.02f + 0.02f * deviation,
                  "%d×%d, frame %zu: deviation %g, expected %g", width, height, n, deviation,
                  expected.counted_deviation());
    for (size_t i = 0; i < pixels; i++) {
      const auto &p = expected.pixels[i];
      const bool same =
          std::abs(levels_now[i].s[0] - p.background) <= 0.02f && history[i].ages.s[0] == p.age &&
          history[i].ages.s[1] == p.candidate_age && foreground[i] == p.eighths &&
          std::abs(history[i].variance / 64.0f - p.variance) <= 0.05f + 0.01f * p.variance &&
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
        state.model_empty = n == 0 || n == 22;
        state.frames = n;
        state.fit = {{}, {}, 1 + 0.01f * float(n % 3), float(n % 2)};
        if (kind == 1)
          state.from_background = {float(n % 3 - 1), float(n % 5 - 2), 0, 0},
          state.from_frame = {0.3f, -0.4f, 0, 0};
        if (kind == 2 || kind == 9) state.from_background = {0.3f, 0.2f, 0.006f, -0.004f};
        if (kind == 4) state.brightness_peak = float(n % 7);
        if (kind == 5) {
          state.from_background = {-2.3f, 0.4f, 0, 0.001f};
          state.bend_background.s[0] = 1e-4f, state.bend_background.s[1] = -5e-5f;
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
      const bool object = x >= width / 2 && x < width / 2 + 14 && y >= height / 3 && number > 12;
      const double colour[] = {1.1, 1, 0.8};
      for (int c = 0; c < 3; c++)
        frame.at(x, y)[c] = uint8_t(object ? 80 : level * lit * (grey ? 1 : colour[c]) + 0.5);
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
        const auto frame = glcl::camera::frame_geometry(w, h);
        const int shrink = int(frame.reduction), columns = frame.size.s[0], rows = frame.size.s[1];
        const size_t pixels = size_t(columns) * rows;
        glcl::objects::BackgroundModel background(*bench.context, frame);
        glcl::objects::ShadowDetector engine(*bench.context, frame, layout, 3);
        reference::Shadows expected(frame);
        glcl::camera::RowBrightness light(*bench.context, frame);
        glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::luma, w, h);
        noise.set(*bench.queue, 1);
        size_t off = 0, shadows = 0, object_pixels = 0, wrong = 0;
        for (int n = 0; n < 26; n++) {
          CameraState state{};
          state.fit.gain = kind == 2 && n % 2 ? 1.02f : 1;
          state.model_empty = n == 0 || (kind == 3 && n == 20);
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
          const auto known = download<PixelHistory>(bench, background.history(), pixels);
          const auto foreground = download<cl_uchar>(bench, background.foreground(), pixels);
          std::vector<float> background;
          std::vector<int> ages;
          for (size_t i = 0; i < pixels; i++)
            background.push_back(levels_now[i].s[0]), ages.push_back(known[i].ages.s[0]);
          const auto wanted = expected.next(in, small, state, background, ages, foreground, anew);
          const auto marked = download<cl_uchar>(bench, engine.foreground(), pixels);
          const auto colours = download<cl_short2>(bench, engine.colours(), pixels);
          const auto changes = download<cl_short>(bench, engine.changes(), pixels);
          for (size_t i = 0; i < pixels; i++) {
            off += marked[i] != wanted[i] && expected.margins[i] > 0.002f;
            off += std::abs(changes[i] - expected.changes[i]) > 1;
            for (int c = 0; c < 2; c++)
              off += std::abs(colours[i].s[c] - 64 * expected.colours[i][size_t(c)]) > 2;
            const bool object = background[i] > 90 && small[i] == 80;
            shadows += marked[i] == 1, object_pixels += object, wrong += object && marked[i] == 1;
          }
        }
        fail_unless(double(off) <= 0.001 * double(26 * pixels), "%d×%d, %d: %zu differ", w, h, kind,
                    off);
        fail_unless(w != 160 || kind > 2 ||
                        (shadows > pixels / 2 && object_pixels > 0 && wrong < object_pixels / 5),
                    "%d×%d, %d: %zu are shadows, %zu of %zu of a thing", w, h, kind, shadows, wrong,
                    object_pixels);
      }
}

// The device and the reference agree about the overlay. A logo is one after some frames of a pan;
// background, and a thing that the camera follows with a tremor, are not.
TEST(test_overlay) {
  Bench bench;
  for (const auto &[w, h] : {std::array{1, 1}, {5, 3}, {63, 41}, {200, 120}, {1400, 500}}) {
    const auto frame = glcl::camera::frame_geometry(w, h);
    const int columns = frame.size.s[0], rows = frame.size.s[1], count = w > 200 ? 4 : 24;
    const size_t pixels = size_t(columns) * rows;
    const Frame world = reference::textured_frame(columns + 80, rows + 20, {}, 1);
    glcl::objects::OverlayDetector engine(*bench.context, frame);
    glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::luma, w, h);
    noise.set(*bench.queue, 1);
    const cl::Buffer marks = upload(bench, std::vector<cl_uchar>(pixels));
    std::vector<reference::StillPixel> still(pixels);
    std::vector<uint8_t> wanted;
    size_t off = 0;
    for (int n = 0; n < count; n++) {
      CameraState state{};
      state.frame_motion = {-2 * frame.reduction, 0, n % 7 == 5 ? 1e-3f : 0, 0};
      state.from_frame = {0.3f, -0.2f, 0, 0};
      std::vector<float> small;
      for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
          const int u = x / 4 % 2 + y / 4 % 2, v = (x + 3 * n % 5) / 4 % 2 + y / 4 % 2;
          const bool logo = x >= 20 && x < 50 && y >= 20 && y < 36,
                     followed = x >= 100 && x < 130 && y >= 60 && y < 90;
          small.push_back(logo       ? 60 + 90.0f * float(u)
                          : followed ? 60 + 90.0f * float(v)
                                     : world.at(x + 2 * n, y)[1]);
        }
      const bool restart = n == 0 || (n == 20 && w == 63);
      engine.run(*bench.queue, upload(bench, small), upload(bench, std::vector<CameraState>{state}),
                 noise, restart, marks);
      still =
          reference::still_picture(still, small, state, reference::even_noise(1), frame, restart);
      const auto now = download<glcl::objects::StillPixel>(bench, engine.still(), pixels);
      for (size_t i = 0; i < pixels; i++) {
        off += (std::abs(now[i].level - still[i].level) > 0.01f ||
                std::abs(now[i].evidence - still[i].evidence) > 0.01f) &&
               still[i].margin > 0.01f;
        still[i].motion = {now[i].motion.s[0], now[i].motion.s[1]};
        still[i].level = now[i].level, still[i].evidence = now[i].evidence;
      }
      const auto marked = download<cl_uchar>(bench, marks, pixels);
      wanted = reference::overlay_marks(still, state, frame);
      for (size_t i = 0; i < pixels; i++) off += marked[i] != wanted[i];
    }
    fail_unless(off == 0, "%d×%d: %zu differ", w, h, off);
    if (w != 200) continue;
    size_t logo = 0, followed = 0, others = 0;
    for (size_t i = 0; i < pixels; i++) {
      const int x = int(i) % columns, y = int(i) / columns;
      const auto near = [=](int left, int top, int right, int bottom) {
        constexpr int margin = 12;
        return x >= left - margin && x < right + margin && y >= top - margin && y < bottom + margin;
      };
      (near(20, 20, 50, 36) ? logo : near(100, 60, 130, 90) ? followed : others) += wanted[i] == 2;
    }
    fail_unless(logo >= 480 && followed <= 150 && !others, "logo %zu px, followed %zu, others %zu",
                logo, followed, others);
  }
}

TEST(test_bands) {
  Bench bench;
  std::vector<CameraState> states(3);
  std::vector<std::vector<float>> frames;
  for (int n = 0; n < 3; n++) {
    states[n].model_empty = n == 0, states[n].frames = n, states[n].fit = {{}, {}, 1, 0};
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
  const auto frame = glcl::camera::frame_geometry(8, 8);
  reference::BackgroundModel background(frame);
  const auto see = [&](float level, int frames) {
    int foreground = 0;
    for (int i = 0; i < frames; i++) {
      CameraState state{};
      state.fit.gain = 1;
      state.model_empty = background.pixels[0].age == 0;
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

RegionList regions_of(Bench &bench, const std::vector<uint8_t> &foreground, int width, int height,
                      int least, size_t items, const std::vector<uint8_t> &mask = {},
                      int mask_width = 0, int mask_height = 0,
                      const std::vector<int> &changes = {}) {
  const auto frame = glcl::camera::frame_geometry(width, height);
  Regions engine(*bench.context, frame, items);
  if (!mask.empty()) engine.set_mask(*bench.queue, mask.data(), mask_width, mask_height);
  CameraState state{};
  state.frames = 7;
  const glcl::objects::MotionGroups groups = no_groups(bench, width, height);
  const cl::Buffer pixels = upload(bench, foreground),
                   small = upload(bench, levels_of(width, height)),
                   deviation = upload(bench, std::vector<cl_uint>(34));
  const std::vector<cl_short> values(changes.begin(), changes.end());
  const cl::Buffer changed = upload(bench, values.empty() ? std::vector<cl_short>(1) : values);
  RegionList result{};
  // Twice: a run does not depend on the one before.
  for (int i = 0; i < 2; i++) {
    engine.run(*bench.queue, least, pixels, small, groups,
               upload(bench, std::vector<CameraState>{state}), deviation,
               values.empty() ? nullptr : &changed);
    result = download<RegionList>(bench, engine.list(), 1)[0];
  }
  fail_unless(result.state.frames == 7);
  constexpr size_t offset = 5;
  std::vector<uint8_t> cells;
  const int columns = (width + glcl::objects::REGION_CELL - 1) / glcl::objects::REGION_CELL,
            rows = (height + glcl::objects::REGION_CELL - 1) / glcl::objects::REGION_CELL;
  for (int y = 0; y < rows && !mask.empty(); y++)
    for (int x = 0; x < columns; x++)
      cells.push_back(mask[size_t((2 * y + 1) * mask_height / (2 * rows)) * mask_width +
                           (2 * x + 1) * mask_width / (2 * columns)]);
  std::vector<uint8_t> expected = reference::region_mask(
      foreground, width,
      {result.regions, result.regions + std::min(result.count, glcl::objects::MAX_REGIONS)}, cells);
  expected.insert(expected.begin(), offset, 77);
  expected.insert(expected.end(), offset, 77);
  const cl::Buffer out = upload(bench, std::vector<uint8_t>(expected.size(), 77));
  engine.mask(*bench.queue, pixels, out, offset);
  fail_unless(download<uint8_t>(bench, out, expected.size()) == expected, "%d×%d: another mask",
              width, height);
  return result;
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
        // And shadows and overlays, some over them.
        for (uint8_t &pixel : foreground)
          if (next() % 100 < 6) pixel = uint8_t(1 + next() % 2);
        // An overlay is no change.
        const auto changed = std::count_if(foreground.begin(), foreground.end(),
                                           [](uint8_t pixel) { return pixel == 1 || pixel > 2; });
        const bool cut = float(changed) > 0.6f * float(foreground.size());
        std::vector<int> changes(part == 3 ? 0 : foreground.size());
        for (int &change : changes) change = int(next() % 4081) - 2040;
        expect_regions(
            regions_of(bench, foreground, w, h, 12, items, {}, 0, 0, changes),
            cut ? std::vector<Region>{}
                : reference::regions(foreground, levels_of(w, h), w, h, 12, {}, {}, changes),
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

// A gap separates solid objects, as cars that follow each other. Sparse foreground bridges it.
TEST(test_gaps) {
  Bench bench;
  for (bool sparse : {false, true}) {
    std::vector<uint8_t> foreground(size_t(160) * 120);
    for (int y = 20; y < 60; y++)
      for (int x = 40; x < 82; x++)
        if (x < 60 || x >= 62) foreground[size_t(y) * 160 + x] = sparse && x % 2 && y % 2 ? 0 : 20;
    const RegionList result = regions_of(bench, foreground, 160, 120, 50, 64);
    expect_regions(result, reference::regions(foreground, levels_of(160, 120), 160, 120, 50),
                   sparse ? "sparse" : "solid");
    fail_unless(result.count == (sparse ? 1 : 2), "%d regions", result.count);
  }
}

// A mask of another size is scaled. A change of nearly all pixels is a cut.
TEST(test_mask_and_cut) {
  Bench bench;
  std::vector<uint8_t> foreground(size_t(160) * 120);
  for (int y = 20; y < 100; y++)
    for (int x = 10; x < 150; x++) foreground[size_t(y) * 160 + x] = 16;
  for (int x = 70; x < 90; x++)
    foreground[size_t(30) * 160 + x] = 1, foreground[size_t(50) * 160 + x] = 2;
  constexpr int columns = 160 / glcl::objects::REGION_CELL, rows = 120 / glcl::objects::REGION_CELL;
  std::vector<uint8_t> cells(size_t(columns) * rows);
  for (size_t i = 0; i < cells.size(); i++) cells[i] = i % columns >= columns / 2;
  const RegionList half = regions_of(bench, foreground, 160, 120, 1, 64, {0, 255}, 2, 1);
  expect_regions(half, reference::regions(foreground, levels_of(160, 120), 160, 120, 1, cells),
                 "half");
  fail_unless(half.count == 1 && half.regions[0].left == 80 && !half.state.cut);
  std::fill(foreground.begin(), foreground.end(), 20);
  const RegionList all = regions_of(bench, foreground, 160, 120, 1, 64);
  fail_unless(all.count == 0 && all.state.cut, "%d regions", all.count);
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
      glcl::objects::ObjectStyle style;
      style.color_by_id = false;
      style.camera_color = 0xff00c0ff;
      view.draw(*bench.queue, {{object, outside}}, style, 0xffffdc00, 0xff000000, {in, out});
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
      view.draw(*bench.queue, {}, style, 0xffffdc00, 0xff000000, {in, out});
      check_equal(frame, bench.download(out), "nothing");
      // The camera: the line and the square are ten steps from the centre.
      const float go = h / 100.0f;
      view.draw(*bench.queue, {{}, {go, 0, 0, 0}}, style, 0xffffdc00, 0xff000000, {in, out});
      const Frame moved = bench.download(out);
      const auto is_blue = [&](double x, double y) {
        const uint8_t *p = moved.at(int(x), int(y));
        return p[0] == 0 && p[1] == 192 && p[2] == 255;
      };
      const double side = h / 12.0, x = w / 2.0 + 10 * go;
      fail_unless(is_blue(x - 5 * go, h / 2.0) && is_blue(x + side, h / 2.0 + side / 2) &&
                      is_blue(x - side / 2, h / 2.0 + side) && !is_blue(x, h / 2.0 + side / 2),
                  "%d×%d: the camera", w, h);
      for (const auto &[colour, shift] : {std::pair{0x00ffffffu, go}, {0xffffffffu, 0.9f}}) {
        style.camera_color = colour;
        view.draw(*bench.queue, {{}, {shift, 0, 0, 0}}, style, 0xffffdc00, 0xff000000, {in, out});
        check_equal(frame, bench.download(out), "a hidden or small motion of the camera");
      }
    }
}

/// A box in the middle of a flat frame, as the renderer draws it.
static Frame drawn_box(Bench &bench, const glcl::objects::ObjectView &view,
                       const glcl::objects::ObjectStyle &style) {
  const int w = 640, h = 360;
  glcl::objects::ObjectRenderer renderer(*bench.context, w, h, Layout::buffer);
  const Picture in = bench.upload(reference::flat_frame(w, h), Layout::buffer),
                out = bench.upload(Frame(w, h), Layout::buffer);
  renderer.draw(*bench.queue, view, style, 0xffffdc00, 0xff000000, {in, out});
  return bench.download(out);
}

/// The width of the plate of that label, px.
static int plate_width(const Frame &drawn) {
  const uint8_t *corner = drawn.at(100, 120 - 18);
  int width = 0;
  while (std::equal(corner, corner + 4, drawn.at(100 + width, 120 - 18))) width++;
  return width;
}

// The label has the parts that are wanted: its plate has 6 dots per character, and one more.
TEST(test_labels) {
  Bench bench;
  glcl::objects::ObjectView view{std::vector<Object>(1)};
  Object &object = view.objects[0];
  object.id = 12;
  object.box = {100, 120, 500, 300};
  object.vx = 3, object.vy = 4;
  object.age = 60;
  using namespace glcl::objects;
  const int dot = 2;
  const auto width = [&](unsigned labels) {
    ObjectStyle style;
    style.labels = labels;
    return plate_width(drawn_box(bench, view, style));
  };
  const auto characters = [](const char *text) { return (6 * int(std::strlen(text)) + 1) * dot; };
  fail_unless(width(number_label) == characters("12"));
  fail_unless(width(speed_label) == characters("125 px/s"), "%d", width(speed_label));
  fail_unless(width(age_label) == characters("2.4 s"));
  fail_unless(width(number_label | speed_label | age_label) == characters("12 125 px/s 2.4 s"));
  view.speeds[12] = 50;
  fail_unless(width(speed_label) == characters("50 km/h"));
  const Frame bare = drawn_box(bench, view, {true, 0});
  fail_unless(std::equal(bare.at(100, 102), bare.at(100, 102) + 4, bare.at(0, 0)), "a plate");
}

// Neighbouring numbers have different colours, and the outline of a text has soft edges.
TEST(test_colours) {
  Bench bench;
  std::set<std::array<uint8_t, 3>> colours, shades;
  for (int id = 1; id <= 8; id++) {
    glcl::objects::ObjectView view{std::vector<Object>(1)};
    view.objects[0].id = uint64_t(id);
    view.objects[0].box = {100, 120, 500, 300};
    const Frame drawn = drawn_box(bench, view, {});
    const uint8_t *corner = drawn.at(100, 102);
    colours.insert({corner[0], corner[1], corner[2]});
    for (int y = 102; y < 120; y++)
      for (int x = 100; x < 114; x++)
        shades.insert({drawn.at(x, y)[0], drawn.at(x, y)[1], drawn.at(x, y)[2]});
  }
  fail_unless(colours.size() == 8, "%zu colours", colours.size());
  fail_unless(shades.size() > 40, "%zu shades", shades.size());
}
