// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral/bilateral.h"

#include <algorithm>

#include "bilateral/grid.h"
#include "bilateral/mix.h"
#include "opencl/transfer.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using bilateral::BilateralFilter;
using bilateral::Grid;
using Settings = BilateralFilter::Settings;
using Weight = BilateralFilter::Weight;

std::string weight_name(Weight weight) {
  const char *names[] = {"intensity", "color", "per-channel"};
  return names[static_cast<int>(weight)];
}

Settings settings_of(Weight weight, int radius, double sigma_range = 25.0 / 255) {
  Settings settings;
  settings.weight = weight;
  settings.radius = radius;
  settings.sigma_space = radius / 2.0;
  settings.sigma_range = sigma_range;
  return settings;
}

/// The least work of the exact filter on any device: the frame in and out, and for each tap the
/// exponent (3 multiply-adds and the addition of the space weight), its exp2, and 4 multiply-adds
/// of the sums.
Amounts exact_amounts(const Scene &scene, const Settings &settings) {
  const double pixels = double(scene.width) * scene.height;
  const double side = 2.0 * BilateralFilter::radius(settings) + 1;
  const bool separate = settings.weight == Weight::per_channel;
  Amounts amounts;
  amounts.bytes = 8 * pixels;
  amounts.fma = pixels * side * side * (separate ? 12 : 7);
  amounts.exp2 = pixels * side * side * (separate ? 3 : 1);
  return amounts;
}

/// Prepares an engine with `run (queue, settings, in, out)` for a scene.
template <class Engine, class Expected>
Run filter_run(Context &context, std::shared_ptr<Engine> engine, const Settings &settings,
               const Scene &scene, Expected expected, int tolerance, Amounts least) {
  const reference::Frame frame = scene.frame();
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, engine->layout());
  const Picture out = make_picture(context.cl(), frame.width, frame.height, engine->layout());
  Run run;
  run.enqueue = [=](Queue &queue) { engine->run(queue, settings, in, out); };
  run.compare = [=](Queue &queue) {
    engine->run(queue, settings, in, out);
    return compare_levels(reference::download(queue, out), expected(frame, settings), tolerance);
  };
  run.least = least;
  return run;
}

std::shared_ptr<BilateralFilter> prepared(std::shared_ptr<BilateralFilter> engine,
                                          const Settings &settings) {
  engine->prepare(settings);
  return engine;
}

Task exact_task(Weight weight, int radius) {
  const Settings settings = settings_of(weight, radius);
  const Tunable &tunable = BilateralFilter::tunable();
  return {
      weight_name(weight) + ", radius " + std::to_string(radius), &tunable,
      weight == Weight::color ? "radius-" + std::to_string(radius) : "",
      [=](Context &context, const Parameters &variant, const Scene &scene) {
        return filter_run(
            context,
            prepared(std::make_shared<BilateralFilter>(context, scene.width, scene.height, variant),
                     settings),
            settings, scene, reference::bilateral, 1, exact_amounts(scene, settings));
      }};
}

/// A mix and the mask that it may have: a ramp from black to white, of a quarter of the frame's
/// width and height.
struct Mixing {
  double amount = 1;
  Rect region{};
  bool masked = false;

  reference::Area area(const Scene &scene) const {
    reference::Area area;
    area.region = region;
    if (!masked) return area;
    area.mask_width = std::max(scene.width / 4, 1);
    area.mask_height = std::max(scene.height / 4, 1);
    for (int i = 0; i < area.mask_width * area.mask_height; i++)
      area.mask.push_back(static_cast<uint8_t>(255 * (i % area.mask_width) / area.mask_width));
    return area;
  }
};

