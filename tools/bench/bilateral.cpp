// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral/bilateral.h"

#include "bilateral/grid.h"
#include "bilateral/mix.h"
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

/// The exact filter and its mix with the input.
struct MixedFilter {
  MixedFilter(Context &context, const Scene &scene, const Parameters &variant, double part)
      : filter(context, scene.width, scene.height, variant),
        mix(context, scene.width, scene.height, filter.layout()),
        amount(part) {}
  Layout layout() const { return filter.layout(); }
  void run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out) {
    mix.run(queue, {amount}, in, out,
            [&](const Picture &to) { filter.run(queue, settings, in, to); });
  }

  BilateralFilter filter;
  bilateral::Mix mix;
  double amount;
};

Task mixed_task() {
  constexpr double amount = 0.5;
  const Settings settings = settings_of(Weight::color, 4);
  return {"color, radius 4, amount 0.5", nullptr, "",
          [=](Context &context, const Parameters &, const Scene &scene) {
            const Parameters variant =
                BilateralFilter::tunable().defaults(context.device(), "radius-4");
            const auto engine = std::make_shared<MixedFilter>(context, scene, variant, amount);
            engine->filter.prepare(settings);
            const auto expected = [=](const reference::Frame &frame, const Settings &wanted) {
              return reference::mixed(frame, reference::bilateral(frame, wanted), amount);
            };
            Amounts least = exact_amounts(scene, settings);
            least.bytes *= 2.5;  // the result is read again, with the input
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
  subject.tasks.push_back(mixed_task());
  for (double sigma : {8, 32}) subject.tasks.push_back(grid_task(Weight::intensity, sigma));
  subject.tasks.push_back(grid_task(Weight::per_channel, 8));

  for (int radius : {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32})
    subject.sweep.push_back(exact_task(Weight::intensity, radius));
  for (double sigma : {2, 3, 4, 6, 8, 10, 12, 16})
    subject.sweep.push_back(grid_task(Weight::intensity, sigma));
});

}  // namespace

}  // namespace glcl::bench
