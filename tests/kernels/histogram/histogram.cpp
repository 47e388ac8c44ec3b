// SPDX-License-Identifier: LGPL-2.1-or-later
// The histogram in all its variants: bit for bit the counts of the scalar reference.
#include "histogram/histogram.h"

#include <climits>
#include <functional>
#include <random>

#include "film.h"
#include "kernels/engine.h"
#include "reference/histogram/histogram.h"

using glcl::Parameters;
using glcl::Rect;
using glcl::histogram::Histogram;
using Format = Histogram::Format;
using Mode = Histogram::Mode;
using Counts = std::vector<uint32_t>;

namespace {

constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the tests

std::vector<Format> formats() {
  std::vector<Format> all;
  for (const Mode mode : {Mode::luma, Mode::rgb, Mode::rgba})
    for (const int bins : {32, 64, 128, 256}) all.push_back({mode, bins});
  all.push_back({Mode::color_8});
  all.push_back({Mode::color_16});
  return all;
}

std::vector<Frame> frames(int width, int height) {
  return {reference::random_frame(width, height), reference::flat_frame(width, height),
          reference::gradient_frame(width, height), reference::natural_frame(width, height)};
}

Counts read(Bench &bench, const cl::Buffer &buffer, size_t count) {
  Counts counts(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_uint), counts.data());
  return counts;
}

Counts run(Bench &bench, Histogram &engine, const Frame &frame, Layout layout,
           const Rect &area = {}, int padding = 0) {
  const Picture in = bench.upload(frame, layout, padding);
  return read(bench, engine.run(*bench.queue, in, area), engine.format().counters());
}

void check_counts(const Counts &got, const Counts &expected, const std::string &what) {
  fail_unless(got.size() == expected.size(), "%s: %zu counters", what.c_str(), got.size());
  for (size_t i = 0; i < expected.size(); i++)
    fail_unless(got[i] == expected[i], "%s: counter %zu is %u, reference %u", what.c_str(), i,
                got[i], expected[i]);
}

std::string name(const Format &format, Layout layout, const Frame &frame) {
  return Histogram::problem(format, layout) + " of " + std::to_string(frame.width) + "×" +
         std::to_string(frame.height);
}

void check_settings_error(const std::function<void()> &work, const std::string &words) {
  try {
    work();
  } catch (const glcl::Error &error) {
    fail_unless(error.kind() == glcl::Error::Kind::settings, "not a settings error");
    fail_unless(std::string(error.what()).find(words) != std::string::npos, "\"%s\" lacks \"%s\"",
                error.what(), words.c_str());
    return;
  }
  fail("no error with \"%s\"", words.c_str());
}

}  // namespace

TEST_EACH(test_content, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  std::vector<Frame> all = frames(131, 67);
  for (const Frame &picture : film::pictures()) all.push_back(picture);
  for (const Format &format : formats())
    for (const Frame &frame : all) {
      Histogram engine(*bench.context, frame.width, frame.height, format, layout);
      for (int repeat = 0; repeat < 3; repeat++)
        check_counts(run(bench, engine, frame, layout), reference::histogram(frame, format),
                     name(format, layout, frame));
    }
}

TEST_EACH(test_sizes, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const int sizes[][2] = {{1, 1},    {1, 53},   {53, 1},  {2, 2},     {3, 5},
                          {4, 4},    {5, 31},   {17, 3},  {33, 17},   {128, 8},
                          {130, 65}, {2000, 1}, {1, 700}, {1023, 37}, {1024, 40}};
  for (const auto &[width, height] : sizes)
    for (const Mode mode : {Mode::luma, Mode::rgba, Mode::color_16})
      for (const int padding : {0, 1, 4}) {
        if (padding && layout == Layout::image) continue;
        const Frame frame = reference::natural_frame(width, height);
        Histogram engine(*bench.context, width, height, {mode}, layout);
        check_counts(run(bench, engine, frame, layout, {}, padding),
                     reference::histogram(frame, {mode}), name({mode}, layout, frame));
      }
}

