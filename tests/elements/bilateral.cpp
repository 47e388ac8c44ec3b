// SPDX-License-Identifier: LGPL-2.1-or-later
// glclbilateral in pipelines against its reference in double precision.
#include "reference/bilateral/bilateral.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "pipeline.h"
#include "reference/bilateral/grid.h"
#if HAVE_CONTROLLER
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#endif

using glcl::bilateral::BilateralFilter;
using test::Chain;
using test::expect;
using test::expect_near;
using test::Frame;

namespace {

constexpr const char *weights[] = {"intensity", "color", "per-channel"};

void apply(GstElement *element, const BilateralFilter::Settings &settings) {
  g_object_set(element, "sigma-space", settings.sigma_space, "sigma-range", settings.sigma_range,
               "radius", settings.radius, "iterations", settings.iterations, "split",
               settings.split, "amount", 1.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "weight", weights[static_cast<int>(settings.weight)]);
  gst_util_set_object_arg(G_OBJECT(element), "method", "brute-force");
  gst_util_set_object_arg(G_OBJECT(element), "channels", "all");
}

std::string text(const Frame &frame, const BilateralFilter::Settings &settings) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) + ", weight " +
         weights[static_cast<int>(settings.weight)] + ", radius " +
         std::to_string(settings.radius) + ", iterations " + std::to_string(settings.iterations) +
         ", split " + std::to_string(settings.split);
}

void check(Chain &chain, const Frame &frame, const BilateralFilter::Settings &settings) {
  apply(chain["glclbilateral"], settings);
  expect_near(reference::bilateral(frame, settings), chain.filter(frame), 1, text(frame, settings));
}

/// A valid random value of any numeric, boolean or enum property.
void set_random(GstElement *element, GParamSpec *spec, std::mt19937 &random) {
  const double part = random() / 4294967296.0;
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    const auto *range = G_PARAM_SPEC_DOUBLE(spec);
    g_object_set(element, spec->name, range->minimum + part * (range->maximum - range->minimum),
                 nullptr);
  } else if (G_IS_PARAM_SPEC_INT(spec)) {
    const auto *range = G_PARAM_SPEC_INT(spec);
    const gint width = range->maximum - range->minimum + 1;
    g_object_set(element, spec->name, range->minimum + static_cast<gint>(part * width), nullptr);
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
    g_object_set(element, spec->name,
                 values->values[static_cast<guint>(part * values->n_values)].value, nullptr);
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_object_set(element, spec->name, part < 0.5, nullptr);
  }
}

/// Filters a frame until the grid is in use: the exact filter is used while the grid is built.
void await_grid(Chain &chain, const Frame &frame, const BilateralFilter::Settings &settings,
                const std::string &what) {
  const Frame exact = reference::bilateral(frame, settings);
  const Frame grid = reference::bilateral_grid(frame, settings);
  Frame out = chain.filter(frame);
  for (const gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;
       !test::near(grid, out, 1) && g_get_monotonic_time() < end; out = chain.filter(frame))
    expect_near(exact, out, 1, what + ", while the grid is built");
  expect_near(grid, out, 1, what);
}

}  // namespace

TEST(every_setting) {
  Chain chain("glclbilateral");
  for (int weight = 0; weight < 3; weight++)
    for (const int radius : {0, 1, 5})
      for (const int iterations : {1, 3})
        for (const double split : {0.0, 0.4, 1.0}) {
          BilateralFilter::Settings settings;
          settings.weight = static_cast<BilateralFilter::Weight>(weight);
          settings.radius = radius;
          settings.iterations = iterations;
          settings.split = split;
          settings.sigma_space = radius ? 3 : 1.4;
          settings.sigma_range = 0.2;
          check(chain, reference::random_frame(29, 23, 1 + weight), settings);
          check(chain, reference::gradient_frame(29, 23), settings);
        }
}

TEST(every_size) {
  Chain chain("glclbilateral");
  const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {17, 13}, {3, 65}, {131, 67}, {640, 480}};
  for (const auto &size : sizes)
    for (int weight = 0; weight < 3; weight++) {
      BilateralFilter::Settings settings;
      settings.weight = static_cast<BilateralFilter::Weight>(weight);
      settings.radius = size[0] > 200 ? 2 : 4;
      check(chain, reference::natural_frame(size[0], size[1]), settings);
    }
}

TEST(widest_frame) {
  Chain chain("glclbilateral");
  BilateralFilter::Settings settings;
  settings.radius = 3;
  check(chain, reference::random_frame(16384, 2), settings);
}

TEST(defaults_are_those_of_the_engine) {
  Chain chain("glclbilateral");
  const Frame frame = reference::natural_frame(80, 60);
  expect_near(reference::bilateral(frame, {}), chain.filter(frame), 1, "without any setting");
}

