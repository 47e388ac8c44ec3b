// SPDX-License-Identifier: LGPL-2.1-or-later
#include "histogram/histogram.h"

#include "histogram/present.h"
#include "peers.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using Format = Histogram::Format;
using Mode = Histogram::Mode;

std::string name_of(const Format &format, Layout layout) {
  const char *names[] = {"luma", "R, G, B", "R, G, B, A", "colours", "colours"};
  return std::string(names[static_cast<int>(format.mode)]) + ", " +
         (format.channels() > 1 ? std::to_string(format.channels()) + "×" : "") +
         std::to_string(format.counters() / format.channels()) + " bins, " +
         (layout == Layout::image ? "image" : "buffer");
}

Agreement compare_counts(Queue &queue, const cl::Buffer &counts,
                         const std::vector<uint32_t> &twin) {
  std::vector<uint32_t> got(twin.size());
  queue.cl().enqueueReadBuffer(counts, CL_TRUE, 0, got.size() * sizeof(uint32_t), got.data());
  return got == twin ? Agreement{true, "equal"} : Agreement{false, "counts differ"};
}

Run count_run(Context &context, const Format &format, Layout layout, const Scene &scene,
              const std::optional<Parameters> &variant) {
  const reference::Frame frame = scene.frame();
  const auto engine =
      std::make_shared<Histogram>(context, scene.width, scene.height, format, layout, 1, variant);
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const double pixels = double(scene.width) * scene.height;
  Run run;
  run.enqueue = [=](Queue &queue) { engine->run(queue, in, {}); };
  run.compare = [=](Queue &queue) {
    return compare_counts(queue, engine->run(queue, in, {}), reference::histogram(frame, format));
  };
  run.least.bytes = 4 * pixels;
  return run;
}

Task count_task(const Format &format, Layout layout) {
  return {name_of(format, layout), &Histogram::tunable(), Histogram::problem(format, layout),
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            return count_run(context, format, layout, scene, variant);
          }};
}

/// All that a frame takes where the element shows something: counted, and drawn or equalised.
Step shown_step(const std::string &name, const Present::Settings &settings) {
  return {
      name, [=](Context &context, const Scene &scene) {
        const Layout layout = layout_for(context.device());
        const Format format = settings.equalize == Present::Equalize::none
                                  ? Format{Mode::rgb}
                                  : Present::format_for(settings.equalize);
        const reference::Frame frame = scene.frame();
        const auto engine =
            std::make_shared<Histogram>(context, scene.width, scene.height, format, layout);
        const auto present = std::make_shared<Present>(context, scene.width, scene.height, layout);
        Queue upload_queue(context.shared_from_this());
        const Picture in = reference::upload(upload_queue, frame, layout);
        const Picture out = make_picture(context.cl(), scene.width, scene.height, layout);
        Run run;
        run.enqueue = [=](Queue &queue) {
          const cl::Buffer &counts = engine->run(queue, in, {});
          present->run(queue, settings, in, out, format, counts, counts);
        };
        run.compare = [=, enqueue = run.enqueue](Queue &queue) {
          enqueue(queue);
          return compare_levels(
              reference::download(queue, out),
              reference::present(frame, settings, format, reference::histogram(frame, format)), 1);
        };
        run.least.bytes = 12.0 * scene.width * scene.height;
        run.least.launches = settings.equalize == Present::Equalize::none &&
                                     settings.display == Present::Display::none
                                 ? 2
                                 : 3;
        return run;
      }};
}

Ablation shown_ablation() {
  Ablation ablation{"all kernels of a frame", {}};
  Present::Settings settings;
  ablation.steps.push_back(shown_step("counted and passed on", settings));
  settings.equalize = Present::Equalize::luma;
  ablation.steps.push_back(shown_step("equalised, luma", settings));
  settings.equalize = Present::Equalize::rgb;
  ablation.steps.push_back(shown_step("equalised, R, G and B", settings));
  settings.equalize = Present::Equalize::none;
  settings.display = Present::Display::overlay;
  ablation.steps.push_back(shown_step("with display", settings));
  return ablation;
}

/// Replication, padding and interleaved reading, as in chapter 4 of the thesis, the forms that it
/// was compared with, and runs; what the device can't run is left out.
Ablation count_ablation(const Format &format, Layout layout) {
  Ablation ablation{name_of(format, layout), {}};
  const auto add = [&](const std::string &name, Parameters changes) {
    changes.insert({{"form", Histogram::group},
                    {"copies", 4},
                    {"padding", 1},
                    {"interleave", 0},
                    {"merge", 0},
                    {"pixels", 4},
                    {"group", 1024},
                    {"groups", 1}});
    ablation.steps.push_back({name, [=](Context &context, const Scene &scene) {
                                return count_run(context, format, layout, scene, changes);
                              }});
  };
  const auto copy = [&](int form, int group) {
    return Parameters{{"form", form}, {"copies", 1}, {"padding", 0}, {"group", group}};
  };
  add("every vote to global memory", copy(Histogram::global, 256));
  add("counters per work-item", copy(Histogram::item, 1));
  add("counters per 32 work-items", copy(Histogram::team, 128));
  add("sorted and counted", copy(Histogram::sort, 256));
  const char *paddings[] = {"", ", padded", ", side by side", ", two channels a word"};
  for (const int copies : {1, 2, 4, 8, 16, 0})
    for (const int padding : {0, 1, 2, 3})
      for (const int interleave : {0, 1}) {
        if ((copies == 1 && padding) || (padding == 3 && format.channels() == 1)) continue;
        add("R = " + (copies ? std::to_string(copies) : "most") + paddings[padding] +
                (interleave ? ", interleaved" : ""),
            {{"copies", copies}, {"padding", padding}, {"interleave", interleave}});
      }
  for (const int pixels : {1, 2, 4, 8, 16})
    add("R = 4, padded, " + std::to_string(pixels) + " px per run", {{"pixels", pixels}});
  add("R = 4, padded, equal pixels of a run merged", {{"merge", 1}});
  for (const int group : {256, 512})
    add("R = 4, padded, groups of " + std::to_string(group), {{"group", group}});
  return ablation;
}

}  // namespace

Subject histogram_subject() {
  Subject subject;
  subject.element = "glclhistogram";
  for (const Layout layout : {Layout::buffer, Layout::image})
    for (const Format &format : {Format{Mode::rgba}, Format{Mode::rgb}, Format{Mode::luma},
                                 Format{Mode::color_8}, Format{Mode::color_16}})
      subject.tasks.push_back(count_task(format, layout));
  subject.ablations.push_back(shown_ablation());
  for (const Format &format :
       {Format{Mode::rgba}, Format{Mode::luma, 32}, Format{Mode::luma, 64}, Format{Mode::luma, 128},
        Format{Mode::luma}, Format{Mode::color_8}, Format{Mode::color_16}})
    subject.ablations.push_back(count_ablation(format, Layout::buffer));
  subject.peers = histogram_peers();
  return subject;
}

}  // namespace glcl::bench