/// The exact filter and its mix with the input.
struct MixedFilter {
  MixedFilter(Context &context, const Scene &scene, const Parameters &variant, const Mixing &mixing)
      : filter(context, scene.width, scene.height, variant),
        mix(context, scene.width, scene.height, filter.layout()),
        settings{mixing.amount, false, -1, mixing.region} {
    if (!mixing.masked) return;
    const reference::Area area = mixing.area(scene);
    mask = make_picture(context.cl(), area.mask_width, area.mask_height, Layout::buffer,
                        PlaneFormat::r8);
    write_picture(Queue(context.shared_from_this()).cl(), mask, area.mask.data(), 0, CL_TRUE);
    settings.mask = &mask;
  }
  Layout layout() const { return filter.layout(); }
  void run(Queue &queue, const Settings &wanted, const Picture &in, const Picture &out) {
    mix.run(queue, settings, in, out,
            [&](const Picture &to) { filter.run(queue, wanted, in, to); });
  }

  BilateralFilter filter;
  bilateral::Mix mix;
  bilateral::Mix::Settings settings;
  Picture mask;
};

/// The filter with a radius of 4 and a mix. `region`: the middle of the frame, half as wide and
/// high.
Task mixed_task(const std::string &name, double amount, bool region, bool masked) {
  return {"color, radius 4, " + name, nullptr, "",
          [=](Context &context, const Parameters &, const Scene &scene) {
            Settings settings = settings_of(Weight::color, 4);
            if (region)
              settings.region = {scene.width / 4, scene.height / 4, std::max(scene.width / 2, 1),
                                 std::max(scene.height / 2, 1)};
            const Mixing mixing{amount, settings.region, masked};
            const Parameters variant =
                BilateralFilter::tunable().defaults(context.device(), "radius-4");
            const auto engine = std::make_shared<MixedFilter>(context, scene, variant, mixing);
            engine->filter.prepare(settings);
            const auto expected = [=](const reference::Frame &frame, const Settings &wanted) {
              return reference::mixed(frame, reference::bilateral(frame, wanted), amount, 0, false,
                                      mixing.area(scene));
            };
            Amounts least = exact_amounts(scene, settings);
            const double part = region ? 0.25 : 1;
            least.fma *= part;
            least.exp2 *= part;
            // Both pictures are read and one is written, after the filter.
            least.bytes *= 1 + 1.5 * part;
            least.launches = 2;
            return filter_run(context, engine, settings, scene, expected, 1, least);
          }};
}

Task grid_task(Weight weight, double sigma_space) {
  Settings settings = settings_of(weight, 0);
  settings.sigma_space = sigma_space;
  return {"grid, " + weight_name(weight) + ", sigma-space " +
              std::to_string(static_cast<int>(sigma_space)),
          &Grid::tunable(), weight == Weight::intensity && sigma_space == 8 ? "intensity" : "",
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            Amounts least;
            // The frame is read twice (again for the look-up) and written once; cells are
            // negligible.
            least.bytes = 12.0 * scene.width * scene.height;
            least.launches = 4;
            return filter_run(context,
                              std::make_shared<Grid>(context, scene.width, scene.height, variant),
                              settings, scene, reference::bilateral_grid, 1, least);
          }};
}

const Registration registration("glclbilateral", [](Subject &subject) {
  for (int radius : {4, 10}) subject.tasks.push_back(exact_task(Weight::color, radius));
  for (Weight weight : {Weight::intensity, Weight::per_channel})
    subject.tasks.push_back(exact_task(weight, 4));
  subject.tasks.push_back(mixed_task("amount 0.5", 0.5, false, false));
  subject.tasks.push_back(mixed_task("roi of a quarter", 1, true, false));
  subject.tasks.push_back(mixed_task("mask", 1, false, true));
  for (double sigma : {8, 32}) subject.tasks.push_back(grid_task(Weight::intensity, sigma));
  subject.tasks.push_back(grid_task(Weight::per_channel, 8));

  for (int radius : {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32})
    subject.sweep.push_back(exact_task(Weight::intensity, radius));
  for (double sigma : {2, 3, 4, 6, 8, 10, 12, 16})
    subject.sweep.push_back(grid_task(Weight::intensity, sigma));
});

}  // namespace

}  // namespace glcl::bench
