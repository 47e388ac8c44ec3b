// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral/bilateral.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bilateral/grid.h"
#include "peers.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using Settings = Bilateral::Settings;
using Weight = Bilateral::Weight;

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

/// What the exact filter needs of any device: the frame in and out, and for each tap the exponent
/// (3 multiply-adds and the space weight's addition), its exp2, and 4 multiply-adds of the sums.
Amounts exact_amounts(const Scene &scene, const Settings &settings) {
  const double pixels = double(scene.width) * scene.height;
  const double side = 2.0 * Bilateral::radius(settings) + 1;
  const bool separate = settings.weight == Weight::per_channel;
  Amounts amounts;
  amounts.bytes = 8 * pixels;
  amounts.fma = pixels * side * side * (separate ? 12 : 7);
  amounts.exp2 = pixels * side * side * (separate ? 3 : 1);
  return amounts;
}

/// An engine that has `run (queue, settings, in, out)`, made ready for a scene.
template <class Engine, class Twin>
Run filter_run(Context &context, std::shared_ptr<Engine> engine, const Settings &settings,
               const Scene &scene, Twin twin, int tolerance, Amounts least) {
  const reference::Frame frame = scene.frame();
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, engine->layout());
  const Picture out = make_picture(context.cl(), frame.width, frame.height, engine->layout());
  Run run;
  run.enqueue = [=](Queue &queue) { engine->run(queue, settings, in, out); };
  run.compare = [=](Queue &queue) {
    engine->run(queue, settings, in, out);
    return compare_levels(reference::download(queue, out), twin(frame, settings), tolerance);
  };
  run.least = least;
  return run;
}

std::shared_ptr<Bilateral> prepared(std::shared_ptr<Bilateral> engine, const Settings &settings) {
  engine->prepare(settings);
  return engine;
}

Task exact_task(Weight weight, int radius) {
  const Settings settings = settings_of(weight, radius);
  const Tunable &tunable = Bilateral::tunable();
  return {weight_name(weight) + ", radius " + std::to_string(radius), &tunable,
          weight == Weight::color ? "radius-" + std::to_string(radius) : "",
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            return filter_run(
                context,
                prepared(std::make_shared<Bilateral>(context, scene.width, scene.height, variant),
                         settings),
                settings, scene, reference::bilateral, 1, exact_amounts(scene, settings));
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
            // Frame in, again for the look-up, and out; the cells are few beside them.
            least.bytes = 12.0 * scene.width * scene.height;
            least.launches = 4;
            return filter_run(context,
                              std::make_shared<Grid>(context, scene.width, scene.height, variant),
                              settings, scene, reference::bilateral_grid, 1, least);
          }};
}

// ---- the steps of the thesis -------------------------------------------------------------------

constexpr int ablation_radius = 4;

Settings ablation_settings(Weight weight) {
  Settings settings = settings_of(weight, ablation_radius, 0.25);
  settings.sigma_space = 2;
  return settings;
}

/// PSNR and the largest difference.
Agreement compare_loosely(const reference::Frame &result, const reference::Frame &twin) {
  double squares = 0;
  int worst = 0;
  for (size_t i = 0; i < twin.rgba.size(); i++) {
    const int difference = int(result.rgba[i]) - int(twin.rgba[i]);
    squares += difference * difference;
    worst = std::max(worst, std::abs(difference));
  }
  const double psnr = 10 * std::log10(255.0 * 255 * static_cast<double>(twin.rgba.size()) /
                                      std::max(squares, 1e-9));
  char text[64];
  std::snprintf(text, sizeof text, worst ? "%.1f dB, off by up to %d" : "equal", psnr, worst);
  return {true, text};
}

cl::Buffer constants(Context &context, std::vector<float> values) {
  return {context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
          values.data()};
}

Run thesis_run(Context &context, int step, const Scene &scene) {
  const Settings settings = ablation_settings(step == 1 ? Weight::per_channel : Weight::intensity);
  const double s = settings.sigma_space, r = settings.sigma_range;
  std::vector<float> space, range;
  for (int y = -ablation_radius; y <= ablation_radius; y++)
    for (int x = -ablation_radius; x <= ablation_radius; x++)
      space.push_back(static_cast<float>(std::exp(-(x * x + y * y) / (2 * s * s))));
  for (int i = 0; i <= 10; i++)
    range.push_back(static_cast<float>(std::exp(-i * i / 100.0 / (2 * r * r))));
  range.push_back(static_cast<float>(-1 / (2 * r * r)));

  const cl::Buffer space_table = constants(context, space), range_table = constants(context, range);
  const reference::Frame frame = scene.frame();
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, Layout::image);
  const Picture out = make_picture(context.cl(), frame.width, frame.height, Layout::image);
  auto kernel = std::make_shared<Kernel>(
      context,
      context.program("bench/ablation.cl", "-DSTEP=" + std::to_string(step) +
                                               " -DRADIUS=" + std::to_string(ablation_radius)),
      "ablation", Size{16, 16});
  const size_t rows = step >= 7 ? 4 : 1;
  Run run;
  run.enqueue = [=](Queue &queue) {
    (*kernel)(queue, {size_t(frame.width), (frame.height + rows - 1) / rows}, in.image, out.image,
              static_cast<float>(s), static_cast<float>(r), space_table, range_table);
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    return compare_loosely(reference::download(queue, out), reference::bilateral(frame, settings));
  };
  return run;
}

Run our_run(Context &context, Weight weight, const Scene &scene) {
  const Settings settings = ablation_settings(weight);
  const auto engine =
      prepared(std::make_shared<Bilateral>(context, scene.width, scene.height), settings);
  return filter_run(context, engine, settings, scene, reference::bilateral, 1,
                    exact_amounts(scene, settings));
}

Ablation thesis_ablation() {
  Ablation ablation{"9×9, sigma-space 2, sigma-range 0.25, step by step", {}};
  const char *steps[] = {"the equation, three weights", "one weight",
                         "constants from the host",     "range weights from a table",
                         "tile in local memory",        "loops unrolled",
                         "four pixels per item"};
  for (int i = 0; i < 7; i++)
    ablation.steps.push_back({steps[i], [i](Context &context, const Scene &scene) {
                                return thesis_run(context, i + 1, scene);
                              }});
  for (Weight weight : {Weight::intensity, Weight::color, Weight::per_channel})
    ablation.steps.push_back(
        {"ours, " + weight_name(weight), [weight](Context &context, const Scene &scene) {
           return our_run(context, weight, scene);
         }});
  return ablation;
}

}  // namespace

Subject bilateral_subject() {
  Subject subject;
  subject.element = "glclbilateral";
  for (int radius : {4, 10}) subject.tasks.push_back(exact_task(Weight::color, radius));
  for (Weight weight : {Weight::intensity, Weight::per_channel})
    subject.tasks.push_back(exact_task(weight, 4));
  for (double sigma : {8, 32}) subject.tasks.push_back(grid_task(Weight::intensity, sigma));
  subject.tasks.push_back(grid_task(Weight::per_channel, 8));

  for (int radius : {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32})
    subject.sweep.push_back(exact_task(Weight::intensity, radius));
  for (double sigma : {2, 3, 4, 6, 8, 10, 12, 16})
    subject.sweep.push_back(grid_task(Weight::intensity, sigma));
  subject.ablations.push_back(thesis_ablation());
  subject.peers = bilateral_peers();
  return subject;
}

}  // namespace glcl::bench
