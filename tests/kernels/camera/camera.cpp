// SPDX-License-Identifier: LGPL-2.1-or-later
// The camera motion against its reference and against known motion.
#include "reference/camera/align.h"
#include "reference/camera/ransac.h"

#include <array>
#include <cmath>
#include <random>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "reference/textured.h"

using glcl::camera::Align;
using glcl::camera::CameraState;
using glcl::camera::Compensation;
using reference::CameraVector;
using reference::Similarity;
using Settings = glcl::camera::Ransac::Settings;
using List = std::vector<CameraVector>;

namespace {

constexpr CameraVector nothing = {1e9f, 1e9f, 0, 0};

CameraState download(Bench &bench, const cl::Buffer &buffer) {
  CameraState state;
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof state, &state);
  return state;
}

bool near(const Similarity &a, const Similarity &b, double shift, double turn) {
  return std::hypot(a.x - b.x, a.y - b.y) <= shift &&
         std::hypot(a.dilation - b.dilation, a.rotation - b.rotation) <= turn;
}

/// The motion that the device finds. It must come from an iteration with the most inliers, fitted
/// as in the reference.
CameraState found(Bench &bench, const List &list, const Settings &settings, size_t items = 32) {
  glcl::camera::Ransac engine(*bench.context, items);
  const cl::Buffer vectors = upload(bench, list),
                   state = upload(bench, std::vector<CameraState>(1));
  for (int i = 0; i < 2; i++) engine.run(*bench.queue, settings, vectors, int(list.size()), state);
  const CameraState result = download(bench, state);
  const reference::Ransac expected(list, settings);
  int inliers = 0;
  const Similarity motion = expected.fitted(expected.best, &inliers);
  fail_unless(result.vector_count == float(expected.valid), "%g vectors count, expected %d",
              result.vector_count, expected.valid);
  // Rounding decides about vectors on the bound.
  fail_unless(std::abs(result.inliers - float(inliers)) <= 0.01 * inliers + 1,
              "%g inliers, expected %d", result.inliers, inliers);
  fail_unless(near(result.vector_motion, motion, 0.05, 2e-4),
              "(%g, %g, %g, %g), expected (%g, %g, %g, %g)", result.vector_motion.x,
              result.vector_motion.y, result.vector_motion.dilation, result.vector_motion.rotation,
              motion.x, motion.y, motion.dilation, motion.rotation);
  // Of the device's own motion, because rounding decides about vectors on the bound.
  const double reaches = expected.reaches(result.vector_motion);
  fail_unless(std::abs(result.coverage - reaches) < 0.03, "reaches %g, expected %g",
              result.coverage, reaches);
  return result;
}

/// Vectors of a motion with noise of `off` px; a part of them are outliers.
List scene(const Similarity &motion, int count, double others, double off, unsigned seed) {
  std::mt19937 next(seed);
  const auto number = [&](double from, double to) {
    return from + (to - from) * double(next() >> 8) / (1 << 24);
  };
  List list;
  for (int i = 0; i < count; i++) {
    const std::complex<float> z(float(number(-320, 320)), float(number(-240, 240))),
        v = reference::vector_at(motion, z);
    if (i % 7 == 3)
      list.push_back(nothing);
    else if (number(0, 1) < others)
      list.push_back({z.real(), z.imag(), float(number(-16, 16)), float(number(-16, 16))});
    else
      list.push_back({z.real(), z.imag(), v.real() + float(number(-off, off)),
                      v.imag() + float(number(-off, off))});
  }
  return list;
}

}  // namespace

// D = 0.05, R = 0.02 around (320, 240): the vectors of two points.
TEST(test_two_vectors) {
  Bench bench;
  const List list{{100, 50, -7.2f, -13.9f}, {500, 400, 5.8f, 11.6f}};
  const CameraState state = found(bench, list, {});
  fail_unless(std::abs(state.vector_motion.dilation - 0.05) < 1e-6 &&
              std::abs(state.vector_motion.rotation - 0.02) < 1e-6);
  const cl_float2 fixed = state.vector_motion.fixed_point();
  fail_unless(std::abs(fixed.s[0] - 320) < 0.01 && std::abs(fixed.s[1] - 240) < 0.01,
              "about (%g, %g)", fixed.s[0], fixed.s[1]);
  fail_unless(state.inliers == 2);
}