// Every form, with one parameter changed at a time.
TEST_EACH(test_variants, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  // A frame of whole runs, half of it flat, and another frame.
  const Frame large = reference::natural_frame(197, 41);
  Frame whole = reference::gradient_frame(64, 64);
  std::fill_n(whole.rgba.begin(), whole.rgba.size() / 2, uint8_t(100));
  const Parameters plain = {{"form", Histogram::group},
                            {"copies", 4},
                            {"packed", 0},
                            {"merge", 0},
                            {"pixels", 4},
                            {"group", 64},
                            {"groups", 2}};
  const std::vector<Parameters> changes = {
      {},
      {{"copies", 1}},
      {{"copies", 3}},
      {{"merge", 1}},
      {{"merge", 1}, {"pixels", 8}},
      {{"pixels", 1}},
      {{"pixels", 2}},
      {{"pixels", 8}},
      {{"pixels", 16}},
      {{"group", 32}},
      {{"group", 256}, {"groups", 1}},
      {{"form", Histogram::global}},
      {{"form", Histogram::item}, {"group", 1}},
      {{"form", Histogram::item}, {"group", 1}, {"copies", 1}}};
  const std::vector<Parameters> packed = {
      {{"packed", 1}},
      {{"packed", 1}, {"copies", 15}, {"group", 256}},  // 30 KiB
      {{"packed", 1}, {"copies", 1}, {"merge", 1}}};
  for (const Format &format :
       {Format{Mode::luma, 64}, Format{Mode::rgb}, Format{Mode::rgba, 32}, Format{Mode::color_8}}) {
    const Counts of_large = reference::histogram(large, format),
                 of_whole = reference::histogram(whole, format);
    std::vector<Parameters> of_format = changes;
    if (format.channels() > 1) of_format.insert(of_format.end(), packed.begin(), packed.end());
    for (const Parameters &change : of_format) {
      Parameters p = change;
      p.insert(plain.begin(), plain.end());
      const std::string what = name(format, layout, large) + ", " + glcl::describe(p);
      Histogram engine(*bench.context, large.width, large.height, format, layout, 1, p);
      check_counts(run(bench, engine, large, layout), of_large, what);
      Histogram small(*bench.context, whole.width, whole.height, format, layout, 1, p);
      check_counts(run(bench, small, whole, layout), of_whole, what + ", whole runs");
    }
    check_settings_error(
        [&] {
          Parameters p = plain;
          p["copies"] = 100000;
          Histogram(*bench.context, 8, 8, format, layout, 1, p);
        },
        "copies=100000");
  }
}

// A result is valid until the next call but one.
TEST_EACH(test_results_of_two_calls, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const Format format{Mode::rgb};
  std::vector<Counts> all_expected;
  std::vector<Picture> pictures;
  for (const Frame &frame : frames(61, 33)) {
    all_expected.push_back(reference::histogram(frame, format));
    pictures.push_back(bench.upload(frame, layout));
  }
  Histogram engine(*bench.context, 61, 33, format, layout);
  const cl::Buffer *before = &engine.run(*bench.queue, pictures[0], {});
  for (size_t i = 1; i < pictures.size(); i++) {
    const cl::Buffer *now = &engine.run(*bench.queue, pictures[i], {});
    check_counts(read(bench, *before, all_expected[i - 1].size()), all_expected[i - 1],
                 "the one before");
    check_counts(read(bench, *now, all_expected[i].size()), all_expected[i], "the last");
    before = now;
  }
}

// Half a word counts to 65535: one group with one copy would overflow.
TEST_EACH(test_packed_counters_of_many_pixels, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const Frame frame = reference::flat_frame(1024, 700);
  const Parameters p = {{"form", Histogram::group},
                        {"copies", 1},
                        {"packed", 1},
                        {"merge", 0},
                        {"pixels", 4},
                        {"group", 64},
                        {"groups", 1}};
  Histogram engine(*bench.context, frame.width, frame.height, {Mode::rgba}, layout, 1, p);
  check_counts(run(bench, engine, frame, layout), reference::histogram(frame, {Mode::rgba}),
               "flat");
}

TEST_EACH(test_area, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const Frame frame = reference::natural_frame(90, 47);
  for (const Format &format : {Format{Mode::luma}, Format{Mode::rgb, 32}}) {
    Histogram engine(*bench.context, frame.width, frame.height, format, layout);
    for (const Rect &area : {Rect{0, 0, 1, 1}, Rect{89, 46, 1, 1}, Rect{0, 0, 90, 47},
                             Rect{7, 3, 33, 11}, Rect{8, 0, 16, 47}, Rect{1, 1, 88, 45}})
      check_counts(run(bench, engine, frame, layout, area),
                   reference::histogram(frame, format, area), "area");
    for (const Rect &area :
         {Rect{-1, 0, 5, 5}, Rect{0, -1, 5, 5}, Rect{86, 0, 5, 5}, Rect{0, 43, 5, 5},
          Rect{90, 0, 1, 1}, Rect{INT_MAX, 0, 1, 1}, Rect{1, 0, INT_MAX, 1},
          Rect{0, INT_MAX, 1, INT_MAX}, Rect{INT_MIN, INT_MIN, INT_MAX, INT_MAX}})
      check_settings_error([&] { run(bench, engine, frame, layout, area); }, "roi=<");
  }
}

TEST(test_clipped) {
  constexpr int most = INT_MAX, least = INT_MIN;
  const struct {
    Rect area, clipped;
  } cases[] = {
      {{}, {0, 0, 64, 48}},
      {{5, 6, 7, 8}, {5, 6, 7, 8}},
      {{0, 0, 64, 48}, {0, 0, 64, 48}},
      {{60, 40, 10, 10}, {60, 40, 4, 8}},
      {{-5, -5, 10, 10}, {0, 0, 5, 5}},
      {{63, 47, most, most}, {63, 47, 1, 1}},
      {{least, least, most, most}, {0, 0, 1, 1}},
      {{-most, 3, most, 2}, {0, 3, 1, 2}},
      {{1 - most, 3, most, 2}, {0, 3, 1, 2}},
      {{64, 0, most, 1}, {63, 0, 1, 1}},
      {{0, most, 1, most}, {0, 47, 1, 1}},
      {{most, 0, 1, 1}, {63, 0, 1, 1}},
      {{10, -20, 5, 20}, {10, 0, 5, 1}},
  };
  for (const auto &one : cases) {
    const Rect got = glcl::clipped(one.area, 64, 48);
    fail_unless(got == one.clipped, "<%d,%d,%d,%d> became <%d,%d,%d,%d>", one.area.x, one.area.y,
                one.area.width, one.area.height, got.x, got.y, got.width, got.height);
  }
}

