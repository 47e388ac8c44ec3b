// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "fields.h"
#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "opticalflow/preset.h"
#include "reference/opticalflow/flow.h"
#include "reference/opticalflow/signatures.h"
#include "reference/transfer.h"

namespace glcl::bench {

namespace {

using opticalflow::Flow;
using opticalflow::LucasKanade;
using opticalflow::Signatures;
using Channels = Flow::Channels;

/// Alternates between two frames; every run computes the flow to the next one.
template <class Engine, class Settings, class Expected>
Run flow_run(Context &context, std::shared_ptr<Engine> engine, const Settings &settings,
             const Scene &scene, Expected expected, Amounts least) {
  const reference::Frame before = scene.frame(0), after = scene.frame(1);
  Queue upload_queue(context.shared_from_this());
  const Picture frames[] = {reference::upload(upload_queue, before, engine->layout()),
                            reference::upload(upload_queue, after, engine->layout())};
  if constexpr (std::is_same_v<Engine, Flow>) engine->prepare(settings);
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
    return compare_fields(reference::opticalflow::download(queue, engine->field()),
                          expected(before, after, settings));
  };
  run.least = least;
  return run;
}

/// For each warp and pixel of its lattice: greys, vectors and tensors read once, vectors written.
Amounts flow_amounts(const Scene &scene, const Flow::Settings &settings) {
  const double warped = 4.0 / 3 * (settings.warps / 4.0 + 1);
  Amounts amounts;
  amounts.bytes = double(scene.width) * scene.height * (4 + 36 * warped);
  amounts.launches = settings.warps * Flow::automatic_levels(scene.width, scene.height) + 1;
  if (settings.refinement) {
    // A step reads flow, census and grey and writes flow and matches; a mean reads flow, grey and
    // matches and writes flow. On the finest level the last one reads census and confidence too.
    using opticalflow::Refinement;
    double area = 1;
    for (int level = 0; level < Refinement::levels; level++, area /= 4) {
      amounts.bytes += double(scene.width) * scene.height * area * settings.refinement * (32 + 24);
      amounts.launches += 2 * settings.refinement;
    }
    amounts.bytes += double(scene.width) * scene.height * 24;
  }
  return amounts;
}

Task flow_task(const std::string &name, Channels channels, const std::string &problem,
               const Flow::Settings &settings) {
  return {
      name, &Flow::tunable(), problem,
      [=](Context &context, const Parameters &variant, const Scene &scene) {
        const auto other = [&](const std::string &of) {
          return problem == of ? variant : tuned_parameters(Flow::tunable(), context.device(), of);
        };
        return flow_run(
            context,
            std::make_shared<Flow>(context, scene.width, scene.height, layout_for(context.device()),
                                   channels, other("coarse"), other("dense")),
            settings, scene,
            [channels](const reference::Frame &before, const reference::Frame &after,
                       const Flow::Settings &settings) {
              return reference::opticalflow::flow(before, after, channels, settings);
            },
            flow_amounts(scene, settings));
      }};
}

/// Reads the frame and the older grey; writes the newer grey, vectors and confidences.
Run lucas_kanade_run(Context &context, const Parameters &variant, int window, const Scene &scene) {
  LucasKanade::Settings settings;
  settings.window = window;
  const auto engine = std::make_shared<LucasKanade>(context, scene.width, scene.height,
                                                    layout_for(context.device()), variant);
  engine->prepare(settings);
  Amounts least;
  least.bytes = 20.0 * scene.width * scene.height;
  return flow_run(context, engine, settings, scene, reference::opticalflow::lucas_kanade, least);
}

Task lucas_kanade_task(int window) {
  const std::string side = std::to_string(window);
  const std::string problem = "window-" + side;
  const auto &problems = LucasKanade::tunable().problems;
  const bool tuned = std::find(problems.begin(), problems.end(), problem) != problems.end();
  return {"lucas-kanade, " + side + "×" + side, &LucasKanade::tunable(), tuned ? problem : "",
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            return lucas_kanade_run(context, variant, window, scene);
          }};
}