// A motion without a centre is a translation; without vectors there is no motion.
TEST(test_degenerate) {
  Bench bench;
  const auto is = [&](const List &list, const Similarity &motion, float inliers,
                      bool translation = false) {
    Settings settings;
    settings.translation = translation;
    const CameraState state = found(bench, list, settings);
    fail_unless(near(state.vector_motion, motion, 1e-4, 1e-6), "(%g, %g, %g, %g)",
                state.vector_motion.x, state.vector_motion.y, state.vector_motion.dilation,
                state.vector_motion.rotation);
    fail_unless(state.inliers == inliers, "%g inliers", state.inliers);
  };
  is({{-50, 20, 3, -2}, {80, 60, 3, -2}}, {3, -2, 0, 0}, 2);
  is({{10, 20, 3, -2}, {10, 20, 3, -2}}, {3, -2, 0, 0}, 2);
  is({{10, 20, 3, -2}, {10, 20, 4, -2}}, {3.5, -2, 0, 0}, 2);
  is({{10, 20, 3, -2}}, {3, -2, 0, 0}, 1);
  is({nothing, nothing, {10, 20, 3, -2}, nothing}, {3, -2, 0, 0}, 1);
  is({nothing, nothing}, {}, 0);
  is(List(300, {0, 0, 0, 0}), {}, 300);
  is({{-50, 20, 3, -2}, {80, 60, 4, -2}}, {3.5, -2, 0, 0}, 2, true);
  const Similarity moved{1, 2, 0.02f, -0.03f}, back = reference::inverse(moved);
  fail_unless(near(reference::after(moved, back), {}, 1e-6, 1e-6));
  fail_unless(std::isinf(Similarity{1, 2, 0, 0}.fixed_point().s[0]));
}

TEST(test_outliers) {
  Bench bench;
  const Similarity motions[] = {
      {5, -3, 0, 0}, {0, 0, 0.03f, 0}, {0, 0, 0, 0.02f}, {-7, 2, 0.01f, -0.015f}, {}};
  unsigned seed = 1;
  for (const Similarity &motion : motions)
    for (double others : {0.0, 0.3, 0.5, 0.7})
      for (int count : {70, 1200}) {
        Settings settings;
        settings.seed = seed++;
        const CameraState state = found(bench, scene(motion, count, others, 0.4, seed), settings);
        const double off = count < 100 && others > 0.6 ? 1.5 : 0.3;
        fail_unless(near(state.vector_motion, motion, off, off / 100),
                    "(%g, %g, %g, %g) with %g others", state.vector_motion.x, state.vector_motion.y,
                    state.vector_motion.dilation, state.vector_motion.rotation, others);
      }
}

// Vectors that agree are the camera's if they reach across the frame, and along their own motion.
TEST(test_reaches) {
  Bench bench;
  const auto reaches = [&](float left, float top, float right, float bottom, float vx, float vy,
                           float slope, bool directed) {
    List list;
    for (float y = top; y < bottom; y += 16)
      for (float x = left; x < right; x += 16) list.push_back({x + slope * y, y, vx, vy});
    Settings settings;
    settings.width = 640, settings.height = 480;
    settings.directed = directed;
    const CameraState state = found(bench, list, settings);
    fail_unless(std::abs(state.confidence - state.coverage) < 0.001f, "%g, not %g",
                state.confidence, state.coverage);
    return state.coverage;
  };
  struct Case {
    const char *name;
    float left, top, right, bottom, vx, vy, slope;
    bool camera;
  };
  for (const Case &c : std::vector<Case>{{"everywhere", -320, -240, 320, 240, 5, 0, 0, true},
                                         {"a hand", -100, -80, 60, 80, 5, 0, 0, false},
                                         {"an arm", -100, -240, 100, 240, 5, 0, 0, false},
                                         {"one across", -320, -80, 320, 60, 0, 5, 0, false},
                                         {"one aslant", -80, -240, 80, 240, 4, 4, -1, false},
                                         {"a skyline", -320, 80, 320, 240, 5, 0, 0, true},
                                         {"a tilt over land", -320, -20, 320, 240, 0, 5, 0, true},
                                         {"at rest", -100, -240, 100, 240, 0, 0, 0, true}}) {
    const float got = reaches(c.left, c.top, c.right, c.bottom, c.vx, c.vy, c.slope, true);
    fail_unless(c.camera ? got > 0.9f : got < 0.1f, "%s reaches %g", c.name, got);
    // A displacement from long ago has another direction than the motion.
    if (c.bottom - c.top < 480) continue;
    const float any = reaches(c.left, c.top, c.right, c.bottom, c.vx, c.vy, c.slope, false);
    fail_unless(any > 0.9f, "%s reaches %g in any direction", c.name, any);
  }
}

