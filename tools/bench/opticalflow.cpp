// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <cstdio>

#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "reference/flow.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using Channels = Flow::Channels;

/// Good where 99.9 % of the vectors are within 0.01 px, or a thousandth of their length.
Agreement compare_fields(const reference::Field &result, const reference::Field &twin) {
  size_t off = 0;
  for (size_t i = 0; i < twin.confidence.size(); i++) {
    const double x = twin.vectors[2 * i], y = twin.vectors[2 * i + 1];
    const double error = std::hypot(result.vectors[2 * i] - x, result.vectors[2 * i + 1] - y);
    off += !(error <= 0.01 + 0.001 * std::hypot(x, y));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2g %% off by over 0.01 px",
                100.0 * static_cast<double>(off) / static_cast<double>(twin.confidence.size()));
  return {off * 1000 <= twin.confidence.size(), text};
}

/// Two frames in turn; every run takes the next one and finds the flow to it.
template <class Engine, class Settings, class Twin>
Run flow_run(Context &context, std::shared_ptr<Engine> engine, const Settings &settings,
             const Scene &scene, Twin twin, Amounts least) {
  const reference::Frame before = scene.frame(0), after = scene.frame(1);
  Queue upload_queue(context.shared_from_this());
  const Picture frames[] = {reference::upload(upload_queue, before, engine->layout()),
                            reference::upload(upload_queue, after, engine->layout())};
  engine->run(upload_queue, settings, frames[0]);
  upload_queue.cl().finish();
  Run run;
  run.enqueue = [=, next = 1](Queue &queue) mutable {
    engine->run(queue, settings, frames[next]);
    next = 1 - next;
  };
  run.compare = [=](Queue &queue) {
    engine->reset();
    engine->run(queue, settings, frames[0]);
    engine->run(queue, settings, frames[1]);
    return compare_fields(reference::download(queue, engine->field()),
                          twin(before, after, settings));
  };
  run.least = least;
  return run;
}

/// Each pixel of each warp on its lattice: greys, vectors and tensors once in, vectors out.
Amounts flow_amounts(const Scene &scene, const Flow::Settings &settings) {
  const double warped = 4.0 / 3 * ((settings.warps - 1) / 4.0 + 1);
  Amounts amounts;
  amounts.bytes = double(scene.width) * scene.height * (4 + 36 * warped);
  amounts.launches = settings.warps * Flow::automatic_levels(scene.width, scene.height);
  return amounts;
}

Task flow_task(const std::string &name, Channels channels, const std::string &problem,
               const Flow::Settings &settings) {
  return {
      name, &Flow::tunable(), problem,
      [=](Context &context, const Parameters &variant, const Scene &scene) {
        const auto other = [&](const std::string &of) {
          return problem == of ? variant : tuned(Flow::tunable(), context.device(), of);
        };
        return flow_run(
            context,
            std::make_shared<Flow>(context, scene.width, scene.height, layout_for(context.device()),
                                   channels, other("coarse"), other("dense")),
            settings, scene,
            [channels](const reference::Frame &before, const reference::Frame &after,
                       const Flow::Settings &settings) {
              return reference::flow(before, after, channels, settings);
            },
            flow_amounts(scene, settings));
      }};
}

Run lucas_kanade_run(Context &context, LucasKanade::Form form, const Scene &scene) {
  Amounts least;  // the frame and the older grey in, the newer grey and the vectors out
  least.bytes = 24.0 * scene.width * scene.height;
  return flow_run(context,
                  std::make_shared<LucasKanade>(context, scene.width, scene.height,
                                                layout_for(context.device()), form),
                  LucasKanade::Settings(), scene, reference::lucas_kanade, least);
}

}  // namespace

Subject opticalflow_subject() {
  Subject subject;
  subject.element = "glopenclflow";
  subject.tasks.push_back(flow_task("pyramidal, last warps", Channels::grey, "dense", {}));
  subject.tasks.push_back(flow_task("pyramidal, first warps", Channels::grey, "coarse", {}));
  subject.tasks.push_back(flow_task("census", Channels::census, "", {}));
  for (int window : {9, 31, 63}) {
    Flow::Settings settings;
    settings.window = window;
    subject.sweep.push_back(
        flow_task("window " + std::to_string(window), Channels::grey, "", settings));
  }

  Ablation ablation{"Lucas and Kanade 9×9, step by step", {}};
  using Form = LucasKanade::Form;
  const std::pair<const char *, Form> steps[] = {
      {"five kernels", Form::naive},
      {"tile in local memory", Form::local},
      {"coefficients in constant memory", Form::constant},
      {"native division", Form::native},
      {"kernels merged", Form::merged},
      {"ours, running sums", Form::separable},
      {"ours, in one kernel", Form::fused}};
  for (const auto &[name, form] : steps)
    ablation.steps.push_back({name, [form = form](Context &context, const Scene &scene) {
                                return lucas_kanade_run(context, form, scene);
                              }});
  subject.ablations.push_back(ablation);
  return subject;
}

}  // namespace glcl::bench