/// The grey of a frame, without gaps.
std::vector<float> grey(const reference::Frame &frame) {
  std::vector<float> result;
  for (size_t i = 0; i < frame.rgba.size(); i += 4)
    result.push_back(static_cast<float>(frame.rgba[i] + frame.rgba[i + 1] + frame.rgba[i + 2]) / 3);
  return result;
}

/// Reads a plane, as for successive frames. Per pixel a signature is written and read again, a slot
/// is cleared, and two slots are looked up.
Run signatures_run(Context &context, const Scene &scene) {
  const int width = scene.width, height = scene.height;
  const auto engine = std::make_shared<Signatures>(context, width, height);
  std::array<std::vector<float>, 2> greys{grey(scene.frame(0)), grey(scene.frame(1))};
  std::array<cl::Buffer, 2> planes;
  for (int i = 0; i < 2; i++)
    planes[i] = cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           greys[i].size() * sizeof(float), greys[i].data());
  const size_t bytes = Signatures::list_bytes(width, height);
  const cl::Buffer list(context.cl(), CL_MEM_READ_WRITE, bytes);
  Run run;
  const auto calls = std::make_shared<int>(0);
  run.enqueue = [=](Queue &queue) {
    const int call = (*calls)++;
    engine->match(queue, {planes[call % 2], width, 0}, {planes[1 - call % 2], width, 0}, call > 0);
    engine->list(queue, list, 0);
  };
  run.compare = [=](Queue &queue) {
    *calls = 0;
    engine->match(queue, {planes[0], width, 0}, {planes[1], width, 0});
    engine->list(queue, list, 0);
    std::vector<char> host(bytes);
    queue.cl().enqueueReadBuffer(list, CL_TRUE, 0, bytes, host.data());
    cl_int count = 0;
    std::memcpy(&count, host.data(), sizeof count);
    const auto at = [&](int i) {
      return [&plane = greys[i], width](int x, int y) { return plane[size_t(y) * width + x]; };
    };
    const auto expected = reference::signature_matches(width, height, at(0), at(1));
    bool good = size_t(count) == expected.size();
    for (size_t i = 0; good && i < expected.size(); i++) {
      const auto &[x, y, vx, vy] = expected[i];
      const float vector[] = {float(x), float(y), float(vx), float(vy)};
      float found[4];
      std::memcpy(found, host.data() + sizeof found * (i + 1), sizeof found);
      good = std::equal(vector, vector + 4, found);
    }
    return Agreement{good, good ? "equal" : "other vectors"};
  };
  run.least.bytes = 20.0 * width * height;
  run.least.launches = 5;
  return run;
}

Task signatures_task() {
  return {"single pixels, by signatures", nullptr, "",
          [](Context &context, const Parameters &, const Scene &scene) {
            return signatures_run(context, scene);
          }};
}

const Registration registration("glopenclflow", [](Subject &subject) {
  subject.tasks.push_back(flow_task("pyramidal, last warps", Channels::grey, "dense", {}));
  subject.tasks.push_back(flow_task("pyramidal, first warps", Channels::grey, "coarse", {}));
  using opticalflow::Preset;
  for (const auto &[name, preset] :
       {std::pair{"census", Preset::balanced}, {"census, refined", Preset::accurate}})
    subject.tasks.push_back(
        flow_task(name, Channels::census, "", flow_settings(preset_values(preset))));
  for (int window : {9, 15, 31}) subject.tasks.push_back(lucas_kanade_task(window));
  subject.tasks.push_back(signatures_task());
  for (int window : {9, 31, 63}) {
    Flow::Settings settings;
    settings.window = window;
    subject.sweep.push_back(
        flow_task("window " + std::to_string(window), Channels::grey, "", settings));
  }
});

}  // namespace

}  // namespace glcl::bench
