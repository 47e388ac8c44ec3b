// SPDX-License-Identifier: LGPL-2.1-or-later
// Engines that read the luma of frames: its levels against the reference in double precision, and
// what they find against RGBA frames with the same levels.
#include "histogram/histogram.h"
#include "histogram/shots.h"
#include "histogram/shotvalues.h"
#include "hough/canny.h"
#include "kernels/planes.h"
#include "klt/pyramid.h"
#include "motion/plane.h"
#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "reference/histogram/histogram.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::histogram::Histogram;
using glcl::klt::Pyramids;
using glcl::opticalflow::Flow;
using glcl::opticalflow::LucasKanade;

static const Colorimetry limited{}, full{0.299, 0.114, true};

template <class T>
static std::vector<T> read(Bench &bench, const cl::Buffer &buffer, size_t count, size_t first = 0) {
  std::vector<T> values(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, first * sizeof(T), count * sizeof(T),
                                      values.data());
  return values;
}

/// True if a rounded value is that of a number, which single precision may put on either side of a
/// half.
static bool rounds_to(double number, int value) { return std::fabs(number - value) < 0.5005; }

TEST(test_motion_rounds_the_level) {
  Bench bench;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    for (const Colorimetry &colorimetry : {limited, full})
      for (const auto &[width, height] : {std::pair(1, 1), {37, 5}, {96, 64}}) {
        const PlanarFrame frame = random_planes(format, width, height, false);
        const FrameFormat access(layout, format, colorimetry);
        const auto plane = glcl::motion::make_plane(bench.context->cl(), width, height);
        glcl::motion::LumaConverter(*bench.context, access)
            .run(*bench.queue, upload(bench, frame, layout), plane);
        const auto levels = read<uint8_t>(bench, plane.buffer, plane.bytes());
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) {
            const double level = luma_level_at(frame, colorimetry, x, y);
            const int got = levels[plane.origin() + size_t(y) * plane.pitch + x];
            fail_unless(rounds_to(level, got), "%s: level %d at (%d, %d), reference %.3f",
                        format.name, got, x, y, level);
          }
      }
  });
}

static void check_histogram(Bench &bench, const Histogram::Format &format,
                            const PixelFormat &pixels, Layout layout,
                            const Colorimetry &colorimetry,
                            const std::optional<glcl::Parameters> &parameters = {}) {
  const FrameFormat access(layout, pixels, colorimetry);
  Histogram histogram(*bench.context, 96, 64, format, access, 1, parameters);
  const PlanarFrame frame = random_planes(pixels, 96, 64, false);
  const Picture picture = upload(bench, frame, layout);
  for (const glcl::Rect &area :
       {glcl::Rect{0, 0, 96, 64}, {0, 0, 96, 64}, {3, 5, 61, 31}, {95, 63, 1, 1}}) {
    const std::vector<cl_uint> expected = reference::histogram(frame, colorimetry, format, area);
    fail_unless(histogram.bytes() == expected.size() * sizeof(cl_uint));
    const auto got =
        read<cl_uint>(bench, histogram.run(*bench.queue, picture, area), expected.size());
    for (size_t i = 0; i < expected.size(); i++)
      fail_unless(got[i] == expected[i], "%s in %s, %s range: counter %zu is %u, reference %u",
                  format.values == Histogram::Levels::code ? "codes" : "levels", pixels.name,
                  colorimetry.full_range ? "full" : "limited", i, got[i], expected[i]);
  }
}

static Histogram::Format luma_format(Histogram::Levels values, int bins) {
  Histogram::Format format;
  format.values = values;
  format.bins = bins;
  return format;
}

TEST(test_histogram_counts_levels_codes_and_illegal_values) {
  Bench bench;
  using Levels = Histogram::Levels;
  for_luma(bench, [&](const PixelFormat &pixels, Layout layout) {
    for (const Colorimetry &colorimetry : {limited, full})
      for (const Levels values : {Levels::display, Levels::code})
        check_histogram(bench, luma_format(values, 256), pixels, layout, colorimetry);
  });
  const PixelFormat &ten_bits = *PixelFormat::find("P010_10LE");
  for (const Levels values : {Levels::display, Levels::code})
    for (const int bins : {2, 32})
      check_histogram(bench, luma_format(values, bins), ten_bits, Layout::buffer, limited);
}

// The copies of the counters in local memory, which may have room for fewer than the tuning says.
TEST(test_every_form_counts_illegal_values) {
  Bench bench;
  const auto fit = static_cast<int>(bench.context->device().local_memory() / 1024);
  int most = 1;
  while (2 * most <= std::min(fit, 64)) most *= 2;
  for (const auto &[form, copies] :
       {std::pair<int, int>(Histogram::item, 2), {Histogram::global, 1}, {Histogram::group, most}})
    for (const Histogram::Levels values : {Histogram::Levels::display, Histogram::Levels::code})
      check_histogram(bench, luma_format(values, 256), *PixelFormat::find("P010_10LE"),
                      Layout::buffer, limited,
                      glcl::Parameters{{"form", form},
                                       {"copies", copies},
                                       {"packed", 0},
                                       {"merge", 0},
                                       {"pixels", 4},
                                       {"group", form == Histogram::item ? 1 : 64},
                                       {"groups", 1}});
}

