// SPDX-License-Identifier: LGPL-2.1-or-later
// The amount and the channels of glclbilateral, in pipelines.
#include <algorithm>
#include <cmath>

#include "planarchain.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"
#if HAVE_CONTROLLER
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#endif

using glcl::PixelFormat;
using glcl::bilateral::BilateralFilter;
using reference::PlanarFrame;
using test::Chain;
using test::expect;
using test::expect_near;
using test::expect_same;
using test::Frame;
using test::PlanarChain;

namespace {

constexpr const char *formats[] = {"NV12", "I420", "GRAY8", "P010_10LE", "GRAY16_LE"};

const PixelFormat &format_of(const std::string &name) {
  for (const PixelFormat *format : PixelFormat::all())
    if (format->name == name) return *format;
  expect(false, "there is no format " + name);
  return PixelFormat::rgba;
}

/// A ramp with noise in every plane.
PlanarFrame noisy_planes(const PixelFormat &format, int width, int height) {
  PlanarFrame frame(format, width, height);
  unsigned seed = 1;
  for (PlanarFrame::Plane &plane : frame.planes)
    for (size_t i = 0; i < plane.values.size(); i++) {
      seed = seed * 1664525 + 1013904223;
      const bool low_byte = format.bits == 16 && i % 2 == 0;
      const auto level = static_cast<int>(90 + 40 * (i % plane.width) / plane.width + (seed >> 28));
      plane.values[i] = static_cast<uint16_t>(low_byte            ? seed >> 12 & 255
                                              : format.bits == 10 ? 256 * level
                                                                  : level);
    }
  return frame;
}

/// The values of a plane in levels. In GRAY16 a value is two bytes, the low one first.
std::vector<double> levels(const PlanarFrame &frame, size_t plane) {
  const std::vector<uint16_t> &values = frame.planes[plane].values;
  std::vector<double> levels;
  for (size_t i = 0; i < values.size(); i++)
    if (frame.format->bits != 16)
      levels.push_back(values[i] / (frame.format->bits == 10 ? 256.0 : 1.0));
    else if (i % 2)
      levels.push_back(values[i] + values[i - 1] / 256.0);
  return levels;
}

PlanarFrame pass(const std::string &settings, const PlanarFrame &in) {
  return PlanarChain("glclbilateral method=brute-force radius=3 sigma-range=0.2 " + settings,
                     *in.format, "bt709")
      .filter(in);
}

}  // namespace

// Beside iterations and a split view, by both methods.
TEST(every_setting) {
  const Frame frame = reference::natural_frame(61, 47);
  for (const int iterations : {1, 3})
    for (const double split : {0.0, 0.4}) {
      BilateralFilter::Settings settings;
      settings.weight = BilateralFilter::Weight::intensity;
      settings.iterations = iterations;
      settings.split = split;
      const Frame filtered = reference::bilateral(frame, settings);
      Chain chain("glclbilateral method=brute-force weight=intensity");
      g_object_set(chain["glclbilateral"], "iterations", iterations, "split", split, nullptr);
      for (const double amount : {0.5, 1.0, 0.25, 0.0, 0.75}) {
        g_object_set(chain["glclbilateral"], "amount", amount, nullptr);
        expect_near(reference::mixed(frame, filtered, amount, split), chain.filter(frame), 1,
                    "amount " + std::to_string(amount) + ", split " + std::to_string(split) +
                        ", iterations " + std::to_string(iterations));
      }
    }
}

TEST(by_the_grid) {
  const Frame frame = reference::natural_frame(61, 47);
  BilateralFilter::Settings settings;
  settings.weight = BilateralFilter::Weight::intensity;
  settings.sigma_space = 6;
  Chain chain("glclbilateral method=grid weight=intensity sigma-space=6 amount=0.6");
  expect_near(reference::mixed(frame, reference::bilateral_grid(frame, settings), 0.6),
              chain.filter(frame), 1, "a start with this amount");
  g_object_set(chain["glclbilateral"], "amount", 1.0, nullptr);
  expect_near(reference::bilateral_grid(frame, settings), chain.filter(frame), 1, "all of it");
}

// The buffer of the input passes on, and its pixels stay in every format.
TEST(nothing_of_it) {
  Chain chain("glclbilateral amount=0");
  std::vector<GstMemory *> seen[2];
  const char *const names[] = {"sink", "src"};
  for (int i = 0; i < 2; i++) {
    GstPad *pad = gst_element_get_static_pad(chain["glclbilateral"], names[i]);
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *info, gpointer list) {
          static_cast<std::vector<GstMemory *> *>(list)->push_back(
              gst_buffer_peek_memory(GST_PAD_PROBE_INFO_BUFFER(info), 0));
          return GST_PAD_PROBE_OK;
        },
        &seen[i], nullptr);
    gst_object_unref(pad);
  }
  const Frame frame = reference::random_frame(33, 21);
  for (int i = 0; i < 3; i++) expect_same(frame, chain.filter(frame), "nothing of the filter");
  expect(seen[0].size() == 3 && seen[0] == seen[1], "the texture passes on");
  g_object_set(chain["glclbilateral"], "amount", 1.0, nullptr);
  expect_near(reference::bilateral(frame, {}), chain.filter(frame), 1, "all of it");
  expect(seen[0].back() != seen[1].back(), "a filtered frame is another texture");
  test::expect_none(chain.messages().errors());
  for (const char *name : formats) {
    const PlanarFrame in = noisy_planes(format_of(name), 38, 22);
    for (const char *settings : {"amount=0", "amount=0 split=0.01"}) {
      const PlanarFrame out = pass(settings, in);
      for (size_t i = 0; i < in.planes.size(); i++)
        expect(out.planes[i].values == in.planes[i].values,
               std::string(name) + " with " + settings + ", plane " + std::to_string(i));
    }
  }
}

