// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reference/bilateral/bilateral.h"
#include "reference/transfer.h"
#include "steps.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using bilateral::BilateralFilter;
using Weight = BilateralFilter::Weight;

/// PSNR and the largest difference.
std::string distance(const reference::Frame &result, const reference::Frame &exact) {
  double squares = 0;
  int worst = 0;
  for (size_t i = 0; i < exact.rgba.size(); i++) {
    const int difference = int(result.rgba[i]) - int(exact.rgba[i]);
    squares += difference * difference;
    worst = std::max(worst, std::abs(difference));
  }
  if (!worst) return "equal";
  char text[64];
  std::snprintf(text, sizeof text, "%.1f dB, off by up to %d",
                10 * std::log10(255.0 * 255 * static_cast<double>(exact.rgba.size()) / squares),
                worst);
  return text;
}

/// Good as far as it is within a level of what it should compute; says how far that is from the
/// exact filter.
Agreement agreement(const reference::Frame &result, const reference::Frame &expected,
                    const reference::Frame &exact) {
  return {within_a_level(result, expected), distance(result, exact)};
}

/// Work of `run (queue, in, out)`.
template <class Work>
Run image_run(Context &context, const Scene &scene, Layout layout, Work work,
              const std::function<Agreement(const reference::Frame &result,
                                            const reference::Frame &frame)> &compare) {
  const reference::Frame frame = scene.frame();
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const Picture out = make_picture(context.cl(), frame.width, frame.height, layout);
  Run run;
  run.enqueue = [=](Queue &queue) { work(queue, in, out); };
  run.compare = [=](Queue &queue) {
    work(queue, in, out);
    return compare(reference::download(queue, out), frame);
  };
  return run;
}

Run step_run(Context &context, BilateralSteps::Step step, const Scene &scene) {
  return image_run(
      context, scene, Layout::image,
      [engine = std::make_shared<BilateralSteps>(context, step)](
          Queue &queue, const Picture &in, const Picture &out) { engine->run(queue, in, out); },
      [step](const reference::Frame &result, const reference::Frame &frame) {
        return agreement(result, BilateralSteps::reference(frame, step),
                         reference::bilateral(frame, BilateralSteps::settings(step)));
      });
}

Run our_run(Context &context, Weight weight, const Scene &scene) {
  auto settings = BilateralSteps::settings(BilateralSteps::equation);
  settings.weight = weight;
  const auto engine = std::make_shared<BilateralFilter>(context, scene.width, scene.height);
  engine->prepare(settings);
  return image_run(
      context, scene, engine->layout(),
      [=](Queue &queue, const Picture &in, const Picture &out) {
        engine->run(queue, settings, in, out);
      },
      [settings](const reference::Frame &result, const reference::Frame &frame) {
        const reference::Frame exact = reference::bilateral(frame, settings);
        return agreement(result, exact, exact);
      });
}

Ablation step_by_step() {
  Ablation ablation{"9×9, sigma-space 2, sigma-range 0.25, step by step", {}, {}};
  const char *names[] = {"the equation, three weights",
                         "native division",
                         "one weight",
                         "constants from the host",
                         "range weights from a table",
                         "tile in local memory",
                         "loops unrolled",
                         "four pixels per item"};
  for (int step = BilateralSteps::equation; step <= BilateralSteps::last; step++)
    ablation.steps.push_back({names[step - 1], [step](Context &context, const Scene &scene) {
                                return step_run(context, BilateralSteps::Step(step), scene);
                              }});
  for (const auto &[name, weight] : {std::pair{"ours, intensity", Weight::intensity},
                                     {"ours, color", Weight::color},
                                     {"ours, per-channel", Weight::per_channel}})
    ablation.steps.push_back({name, [weight = weight](Context &context, const Scene &scene) {
                                return our_run(context, weight, scene);
                              }});
  return ablation;
}

const Registration registration("glclbilateral", [](Subject &subject) {
  subject.ablations.push_back(step_by_step());
});

}  // namespace

}  // namespace glcl::research
