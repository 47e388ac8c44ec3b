// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "opencl/pinned.h"
#include "opticalflow/flow.h"
#include "opticalflow/lkthesis.h"
#include "opticalflow/lucaskanade.h"
#include "opticalflow/view.h"
#include "peers.h"
#include "reference/opticalflow/flow.h"
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

/// The frame and the older grey in, the newer grey, vectors and confidences out.
Run lucas_kanade_run(Context &context, const Parameters &variant, int window, const Scene &scene) {
  LucasKanade::Settings settings;
  settings.window = window;
  const auto engine = std::make_shared<LucasKanade>(context, scene.width, scene.height,
                                                    layout_for(context.device()), variant);
  engine->prepare(settings);
  Amounts least;
  least.bytes = 20.0 * scene.width * scene.height;
  return flow_run(context, engine, settings, scene, reference::lucas_kanade, least);
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

// ---- the steps of the thesis: from a frame in host memory to a picture there --------------------

constexpr float ablation_gain = 4;  // px per frame

/// Two frames in turn, and room for the picture: in pinned memory or any other.
struct HostFrames {
  HostFrames(Context &context, const std::vector<uint8_t> &before, const std::vector<uint8_t> &now,
             bool pinned)
      : own{before, now, before} {
    const cl::CommandQueue mapping(context.cl(), context.device().device);
    for (int i = 0; i < 3; i++) {
      data[i] = own[i].data();
      if (!pinned) continue;
      memory[i] = std::make_unique<Pinned>(context.cl(), mapping, own[i].size());
      data[i] = std::memcpy(memory[i]->data(), own[i].data(), own[i].size());
    }
  }

  std::vector<uint8_t> own[3];
  std::unique_ptr<Pinned> memory[3];
  void *data[3];
};

std::vector<uint8_t> rgb_rows(const reference::Frame &frame, int pitch) {
  std::vector<uint8_t> bytes(size_t(pitch) * frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      std::memcpy(&bytes[size_t(y) * pitch + 3 * x], frame.at(x, y), 3);
  return bytes;
}

/// Where the frames come from: any memory, pinned memory that they are copied to first as in the
/// thesis, or pinned memory that whoever makes them writes to.
enum class Source { pageable, copied, pinned };

/// `enqueue (queue, frame, picture)` takes the next frame and gives its picture; `field` is what it
/// was made of.
template <class Enqueue>
Run host_run(Context &context, const Scene &scene, const std::vector<uint8_t> &first,
             const std::vector<uint8_t> &second, Source source, Enqueue enqueue,
             const FlowField &field) {
  const auto frames =
      std::make_shared<HostFrames>(context, first, second, source != Source::pageable);
  const auto take = [=](Queue &queue, int which) {
    if (source == Source::copied)
      std::memcpy(frames->data[which], frames->own[which].data(), frames->own[which].size());
    enqueue(queue, frames->data[which], frames->data[2]);
  };
  Run run;
  run.enqueue = [=, next = 0](Queue &queue) mutable {
    take(queue, next);
    next = 1 - next;
  };
  run.compare = [=, &field](Queue &queue) {
    for (int which : {0, 1}) take(queue, which);
    return compare_fields(reference::download(queue, field),
                          reference::lucas_kanade(scene.frame(0), scene.frame(1), {}));
  };
  return run;
}

Run thesis_run(Context &context, LucasKanadeThesis::Form form, Source source, const Scene &scene) {
  const auto engine = std::make_shared<LucasKanadeThesis>(context, scene.width, scene.height, form);
  return host_run(
      context, scene, rgb_rows(scene.frame(0), engine->pitch()),
      rgb_rows(scene.frame(1), engine->pitch()), source,
      [=](Queue &queue, const void *frame, void *picture) {
        engine->run(queue, {}, ablation_gain, frame, picture);
      },
      engine->field());
}

/// The same by ours, which takes and gives RGBA.
Run our_run(Context &context, const Scene &scene) {
  const Layout layout = layout_for(context.device());
  const auto engine = std::make_shared<LucasKanade>(context, scene.width, scene.height, layout);
  engine->prepare({});
  const auto view = std::make_shared<FlowView>(context, scene.width, scene.height, layout);
  const Picture in = make_picture(context.cl(), scene.width, scene.height, layout),
                out = make_picture(context.cl(), scene.width, scene.height, layout);
  const size_t bytes = size_t(scene.width) * scene.height * 4;
  const std::array<size_t, 3> region{size_t(scene.width), size_t(scene.height), 1};
  return host_run(
      context, scene, scene.frame(0).rgba, scene.frame(1).rgba, Source::pinned,
      [=](Queue &queue, const void *frame, void *picture) {
        cl::Event *uploaded = queue.event("upload");
        if (layout == Layout::image)
          queue.cl().enqueueWriteImage(in.image, CL_FALSE, {}, region, 0, 0, frame, nullptr,
                                       uploaded);
        else
          queue.cl().enqueueWriteBuffer(in.buffer, CL_FALSE, 0, bytes, frame, nullptr, uploaded);
        if (!engine->run(queue, {}, in)) return;
        view->summarize(queue, engine->field(), 0, ablation_gain, true);
        view->draw(queue, FlowView::Display::color, false, &engine->field(), 0, in, out);
        cl::Event *downloaded = queue.event("download");
        if (layout == Layout::image)
          queue.cl().enqueueReadImage(out.image, CL_FALSE, {}, region, 0, 0, picture, nullptr,
                                      downloaded);
        else
          queue.cl().enqueueReadBuffer(out.buffer, CL_FALSE, 0, bytes, picture, nullptr,
                                       downloaded);
      },
      engine->field());
}

Ablation thesis_ablation() {
  using Form = LucasKanadeThesis::Form;
  Ablation ablation{
      "Lucas and Kanade 9×9, from frames to pictures in host memory, step by step",
      {},
      [](const Scene &scene) { reference::lucas_kanade(scene.frame(0), scene.frame(1), {}); }};
  const std::tuple<const char *, Form, Source> steps[] = {
      {"five kernels", Form::naive, Source::pageable},
      {"tile in local memory", Form::local, Source::pageable},
      {"coefficients in constant memory", Form::constant, Source::pageable},
      {"native reciprocals and roots", Form::native, Source::pageable},
      {"kernels merged", Form::merged, Source::pageable},
      {"pinned memory, copied to", Form::merged, Source::copied},
      {"pinned memory, written to", Form::merged, Source::pinned},
      {"words of four bytes, rows padded", Form::coalesced, Source::pinned},
      {"derivatives by the sampler", Form::image, Source::pinned}};
  for (const auto &[name, form, source] : steps)
    ablation.steps.push_back(
        {name, [form = form, source = source](Context &context, const Scene &scene) {
           return thesis_run(context, form, source, scene);
         }});
  ablation.steps.push_back({"ours, RGBA", our_run});
  ablation.steps.push_back(
      {"ours, vectors of frames on the device", [](Context &context, const Scene &scene) {
         return lucas_kanade_run(
             context, tuned(LucasKanade::tunable(), context.device(), "window-9"), 9, scene);
       }});
  return ablation;
}

}  // namespace

Subject opticalflow_subject() {
  Subject subject;
  subject.element = "glopenclflow";
  subject.tasks.push_back(flow_task("pyramidal, last warps", Channels::grey, "dense", {}));
  subject.tasks.push_back(flow_task("pyramidal, first warps", Channels::grey, "coarse", {}));
  subject.tasks.push_back(flow_task("census", Channels::census, "", {}));
  for (int window : {9, 15}) subject.tasks.push_back(lucas_kanade_task(window));
  for (int window : {9, 31, 63}) {
    Flow::Settings settings;
    settings.window = window;
    subject.sweep.push_back(
        flow_task("window " + std::to_string(window), Channels::grey, "", settings));
  }

  subject.ablations.push_back(thesis_ablation());
  subject.peers = opticalflow_peers();
  return subject;
}

}  // namespace glcl::bench
