// SPDX-License-Identifier: LGPL-2.1-or-later
// The measurement of noise against its reference, and both against noise that is known.
#include "noise/noise.h"

#include <cmath>

#include "kernels/engine.h"
#include "kernels/limit.h"
#include "reference/noise/noise.h"
#include "reference/textured.h"

using glcl::noise::Noise;
using reference::NoiseTable;
using Texels = Noise::Texels;

namespace {

/// A plane with a border of 2 texels that repeats the edge.
struct Plane {
  Plane(int w, int h) : width(w), height(h), values(size_t(w) * h) {}
  float at(int x, int y) const {
    return values[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  int pitch() const { return width + 7; }
  int offset() const { return 2 * pitch() + 2; }

  template <class Value>
  cl::Buffer upload(Bench &bench) const {
    std::vector<Value> padded(size_t(pitch()) * (height + 4));
    for (int y = -2; y < height + 2; y++)
      for (int x = -2; x < width + 2; x++)
        padded[offset() + ptrdiff_t(y) * pitch() + x] = static_cast<Value>(at(x, y));
    return cl::Buffer(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      padded.size() * sizeof(Value), padded.data());
  }

  int width, height;
  std::vector<float> values;
};

Plane luma(const Frame &frame) {
  Plane plane(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      plane.values[size_t(y) * frame.width + x] = frame.at(x, y)[1];
  return plane;
}

/// Smoothed as Texels::grey or gaussian are.
Plane smooth(const Plane &in, Texels texels) {
  const float grey[] = {0, 1 / 8.0f, 6 / 8.0f, 1 / 8.0f, 0};
  const float gaussian[] = {0.0096200556f, 0.20542368f, 0.56991249f, 0.20542368f, 0.0096200556f};
  const float *taps = texels == Texels::grey ? grey : gaussian;
  Plane out(in.width, in.height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      float sum = 0;
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) sum += taps[i + 2] * taps[j + 2] * in.at(x + i, y + j);
      out.values[size_t(y) * in.width + x] = sum;
    }
  return out;
}

NoiseTable download(Bench &bench, const Noise &noise) {
  NoiseTable table;
  bench.queue->cl().enqueueReadBuffer(noise.variances(), CL_TRUE, 0, sizeof table, table.data());
  return table;
}

/// The device's measurement; it must match the reference within 2 %.
NoiseTable measured(Bench &bench, Texels texels, const Frame &first, const Frame &second) {
  Plane before = luma(first), after = luma(second);
  if (texels != Texels::luma) before = smooth(before, texels), after = smooth(after, texels);
  Noise noise(*bench.context, texels, before.width, before.height);
  const auto upload = [&](const Plane &plane) {
    return texels == Texels::luma ? plane.upload<uint8_t>(bench) : plane.upload<float>(bench);
  };
  const cl::Buffer from = upload(before), to = upload(after);
  noise.measure(*bench.queue, {from, before.pitch(), before.offset()},
                {to, after.pitch(), after.offset()});
  const NoiseTable result = download(bench, noise);
  const NoiseTable expected = reference::noise(
      texels, before.width, before.height, [&](int x, int y) { return before.at(x, y); },
      [&](int x, int y) { return after.at(x, y); });
  for (size_t i = 0; i < result.size(); i++)
    fail_unless(std::abs(result[i] - expected[i]) <= 0.02f * expected[i] + 1e-4f,
                "%d×%d, entry %zu: a variance of %g, expected %g", before.width, before.height, i,
                result[i], expected[i]);
  return result;
}

constexpr Texels kinds[] = {Texels::luma, Texels::grey,
                            Texels::gaussian};  // the loop index of the tests

}  // namespace

TEST_EACH(test_content, 0, 3) {
  Bench bench;
  const Texels texels = kinds[__i__];
  for (const auto &[w, h] : {std::array{1, 1}, {15, 40}, {16, 16}, {17, 35}, {161, 97}}) {
    measured(bench, texels, reference::random_frame(w, h, 1), reference::random_frame(w, h, 2));
    measured(bench, texels, reference::natural_frame(w, h),
             reference::noisy(reference::natural_frame(w, h), 3, 5));
    measured(bench, texels, reference::flat_frame(w, h), reference::flat_frame(w, h));
    measured(bench, texels, reference::gradient_frame(w, h), reference::flat_frame(w, h));
    measured(bench, texels, reference::textured_frame(w, h),
             reference::textured_frame(w, h, {3, 1}));
  }
}

// On a plain frame the measurement is within 8 % of the added noise.
TEST_EACH(test_level, 0, 3) {
  Bench bench;
  for (double level : {1.5, 2.0, 4.0, 8.0, 16.0}) {
    const Frame flat = reference::flat_frame(320, 240);
    const double found = std::sqrt(measured(bench, kinds[__i__], reference::noisy(flat, level, 1),
                                            reference::noisy(flat, level, 2))[0]);
    fail_unless(std::abs(found - level) <= 0.08 * level, "%g instead of %g", found, level);
  }
}

// By brightness, where it grows with that.
TEST_EACH(test_brightness, 0, 3) {
  Bench bench;
  const Frame ramp = [] {
    Frame frame(512, 256);
    for (int y = 0; y < 256; y++)
      for (int x = 0; x < 512; x++) std::fill_n(frame.at(x, y), 4, uint8_t(16 + x * 7 / 16));
    return frame;
  }();
  const NoiseTable table = measured(bench, kinds[__i__], reference::noisy(ramp, 6, 1, true),
                                    reference::noisy(ramp, 6, 2, true));
  for (int i = 1; i < 7; i++) {
    const double expected = 6 * std::sqrt((32 * i + 16) / 128.0), found = std::sqrt(table[1 + i]);
    fail_unless(std::abs(found - expected) <= 0.2 * expected, "band %d: %g instead of %g", i, found,
                expected);
  }
}

// Frames that change a little in patches larger than pixels: compression noise, within its bounds.
TEST_EACH(test_coding, 0, 3) {
  Bench bench;
  const auto patches = [](unsigned seed, int height) {
    Frame frame = reference::flat_frame(160, 128);
    for (int y = 0; y < 128; y++)
      for (int x = 0; x < 160; x++)
        *(frame.at(x, y) + 1) = uint8_t(100 + (x / 8 * 7 + y / 8 * 5 + seed * 11) % 3 * height);
    return frame;
  };
  const auto coding = [&](int height) {
    return measured(bench, kinds[__i__], patches(0, height),
                    patches(1, height))[1 + glcl::noise::NOISE_BANDS];
  };
  fail_unless(std::abs(coding(0) - 0.15) < 1e-6);
  fail_unless(coding(1) > 0.2 && coding(1) <= 0.5, "%g", coding(1));
  fail_unless(std::abs(coding(9) - 0.5) < 1e-6, "%g", coding(9));
}

// Neither static nor moving texture counts as noise.
TEST_EACH(test_texture, 0, 3) {
  Bench bench;
  const Frame still = reference::textured_frame(320, 240);
  const auto level = [&](const Frame &first, const Frame &second) {
    return std::sqrt(measured(bench, kinds[__i__], first, second)[0]);
  };
  fail_unless(level(still, still) < 0.01);
  fail_unless(level(still, reference::textured_frame(320, 240, {5, 3})) < 2);
  const double found = level(reference::noisy(still, 6, 1),
                             reference::noisy(reference::textured_frame(320, 240, {5, 3}), 6, 2));
  fail_unless(std::abs(found - 6) < 1, "%g instead of 6", found);
}

TEST_EACH(test_set, 0, 3) {
  Bench bench;
  Noise noise(*bench.context, kinds[__i__], 64, 48);
  noise.set(*bench.queue, 3);
  const NoiseTable table = download(bench, noise);
  for (int i = 0; i <= glcl::noise::NOISE_BANDS; i++) fail_unless(table[i] == 9);
  fail_unless(table[1 + glcl::noise::NOISE_BANDS] == 0);
}

// The measurement is the noise of the quietest squares, as if all squares had it.
TEST(test_quiet) {
  Bench bench;
  // The noise of a frame of 30 columns of squares, some of which are quiet.
  const auto level = [&](int quiet_columns) {
    Frame frames[2];
    for (unsigned i = 0; i < 2; i++) {
      const Frame flat = reference::flat_frame(480, 240);
      const Frame quiet = reference::noisy(flat, 2, i + 1);
      frames[i] = reference::noisy(flat, 12, i + 3);
      for (int y = 0; y < 240; y++)
        std::copy_n(quiet.at(0, y), 4 * 16 * quiet_columns, frames[i].at(0, y));
    }
    return std::sqrt(measured(bench, Texels::luma, frames[0], frames[1])[0]);
  };
  fail_unless(level(4) < 3, "a seventh of the squares is enough");
  fail_unless(level(2) > 8, "a fifteenth is too small");
}

namespace {

/// The flicker's state after a frame with these cells.
glcl::noise::Flicker flicker_after(Bench &bench, const glcl::noise::Flicker &counted) {
  const Plane flat = luma(reference::flat_frame(32, 32));
  Noise noise(*bench.context, Texels::luma, 32, 32);
  const cl::Buffer texels = flat.upload<uint8_t>(bench);
  const glcl::Plane plane{texels, flat.pitch(), flat.offset()};
  noise.measure(*bench.queue, plane, plane);  // the first one clears the flicker
  constexpr size_t offset = offsetof(glcl::noise::NoiseState, flicker);
  bench.queue->cl().enqueueWriteBuffer(noise.state(), CL_TRUE, offset, sizeof counted, &counted);
  noise.measure(*bench.queue, plane, plane);
  glcl::noise::Flicker result;
  bench.queue->cl().enqueueReadBuffer(noise.state(), CL_TRUE, offset, sizeof result, &result);
  return result;
}

}  // namespace

// The variance of flicker, and the moving cells that show a camera's motion and a pan.
TEST(test_flicker) {
  Bench bench;
  glcl::noise::Flicker counted{};
  counted.cells = 100, counted.histogram[4] = 20, counted.histogram[20] = 80;
  expect_number(flicker_after(bench, counted).variance, std::exp2((20 + 5.0 / 80) / 4 - 4),
                "FLICKER_PART");
  glcl::noise::Flicker before{};
  before.variance = 10;
  const double kept = flicker_after(bench, before).variance;
  fail_unless(std::abs(kept - 9.95) < 0.01, "FLICKER_DECAY: %g", kept);
  // The moving cells of 1000 from which a degree is above 0, and 1. The others rest or are unknown.
  const auto moving = [&](float glcl::noise::Flicker::*degree, bool known, bool full) {
    return limit(1, 1000, [&](float moved) {
      glcl::noise::Flicker cells{};
      cells.cells = 1000, cells.moved_cells = cl_uint(moved);
      cells.static_cells = known ? 1000 - cells.moved_cells : 0;
      const float value = flicker_after(bench, cells).*degree;
      return full ? value > 0.999f : value > 0;
    });
  };
  using glcl::noise::Flicker;
  expect_number(moving(&Flicker::camera_motion, false, false), 150, "LEAST_CAMERA");
  expect_number(moving(&Flicker::camera_motion, false, true), 300, "MOST_CAMERA");
  expect_number(moving(&Flicker::pan, true, false), 800, "LEAST_PANS");
  expect_number(moving(&Flicker::pan, true, true), 950, "MOST_PANS");
  expect_number(moving(&Flicker::pan, false, false), 250, "LEAST_MOVED_OF_ALL");
  expect_number(moving(&Flicker::pan, false, true), 400, "MOST_MOVED_OF_ALL");
}
