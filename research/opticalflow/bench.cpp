// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstring>
#include <stdexcept>

#include "forms.h"
#include "opencl/pinned.h"
#include "opticalflow/renderer.h"
#include "reference/opticalflow/wheel.h"
#include "reference/transfer.h"
#include "tools/bench/fields.h"

namespace glcl::research {

namespace {

using namespace bench;
using opticalflow::FlowRenderer;
using opticalflow::LucasKanade;

constexpr float ablation_gain = 4;  // px per frame

/// Two frames in turn, and a buffer for the picture, in pinned memory or not.
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

/// The layout of a picture in memory: bytes between rows and between pixels.
struct Rows {
  int pitch, step;
};

/// True if a picture has the colours of a field, within a level.
bool shows(const reference::opticalflow::Field &field, const uint8_t *picture, const Rows &rows) {
  const reference::Frame expected = reference::opticalflow::coloured(field, ablation_gain);
  for (int y = 0; y < expected.height; y++)
    for (int x = 0; x < expected.width; x++)
      for (int i = 0; i < 3; i++)
        if (std::abs(picture[size_t(y) * rows.pitch + rows.step * x + i] - expected.at(x, y)[i]) >
            1)
          return false;
  return true;
}

/// The memory of the frames: pageable, copied to pinned memory first as in the thesis, or pinned
/// memory that their source writes to.
enum class Source { pageable, copied, pinned };

/// `enqueue(queue, frame, picture)` takes the next frame and returns its picture; `field` is its
/// flow.
template <class Enqueue>
Run host_run(Context &context, const Scene &scene, const std::vector<uint8_t> &first,
             const std::vector<uint8_t> &second, Source source, Enqueue enqueue,
             const opticalflow::FlowField &field, const Rows &rows) {
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
    queue.cl().finish();
    const reference::opticalflow::Field found = reference::opticalflow::download(queue, field);
    Agreement agreement = compare_fields(
        found, reference::opticalflow::lucas_kanade(scene.frame(0), scene.frame(1), {}));
    if (!shows(found, static_cast<const uint8_t *>(frames->data[2]), rows))
      agreement = {false, "the picture does not show the vectors"};
    return agreement;
  };
  return run;
}

Run form_run(Context &context, LucasKanadeForms::Form form, Source source, const Scene &scene) {
  const auto engine = std::make_shared<LucasKanadeForms>(context, scene.width, scene.height, form);
  return host_run(context, scene, rgb_rows(scene.frame(0), engine->pitch()),
                  rgb_rows(scene.frame(1), engine->pitch()), source,
                  [=](Queue &queue, const void *frame, void *picture) {
                    engine->run(queue, {}, ablation_gain, frame, picture);
                  },
                  engine->field(), {engine->pitch(), 3});
}

/// The same with the element's engine, which takes and returns RGBA.
Run our_run(Context &context, const Scene &scene) {
  const Layout layout = layout_for(context.device());
  const auto engine = std::make_shared<LucasKanade>(context, scene.width, scene.height, layout);
  engine->prepare({});
  const auto view = std::make_shared<FlowRenderer>(context, scene.width, scene.height, layout);
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
        view->draw(queue, {FlowRenderer::Display::color}, &engine->field(), 0, {in, out});
        cl::Event *downloaded = queue.event("download");
        if (layout == Layout::image)
          queue.cl().enqueueReadImage(out.image, CL_FALSE, {}, region, 0, 0, picture, nullptr,
                                      downloaded);
        else
          queue.cl().enqueueReadBuffer(out.buffer, CL_FALSE, 0, bytes, picture, nullptr,
                                       downloaded);
      },
      engine->field(), {4 * scene.width, 4});
}

Ablation steps_from_host() {
  using Form = LucasKanadeForms::Form;
  Ablation ablation{"Lucas and Kanade 9×9, from frames to pictures in host memory, step by step",
                    {},
                    [](const Scene &scene) {
                      reference::opticalflow::lucas_kanade(scene.frame(0), scene.frame(1), {});
                    }};
  const std::tuple<const char *, Form, Source> steps[] = {
      {"five kernels", Form::naive, Source::pageable},
      {"tile in local memory", Form::local, Source::pageable},
      {"coefficients in constant memory", Form::constant, Source::pageable},
      {"native functions", Form::native, Source::pageable},
      {"kernels merged", Form::merged, Source::pageable},
      {"pinned memory, copied to", Form::merged, Source::copied},
      {"pinned memory, written to", Form::merged, Source::pinned},
      {"words of four bytes, rows padded", Form::coalesced, Source::pinned},
      {"derivatives by the sampler", Form::image, Source::pinned}};
  for (const auto &[name, form, source] : steps)
    ablation.steps.push_back(
        {name, [form = form, source = source](Context &context, const Scene &scene) {
           return form_run(context, form, source, scene);
         }});
  ablation.steps.push_back({"ours, RGBA", our_run});
  ablation.steps.push_back(
      {"ours, vectors of frames on the device", [](Context &context, const Scene &scene) {
         for (const Task &task : subject("glopenclflow").tasks)
           if (task.name == "lucas-kanade, 9×9")
             return task.make(
                 context, tuned_parameters(*task.tunable, context.device(), task.problem), scene);
         throw std::logic_error("no such work");
       }});
  return ablation;
}

const Registration registration("glopenclflow", [](Subject &subject) {
  subject.ablations.push_back(steps_from_host());
});

}  // namespace

}  // namespace glcl::research