TEST(hairline) {
  Chain chain("glclbilateral split=0.5");
  const Frame in = reference::random_frame(64, 32), out = chain.filter(in);
  for (int y = 0; y < in.height; y++) {
    expect(std::equal(in.at(0, y), in.at(32, y), out.at(0, y)), "the left part is the input");
    const uint8_t *line = out.at(32, y);
    expect(line[0] == 255 && line[1] == 255 && line[2] == 255, "a white line ends it");
    expect(!std::equal(in.at(33, y), in.at(63, y), out.at(33, y)), "the right part is filtered");
  }
}

#if HAVE_CONTROLLER
TEST(controlled_property) {
  Chain chain("glclbilateral radius=2");
  GstElement *element = chain["glclbilateral"];
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
  auto *points = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  gst_timed_value_control_source_set(points, 0, 0.02);
  gst_timed_value_control_source_set(points, GST_SECOND, 1.0);
  expect(gst_object_add_control_binding(
             GST_OBJECT(element),
             gst_direct_control_binding_new(GST_OBJECT(element), "sigma-range", source)),
         "sigma-range can be controlled");
  gst_object_unref(source);

  BilateralFilter::Settings settings;
  settings.radius = 2;
  const Frame frame = reference::random_frame(40, 30);
  for (int i = 0; i < 25; i++) {  // 25 frames/s
    settings.sigma_range = 0.02 + 0.98 * i / 25;
    expect_near(reference::bilateral(frame, settings), chain.filter(frame), 1,
                "sigma-range " + std::to_string(settings.sigma_range));
  }
}
#endif

// The method changes from frame to frame. The exact filter is used where the grid would be slower.
// On CPUs auto chooses the grid for these larger sigmas, but not with colour weights or a radius.
TEST(methods) {
  Chain chain("glclbilateral");
  const Frame frame = reference::natural_frame(61, 47);
  BilateralFilter::Settings settings;
  settings.weight = BilateralFilter::Weight::intensity;
  for (const double sigma : {6.0, 0.5, 4.0}) {
    settings.sigma_space = sigma;
    apply(chain["glclbilateral"], settings);
    for (const std::string method : {"grid", "brute-force", "auto"}) {
      gst_util_set_object_arg(G_OBJECT(chain["glclbilateral"]), "method", method.c_str());
      const bool grid = method != "brute-force" && sigma >= 2;
      const std::string what = method + ", sigma-space " + std::to_string(sigma);
      if (grid)
        await_grid(chain, frame, settings, what);
      else
        expect_near(reference::bilateral(frame, settings), chain.filter(frame), 1, what);
    }
  }
  BilateralFilter::Settings by_colour = settings, with_radius = settings;
  by_colour.weight = BilateralFilter::Weight::color;
  with_radius.radius = 8;
  for (const BilateralFilter::Settings &exact : {by_colour, with_radius}) {
    apply(chain["glclbilateral"], exact);
    gst_util_set_object_arg(G_OBJECT(chain["glclbilateral"]), "method", "auto");
    expect_near(reference::bilateral(frame, exact), chain.filter(frame), 1, text(frame, exact));
  }
}

// All properties of two elements in a row set by another thread while frames pass.
TEST(properties_while_playing) {
  Chain chain("glclbilateral name=a ! glclbilateral name=b ! glclinvert");
  GstElement *elements[] = {chain["a"], chain["b"], chain["glclinvert"]};
  const Frame frame = reference::random_frame(12, 9);
  chain.filter(frame);

  std::atomic<bool> stop{false};
  std::atomic<int> changes{0};
  std::thread setter([&] {
    std::mt19937 random(3);
    while (!stop)
      for (GstElement *element : elements) {
        guint count = 0;
        GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
        for (guint i = 0; i < count; i++) {
          if (specs[i]->flags & GST_PARAM_MUTABLE_PLAYING) {
            set_random(element, specs[i], random);
            changes++;
          }
          if (specs[i]->flags & G_PARAM_READABLE) {
            GValue value = G_VALUE_INIT;
            g_object_get_property(G_OBJECT(element), specs[i]->name, &value);
            g_value_unset(&value);
          }
        }
        g_free(specs);
        g_usleep(1000);
      }
  });
  const gint64 end = g_get_monotonic_time() + 3 * G_USEC_PER_SEC;
  int frames = 0;
  while (g_get_monotonic_time() < end || frames < 5 || changes < 100) {
    chain.filter(frame);
    frames++;
  }
  stop = true;
  setter.join();
  test::expect_none(chain.messages().errors());

  BilateralFilter::Settings settings;
  settings.radius = 2;
  for (const char *name : {"a", "b"}) apply(chain[name], settings);
  g_object_set(elements[2], "strength", 1.0, nullptr);
  expect_near(test::inverted(reference::bilateral(reference::bilateral(frame, settings), settings)),
              chain.filter(frame), 2, "afterwards");
}