// 32 bits per counter: a 4K frame of one colour, counted in each layout by its default form.
TEST_EACH(test_large_flat_frame, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const Frame frame = reference::flat_frame(3840, 2160);
  Histogram engine(*bench.context, frame.width, frame.height, {Mode::rgba}, layout);
  check_counts(run(bench, engine, frame, layout), reference::histogram(frame, {Mode::rgba}), "4K");
}

TEST(test_samples) {
  Bench bench;
  std::mt19937 next(3);
  struct Case {
    Format format;
    int values;
  };
  const Case cases[] = {{{Mode::grey_8, 256}, 256},         {{Mode::grey_8, 32}, 256},
                        {{Mode::grey_16, 4096, 12}, 4096},  {{Mode::grey_16, 1024, 10}, 1024},
                        {{Mode::grey_16, 4096, 16}, 65536}, {{Mode::grey_16, 256, 16}, 65536},
                        {{Mode::grey_16, 256, 12}, 65536},  {{Mode::grey_16, 2, 1}, 4}};
  const int width = 333, height = 29;
  for (const auto &[format, values] : cases)
    for (const bool ramp : {false, true}) {
      std::vector<uint16_t> samples(size_t(width) * height);
      for (size_t i = 0; i < samples.size(); i++)
        samples[i] = static_cast<uint16_t>(ramp ? i % values : next() % values);
      const std::vector<uint8_t> bytes(samples.begin(), samples.end());
      const bool wide = format.mode == Mode::grey_16;
      const cl::Buffer in(
          bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
          samples.size() * (wide ? 2 : 1),
          wide ? static_cast<void *>(samples.data()) : const_cast<uint8_t *>(bytes.data()));
      Histogram engine(*bench.context, width, height, format, Layout::buffer);
      check_counts(read(bench, engine.run(*bench.queue, in, width, 0, 1, {}), format.counters()),
                   reference::histogram(samples, format),
                   Histogram::problem(format, Layout::buffer));
    }
}

// Frames of a batch, with gaps between rows and frames.
TEST(test_batch) {
  Bench bench;
  const int width = 45, height = 13, pitch = 48, frame_pitch = pitch * height + 5, count = 7;
  const Format format{Mode::rgb, 64};
  std::vector<uint32_t> pixels(size_t(frame_pitch) * count, 0x01020304);
  Counts expected;
  for (int i = 0; i < count; i++) {
    const Frame frame =
        i % 2 ? reference::flat_frame(width, height) : reference::random_frame(width, height, i);
    for (int y = 0; y < height; y++)
      std::copy_n(frame.at(0, y), 4 * width,
                  reinterpret_cast<uint8_t *>(&pixels[size_t(i) * frame_pitch + y * pitch]));
    const Counts counts = reference::histogram(frame, format);
    expected.insert(expected.end(), counts.begin(), counts.end());
  }
  const cl::Buffer in(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      pixels.size() * 4, pixels.data());
  std::vector<Parameters> variants(
      1, Histogram::tunable().defaults(bench.context->device(),
                                       Histogram::problem(format, Layout::buffer)));
  variants.push_back({{"form", Histogram::group},
                      {"copies", 2},
                      {"packed", 1},
                      {"merge", 1},
                      {"pixels", 4},
                      {"group", 64},
                      {"groups", 1}});
  for (const Parameters &p : variants) {
    Histogram engine(*bench.context, width, height, format, Layout::buffer, count, p);
    for (int repeat = 0; repeat < 4; repeat++) {
      const cl::Buffer &out = engine.run(*bench.queue, in, pitch, frame_pitch, count, {});
      check_counts(read(bench, out, expected.size()), expected, "batch by " + glcl::describe(p));
    }
    check_settings_error([&] { engine.run(*bench.queue, in, pitch, frame_pitch, count + 1, {}); },
                         "frames");
  }
}

TEST(test_bad_formats) {
  Bench bench;
  for (const int bins : {-1, 0, 1, 3, 100, 255, 512})
    check_settings_error(
        [&] {
          Histogram(*bench.context, 8, 8, {Mode::rgb, bins}, Layout::buffer);
        },
        "bins=" + std::to_string(bins));
  check_settings_error(
      [&] {
        Histogram(*bench.context, 8, 8, {Mode::grey_16, 8192, 16}, Layout::buffer);
      },
      "bins=8192");
  check_settings_error([&] { Histogram(*bench.context, 8, 8, {Mode::grey_8}, Layout::image); },
                       "grey-8");
}