/// `engine_for (access)` returns a function that gives the level which an engine reads in a picture
/// of one value.
template <class EngineFor>
static void check_fractions(Bench &bench, const PixelFormat &format, Layout layout,
                            const EngineFor &engine_for) {
  for (const Colorimetry &colorimetry : {limited, full}) {
    const auto level_of = engine_for(FrameFormat(layout, format, colorimetry));
    for (int step = 1; step < 16; step += 3) {
      PlanarFrame frame(format, 40, 30);
      const int value = (1 << format.bits) * step / 16 + step;
      std::vector<uint16_t> &values = frame.planes[0].values;
      for (size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<uint16_t>(format.bits == 16 ? (i % 2 ? value >> 8 : value & 255)
                                                            : value << format.padding);
      const double level = luma_level_at(frame, colorimetry, 3, 3),
                   got = level_of(upload(bench, frame, layout));
      fail_unless(std::fabs(got - level) < 0.01, "%s: value %d is read as level %.3f, not %.3f",
                  format.name, value, got, level);
    }
  }
}

TEST(test_points_keep_fractions_of_a_level) {
  Bench bench;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    check_fractions(bench, format, layout, [&](const FrameFormat &access) {
      const auto pyramids = std::make_shared<Pyramids>(*bench.context, 40, 30, access);
      return [&bench, pyramids](const Picture &picture) {
        const cl::Buffer pyramid = pyramids->make();
        pyramids->build(*bench.queue, picture, 1, pyramid);
        const glcl::Plane plane = pyramids->plane(pyramid);
        return read<float>(bench, pyramid, 1, plane.offset + plane.pitch + 1)[0];
      };
    });
  });
}

TEST(test_flow_keeps_fractions_of_a_level) {
  Bench bench;
  check_fractions(
      bench, *PixelFormat::find("P010_10LE"), Layout::buffer, [&](const FrameFormat &access) {
        const auto flow =
            std::make_shared<Flow>(*bench.context, 40, 30, access, Flow::Channels::grey);
        return [&bench, flow](const Picture &picture) {
          flow->run(*bench.queue, {}, picture);
          const glcl::Plane plane = flow->after();
          return read<float>(bench, plane.texels, 1, plane.offset + plane.pitch + 1)[0];
        };
      });
}

/// The frame's levels as luma of the full range, and as RGBA.
struct SameLevels {
  SameLevels(const Frame &frame, const PixelFormat &format)
      : planar(format, frame.width, frame.height), rgba(frame.width, frame.height) {
    for (int i = 0; i < frame.width * frame.height; i++) {
      const uint8_t level = frame.rgba[4 * size_t(i)];
      planar.planes[0].values[i] = level;
      for (int channel = 0; channel < 4; channel++)
        rgba.rgba[4 * size_t(i) + channel] = channel < 3 ? level : 255;
    }
  }
  PlanarFrame planar;
  Frame rgba;
};

/// Runs an engine on two frames in both formats; `run` gives numbers of what it found.
template <class Run>
static void check_same(Bench &bench, const char *what, const Run &run) {
  const PixelFormat &nv12 = *PixelFormat::find("NV12");
  for (const auto &[width, height] : {std::pair(65, 47), {128, 96}}) {
    const SameLevels first(reference::natural_frame(width, height), nv12),
        second(reference::natural_frame(width + 3, height + 2), nv12);
    Frame moved(width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) std::copy_n(second.rgba.at(x + 3, y + 2), 4, moved.at(x, y));
    const SameLevels next(moved, nv12);
    const Layout layout = Layout::buffer;
    const auto luma = run(FrameFormat(layout, nv12, full), width, height,
                          upload(bench, first.planar, layout), upload(bench, next.planar, layout)),
               rgba = run(FrameFormat(layout), width, height, bench.upload(first.rgba, layout),
                          bench.upload(next.rgba, layout));
    fail_unless(!luma.empty() && luma == rgba, "%s: differs from RGBA, %d×%d px", what, width,
                height);
  }
}

TEST(test_full_range_finds_what_rgba_finds) {
  Bench bench;
  glcl::Context &context = *bench.context;
  glcl::Queue &queue = *bench.queue;
  check_same(
      bench, "canny",
      [&](const FrameFormat &access, int width, int height, const Picture &first, const Picture &) {
        glcl::hough::Canny canny(context, width, height, access);
        canny.run(queue, {4, 8, true}, first);
        return read<uint16_t>(bench, canny.edges(), size_t(width) * height);
      });
  check_same(
      bench, "cells",
      [&](const FrameFormat &access, int width, int height, const Picture &first, const Picture &) {
        using glcl::histogram::Shots;
        const cl::Buffer none(context.cl(), CL_MEM_READ_WRITE, Shots::counts * sizeof(cl_uint));
        queue.cl().enqueueFillBuffer(none, cl_uint(0), 0, Shots::counts * sizeof(cl_uint));
        glcl::histogram::ShotValues values(context, access, glcl::histogram::Shots::counts);
        (void)width, (void)height;
        return read<cl_uint>(bench, values.run(queue, first, none), Shots::values);
      });
  const auto vectors = [&](auto &engine, const auto &settings, const Picture &first,
                           const Picture &second) {
    engine.run(queue, settings, first);
    fail_unless(engine.run(queue, settings, second));
    return read<float>(bench, engine.field().vectors, 2 * size_t(first.width) * first.height);
  };
  check_same(bench, "flow",
             [&](const FrameFormat &access, int width, int height, const Picture &first,
                 const Picture &second) {
               Flow flow(context, width, height, access, Flow::Channels::census);
               return vectors(flow, Flow::Settings(), first, second);
             });
  check_same(bench, "Lucas and Kanade",
             [&](const FrameFormat &access, int width, int height, const Picture &first,
                 const Picture &second) {
               LucasKanade engine(context, width, height, access);
               return vectors(engine, LucasKanade::Settings(), first, second);
             });
}