// A part of the way from the input to the filtered frame, up to the rounding of RGB.
TEST(every_format) {
  for (const char *name : formats) {
    const PlanarFrame in = noisy_planes(format_of(name), 38, 22), whole = pass("", in),
                      part = pass("amount=0.3", in);
    const PlanarFrame all = pass("amount=1", in);
    const double step = in.format->bits == 8 ? 2.6 : in.format->bits == 10 ? 0.4 : 0.02;
    for (size_t i = 0; i < in.planes.size(); i++) {
      expect(all.planes[i].values == whole.planes[i].values, "amount=1 is the default");
      const std::vector<double> from = levels(in, i), to = levels(whole, i), got = levels(part, i);
      double change = 0;
      for (size_t k = 0; k < from.size(); k++) {
        change += std::fabs(to[k] - from[k]) / double(from.size());
        expect(std::fabs(got[k] - (from[k] + 0.3 * (to[k] - from[k]))) <= step,
               std::string(name) + ", plane " + std::to_string(i) + ": " + std::to_string(from[k]) +
                   " to " + std::to_string(to[k]) + " gives " + std::to_string(got[k]));
      }
      expect(change > (i ? 0.2 : 2), "the filter changes plane " + std::to_string(i));
    }
  }
}

// Of RGB, the change of brightness is added to each channel; beside an amount and a split view.
TEST(brightness_of_rgb) {
  const Frame frame = reference::natural_frame(61, 47);
  for (const double split : {0.0, 0.4})
    for (const double amount : {1.0, 0.5, 0.0}) {
      BilateralFilter::Settings settings;
      settings.split = split;
      Chain chain("glclbilateral method=brute-force channels=luma");
      g_object_set(chain["glclbilateral"], "amount", amount, "split", split, nullptr);
      const Frame filtered = reference::bilateral(frame, settings);
      expect_near(reference::mixed(frame, filtered, amount, split, true), chain.filter(frame), 1,
                  "amount " + std::to_string(amount) + ", split " + std::to_string(split));
      gst_util_set_object_arg(G_OBJECT(chain["glclbilateral"]), "channels", "all");
      expect_near(reference::mixed(frame, filtered, amount, split), chain.filter(frame), 1,
                  "all channels again");
    }
}

// The luma is that of the filtered frame, and each chroma sample stays, but under the hairline.
TEST(luma_of_planes) {
  for (const char *name : formats)
    for (const char *more : {"", "amount=0.4 ", "split=0.5 "}) {
      const PlanarFrame in = noisy_planes(format_of(name), 38, 22), all = pass(more, in),
                        luma = pass(more + std::string("channels=luma"), in);
      expect(luma.planes[0].values == all.planes[0].values, std::string(name) + ", " + more);
      const bool splits = std::string(more).rfind("split", 0) == 0;
      for (size_t i = 1; i < in.planes.size(); i++) {
        const PlanarFrame::Plane &plane = in.planes[i];
        const int row = plane.width * plane.channels;
        for (size_t k = 0; k < plane.values.size(); k++) {
          const bool line = splits && static_cast<int>(k) % row / plane.channels == 19 / 2;
          expect(luma.planes[i].values[k] == (line ? all : in).planes[i].values[k],
                 std::string(name) + ", " + more + "plane " + std::to_string(i) + ", sample " +
                     std::to_string(k));
        }
        expect(all.planes[i].values != plane.values, "all channels change chroma");
      }
    }
}

#if HAVE_CONTROLLER
TEST(controlled) {
  Chain chain("glclbilateral radius=2");
  GstElement *element = chain["glclbilateral"];
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
  auto *points = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  gst_timed_value_control_source_set(points, 0, 0.0);
  gst_timed_value_control_source_set(points, GST_SECOND, 1.0);
  expect(gst_object_add_control_binding(
             GST_OBJECT(element),
             gst_direct_control_binding_new(GST_OBJECT(element), "amount", source)),
         "amount can be controlled");
  gst_object_unref(source);
  BilateralFilter::Settings settings;
  settings.radius = 2;
  const Frame frame = reference::random_frame(40, 30);
  const Frame filtered = reference::bilateral(frame, settings);
  for (int i = 0; i < 27; i++) {  // 25 frames/s
    const double amount = std::min(i / 25.0, 1.0);
    expect_near(reference::mixed(frame, filtered, amount), chain.filter(frame), 1,
                "amount " + std::to_string(amount));
  }
}
#endif
