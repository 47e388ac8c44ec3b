// SPDX-License-Identifier: LGPL-2.1-or-later
#include "forms.h"
#include "reference/histogram/histogram.h"
#include "reference/transfer.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using Format = Histogram::Format;
using Mode = Histogram::Mode;
using Variant = HistogramForms::Variant;

template <class Count>
Run count_run(Context &context, const Format &format, const Scene &scene, Count count) {
  const reference::Frame frame = scene.frame();
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, Layout::buffer);
  Run run;
  run.enqueue = [=](Queue &queue) { count(queue, in); };
  run.compare = [=](Queue &queue) {
    return compare_equal(queue, count(queue, in), reference::histogram(frame, format), "counts");
  };
  return run;
}

Step form_step(const std::string &name, const Format &format, const Variant &variant) {
  return {name, [=](Context &context, const Scene &scene) {
            const auto engine = std::make_shared<HistogramForms>(context, scene.width, scene.height,
                                                                 format, variant);
            return count_run(
                context, format, scene, [=](Queue & queue, const Picture &in) -> auto & {
                  return engine->run(queue, in.buffer, in.pitch);
                });
          }};
}

Step our_step(const std::string &name, const Format &format, const Parameters &parameters) {
  return {name, [=](Context &context, const Scene &scene) {
            const auto engine = std::make_shared<Histogram>(
                context, scene.width, scene.height, format, Layout::buffer, 1,
                parameters.empty() ? std::nullopt : std::optional(parameters));
            return count_run(
                context, format, scene, [=](Queue & queue, const Picture &in) -> auto & {
                  return engine->run(queue, in, {});
                });
          }};
}

/// Replication, padding and interleaved reading, as in chapter 4 of the thesis, the forms that it
/// was compared with, and runs; what the device can't run is left out.
Ablation forms_of(const std::string &name, const Format &format) {
  Ablation ablation{name, {}, {}};
  const auto add = [&](const std::string &name, auto change) {
    Variant v;
    change(v);
    ablation.steps.push_back(form_step(name, format, v));
  };
  add("every vote to global memory", [](Variant &v) {
    v.form = HistogramForms::global, v.padding = HistogramForms::unpadded, v.items = 256;
  });
  ablation.steps.push_back(our_step("counters per work-item", format,
                                    {{"form", Histogram::item},
                                     {"copies", 1},
                                     {"packed", 0},
                                     {"merge", 0},
                                     {"pixels", 4},
                                     {"group", 1},
                                     {"groups", 1}}));
  add("counters per 32 work-items", [](Variant &v) {
    v.form = HistogramForms::team, v.padding = HistogramForms::unpadded, v.items = 128;
  });
  add("sorted and counted", [](Variant &v) { v.form = HistogramForms::sort, v.items = 256; });
  const char *paddings[] = {"", ", padded", ", side by side", ", two channels a word"};
  for (const int copies : {1, 2, 4, 8, 16, 0})
    for (int padding = HistogramForms::unpadded; padding <= HistogramForms::packed; padding++)
      for (const bool interleave : {false, true}) {
        if ((copies == 1 && padding) ||
            (padding == HistogramForms::packed && format.channels() == 1))
          continue;
        add("R = " + (copies ? std::to_string(copies) : "most") + paddings[padding] +
                (interleave ? ", interleaved" : ""),
            [=](Variant &v) {
              v.copies = copies, v.padding = HistogramForms::Padding(padding);
              v.interleave = interleave;
            });
      }
  for (const int pixels : {1, 2, 4, 8, 16})
    add("R = 4, padded, " + std::to_string(pixels) + " px per run",
        [=](Variant &v) { v.pixels = pixels; });
  add("R = 4, padded, equal pixels of a run merged", [](Variant &v) { v.merge = true; });
  for (const int items : {256, 512})
    add("R = 4, padded, groups of " + std::to_string(items), [=](Variant &v) { v.items = items; });
  ablation.steps.push_back(our_step("ours", format, {}));
  return ablation;
}

const Registration registration("glclhistogram", [](Subject &subject) {
  const std::pair<const char *, Format> formats[] = {{"4×256 bins", {Mode::rgba}},
                                                     {"luma, 32 bins", {Mode::luma, 32}},
                                                     {"luma, 64 bins", {Mode::luma, 64}},
                                                     {"luma, 128 bins", {Mode::luma, 128}},
                                                     {"luma, 256 bins", {Mode::luma}},
                                                     {"colours, 512 bins", {Mode::color_8}},
                                                     {"colours, 4096 bins", {Mode::color_16}}};
  for (const auto &[name, format] : formats) subject.ablations.push_back(forms_of(name, format));
});

}  // namespace

}  // namespace glcl::research