// The result depends on the seed alone, not on the work-groups.
TEST(test_repeats) {
  Bench bench;
  const List list = scene({2, 1, 0.01f, 0.01f}, 900, 0.6, 0.4, 7);
  for (int least : {1, 50, 300}) {
    Settings settings;
    settings.seed = 5;
    settings.min_iterations = least;
    const CameraState first = found(bench, list, settings);
    // PoCL needs 15 s to compile the kernel for another group size, and longer for larger ones.
    for (const size_t items : bench.context->device().is_cpu() ? std::vector<size_t>{1}
                                                               : std::vector<size_t>{1, 64, 256}) {
      const CameraState other = found(bench, list, settings, items);
      fail_unless(near(first.vector_motion, other.vector_motion, 1e-3, 1e-5) &&
                  first.inliers == other.inliers);
    }
  }
  // Noise alone: any motion may win.
  found(bench, scene({}, 500, 1, 0, 3), {});
}

namespace {

/// A grey frame whose edge is repeated.
struct Luma {
  explicit Luma(const Frame &frame) : frame(frame) {}
  int at(int x, int y) const {
    const uint8_t *p =
        frame.at(std::clamp(x, 0, frame.width - 1), std::clamp(y, 0, frame.height - 1));
    return (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256;
  }
  reference::Texel texel() const {
    return [this](int x, int y) { return float(at(x, y)); };
  }
  glcl::motion::LumaPlane upload(Bench &bench) const {
    glcl::motion::LumaPlane plane(frame.width, frame.height);
    std::vector<uint8_t> bytes;
    for (int y = 0; y < plane.rows; y++)
      for (int x = 0; x < plane.pitch; x++)
        bytes.push_back(uint8_t(at(x - plane.padding, y - plane.padding)));
    plane.buffer = ::upload(bench, bytes);
    return plane;
  }

  const Frame &frame;
};

std::vector<float> numbers_of(const reference::RowBrightness &rows) {
  std::vector<float> numbers{rows.part, rows.swing};
  numbers.insert(numbers.end(), rows.ratios.begin(), rows.ratios.end());
  return numbers;
}

void expect_light(Bench &bench, const cl::Buffer &got, const reference::RowBrightness &expected,
                  const char *what) {
  const std::vector<float> wanted = numbers_of(expected);
  std::vector<float> numbers(wanted.size());
  bench.queue->cl().enqueueReadBuffer(got, CL_TRUE, 0, numbers.size() * sizeof(float),
                                      numbers.data());
  for (size_t i = 0; i < numbers.size(); i++)
    fail_unless(std::abs(numbers[i] - wanted[i]) < (i == 0 ? 0.05 : 0.003),
                "%s, %zu of %zu: %g, expected %g", what, i, numbers.size(), numbers[i], wanted[i]);
}

/// The alignment of a frame with a picture. `state`: of the previous frame; `part`: ROLL_PART
/// there.
CameraState aligned(Bench &bench, const Frame &picture, const Frame &now, Compensation compensation,
                    CameraState state = {}, bool first = false, float part = 0) {
  const auto frame = glcl::camera::frame_geometry(now.width, now.height);
  state.reliable = 1;
  Align engine(*bench.context, frame);
  engine.shrink(*bench.queue, Luma(now).upload(bench));
  const std::vector<float> small = reference::shrunk(Luma(now).texel(), frame),
                           before = reference::shrunk(Luma(picture).texel(), frame);
  std::vector<float> got(small.size());
  bench.queue->cl().enqueueReadBuffer(engine.small(), CL_TRUE, 0, got.size() * sizeof(float),
                                      got.data());
  fail_unless(got == small, "%d×%d in small", now.width, now.height);

  std::vector<cl_float2> levels;
  std::vector<glcl::camera::PixelHistory> history;
  std::vector<cl_uchar> foreground;
  std::vector<bool> visible;
  for (size_t i = 0; i < before.size(); i++) {
    levels.push_back({{before[i], 0}});
    history.push_back({{{cl_uchar(i % 11 ? 5 : 0), 0}}, 0});
    foreground.push_back(i % 13 == 5);
    visible.push_back(i % 11 && i % 13 != 5);
  }
  const cl::Buffer device = upload(bench, std::vector<CameraState>{state});
  reference::RowBrightness rows(frame);
  rows.part = part, rows.swing = part / 9;
  const std::vector<float> numbers = numbers_of(rows);
  bench.queue->cl().enqueueWriteBuffer(engine.rows().brightness(), CL_TRUE, 0,
                                       numbers.size() * sizeof(float), numbers.data());
  engine.run(*bench.queue, compensation, first, upload(bench, levels), upload(bench, history),
             upload(bench, foreground), device);
  bench.queue->cl().finish();
  const CameraState result = download(bench, device);
  if (!first) {
    const auto estimated =
        rows.estimated(small, before, visible, frame, state, compensation != Compensation::none);
    expect_light(bench, engine.rows().estimated(), estimated, "rows as estimated");
    reference::align(small, before, visible, frame, compensation, first, estimated, state);
  } else {
    reference::align(small, before, visible, frame, compensation, first, rows, state);
  }
  // At the device's motion, because half a pixel away other pixels are nearest.
  expect_light(bench, engine.rows().brightness(),
               rows.measured(small, before, visible, frame, result), "rows as measured");
  const auto same = [&](const Similarity &a, const Similarity &b, const char *what) {
    fail_unless(near(a, b, 0.02, 1e-4), "%s: (%g, %g, %g, %g), expected (%g, %g, %g, %g)", what,
                a.x, a.y, a.dilation, a.rotation, b.x, b.y, b.dilation, b.rotation);
  };
  same(result.fit.motion, state.fit.motion, "motion");
  same(result.frame_motion, state.frame_motion, "step");
  same(result.from_frame, state.from_frame, "from the frame");
  same(result.from_background, state.from_background, "from the background");
  const auto bends = [&](const cl_float2 &one, const cl_float2 &other, const char *what) {
    const float *a = one.s, *b = other.s;
    const float all = frame.radius * frame.radius;
    fail_unless(std::hypot(a[0] - b[0], a[1] - b[1]) * all < 0.05,
                "%s: (%g, %g), expected (%g, %g)", what, a[0] * all, a[1] * all, b[0] * all,
                b[1] * all);
  };
  fail_unless(std::abs(result.brightness - state.brightness) < 1, "light %g, expected %g",
              result.brightness, state.brightness);
  fail_unless(std::abs(result.brightness_peak - state.brightness_peak) < 1, "lag %g, expected %g",
              result.brightness_peak, state.brightness_peak);
  bends(result.fit.bend, state.fit.bend, "bend");
  bends(result.bend_frame, state.bend_frame, "that of the frame");
  bends(result.bend_background, state.bend_background, "of the background");
  fail_unless(std::abs(result.fit.gain - state.fit.gain) < 0.01 &&
                  std::abs(result.fit.offset - state.fit.offset) < 1,
              "light %g %g, expected %g %g", result.fit.gain, result.fit.offset, state.fit.gain,
              state.fit.offset);
  for (int i = 0; i < 4; i++)
    fail_unless(std::abs(result.path.s[i] - state.path.s[i]) < 0.02, "path %d: %g, expected %g", i,
                result.path.s[i], state.path.s[i]);
  fail_unless(result.frames == state.frames && result.model_empty == state.model_empty &&
              result.cut == state.cut);
  return result;
}

}  // namespace

// Subpixel motion is found to hundredths of a pixel from vectors that are half a pixel off.
TEST(test_alignment) {
  Bench bench;
  const int w = 161, h = 121;
  const Frame still = reference::textured_frame(w, h);
  const double degree = 3.14159265 / 180;
  for (const reference::Motion &motion : {reference::Motion{},
                                          {0.3, -0.4},
                                          {2.4, 1.3},
                                          {0.2, 0.1, 0.5 * degree},
                                          {0.4, -0.1, 0, 1.006},
                                          {3.2, -2.3, -0.4 * degree, 0.996}}) {
    CameraState state{};
    state.vector_motion = {std::round(float(motion.x)), std::round(float(motion.y)),
                           float(motion.zoom * std::cos(motion.angle) - 1),
                           float(motion.zoom * std::sin(motion.angle))};
    const Frame moved =
        reference::relit(reference::noisy(reference::textured_frame(w, h, motion), 2, 3), 0.9, 12);
    const CameraState result = aligned(bench, still, moved, Compensation::first_order_flow, state);
    const Similarity truth{float(motion.x), float(motion.y),
                           float(motion.zoom * std::cos(motion.angle) - 1),
                           float(motion.zoom * std::sin(motion.angle))};
    fail_unless(near(result.fit.motion, truth, 0.03, 5e-4), "(%g, %g, %g, %g) for (%g, %g, %g, %g)",
                result.fit.motion.x, result.fit.motion.y, result.fit.motion.dilation,
                result.fit.motion.rotation, truth.x, truth.y, truth.dilation, truth.rotation);
    fail_unless(std::abs(result.fit.gain - 0.9) < 0.02, "gain %g", result.fit.gain);
    aligned(bench, still, moved, Compensation::translation, state);
    aligned(bench, still, moved, Compensation::none, state);
  }
}

// Rolling bands of light are not taken for motion.
TEST(test_rows) {
  Bench bench;
  for (const auto &[w, h] : {std::array{161, 121}, {1, 1}, {90, 200}})
    for (float part : {0.0f, 0.6f, 1.0f})
      for (double noise : {0.0, 4.0}) {
        const Frame still = reference::textured_frame(w, h),
                    lit = reference::noisy(reference::rolling(still, 0.1, 1), noise, 5);
        const Similarity found =
            aligned(bench, still, lit, Compensation::first_order_flow, {}, false, part).fit.motion;
        if (part == 1 && w == 161)
          fail_unless(near(found, {}, 0.05, 1e-3), "(%g, %g)", found.x, found.y);
        // A plain frame that gets brighter.
        if (noise == 0)
          aligned(bench, reference::flat_frame(w, h), lit, Compensation::none, {}, false, part);
      }
}

namespace {

/// A frame with texture on the left and plain ground on the right, and the soft shadow of a cloud
/// at (x, 60).
Frame under_cloud(double x, const reference::Motion &motion = {}) {
  constexpr int w = 161, h = 121;
  Frame frame = reference::textured_frame(w, h, motion);
  for (int v = 0; v < h; v++)
    for (int u = 0; u < w; u++) {
      const double lit = 1 - 0.4 / (1 + std::exp((std::hypot(u - x, 1.4 * (v - 60)) - 35) / 8));
      for (int c = 0; c < 3; c++) {
        uint8_t &level = frame.at(u, v)[c];
        level = uint8_t(std::lround(lit * (u < 60 + motion.x ? level : 150)));
      }
    }
  return reference::noisy(frame, 1, unsigned(x));
}

}  // namespace

// The edge of a shadow moves over plain ground. Then texture alone shows the camera's motion.
TEST(test_shadow) {
  Bench bench;
  for (const double x : {70.0, 100.0, 130.0})
    for (const double step : {0.0, 0.3}) {
      const Similarity found = aligned(bench, under_cloud(x), under_cloud(x + 10, {step, 0}),
                                       Compensation::first_order_flow)
                                   .fit.motion;
      fail_unless(near(found, {float(step), 0, 0, 0}, 0.1, 2.5e-3), "%g: (%g, %g, %g, %g)", x,
                  found.x, found.y, found.dilation, found.rotation);
    }
}

// Wrong vectors do no harm if nothing moved or the camera moves on as before.
TEST(test_misled) {
  Bench bench;
  const Frame still = reference::textured_frame(160, 120);
  CameraState state{};
  state.vector_motion = {6, 5, 0, 0};
  fail_unless(near(aligned(bench, still, still, Compensation::first_order_flow, state).fit.motion,
                   {}, 0.02, 2e-4));
  state.frame_motion = {-3, 2, 0, 0};
  const Similarity found = aligned(bench, still, reference::textured_frame(160, 120, {-3.2, 2.1}),
                                   Compensation::first_order_flow, state)
                               .fit.motion;
  fail_unless(near(found, {-3.2f, 2.1f, 0, 0}, 0.03, 4e-4), "(%g, %g)", found.x, found.y);
}

// A plain frame gives no motion; the first frame and a cut restart; any size works.
TEST(test_edges) {
  Bench bench;
  CameraState state{};
  const Frame flat = reference::flat_frame(64, 48);
  fail_unless(
      near(aligned(bench, flat, flat, Compensation::first_order_flow).fit.motion, {}, 1e-4, 1e-6));
  state.path.s[0] = 3, state.frames = 9, state.from_frame = {0.3f, 0.2f, 0, 0};
  const CameraState first = aligned(bench, flat, flat, Compensation::first_order_flow, state, true);
  fail_unless(first.frames == 0 && first.model_empty && first.path.s[0] == 0);
  state.cut = 1;
  aligned(bench, flat, flat, Compensation::first_order_flow, state);
  for (const auto &[w, h] : {std::array{1, 1}, {2, 1}, {1, 9}, {17, 5}, {1000, 700}, {90, 130}})
    aligned(bench, reference::textured_frame(w, h), reference::textured_frame(w, h, {0.5, 0.3}),
            Compensation::first_order_flow);
}

// The vectors of blocks with texture match the reference, for any block size.
TEST(test_blocks) {
  Bench bench;
  for (const auto &[w, h] : {std::array{176, 144}, {33, 20}, {7, 5}})
    for (int block : {4, 8, 16, 32}) {
      glcl::motion::BlockMotion search(*bench.context, w, h, Layout::buffer);
      glcl::motion::BlockMotion::Settings settings;
      settings.block = block;
      settings.range = 4;
      settings.noise = 2;
      for (int i = 0; i < 2; i++)
        search.next(*bench.queue, settings,
                    bench.upload(
                        reference::crop(reference::natural_frame(w + 8, h + 8), 4 - 2 * i, 4, w, h),
                        Layout::buffer));
      glcl::camera::BlockVectors engine(*bench.context, w, h);
      engine.run(*bench.queue, search);
      List got(size_t(engine.count()));
      bench.queue->cl().enqueueReadBuffer(engine.list(), CL_TRUE, 0,
                                          got.size() * sizeof(CameraVector), got.data());
      const int columns = search.field().columns;
      std::vector<glcl::motion::Vector> field(size_t(columns) * search.field().rows);
      bench.queue->cl().enqueueReadBuffer(search.vectors(), CL_TRUE, 0, field.size() * 4,
                                          field.data());
      std::vector<uint8_t> bytes(search.current().bytes());
      bench.queue->cl().enqueueReadBuffer(search.current().buffer, CL_TRUE, 0, bytes.size(),
                                          bytes.data());
      const auto luma = [&](int x, int y) {
        return float(bytes[search.current().origin() + ptrdiff_t(y) * search.current().pitch + x]);
      };
      const List expected =
          reference::block_vectors(luma, w, h, field, search.field().cell, columns, 4);
      fail_unless(got.size() == expected.size(), "%zu vectors, expected %zu", got.size(),
                  expected.size());
      for (size_t i = 0; i < got.size(); i++)
        fail_unless(got[i] == expected[i],
                    "%d×%d, blocks of %d, number %zu: (%g, %g), expected (%g, %g)", w, h, block, i,
                    got[i][0], got[i][1], expected[i][0], expected[i][1]);
    }
}
