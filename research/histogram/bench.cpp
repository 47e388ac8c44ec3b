// SPDX-License-Identifier: LGPL-2.1-or-later
#include "forms.h"
#include "reference/histogram/histogram.h"
#include "reference/transfer.h"
#include "tools/bench/subject.h"
#include "votes.h"

namespace glcl::research {

namespace {

using namespace bench;
using histogram::Histogram;
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
    v.form = HistogramForms::sub_group, v.padding = HistogramForms::unpadded, v.items = 128;
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

/// Samples of 12 bits from a scene's red and green.
std::vector<uint16_t> samples_of(const Scene &scene) {
  const reference::Frame frame = scene.frame();
  std::vector<uint16_t> samples(size_t(frame.width) * frame.height);
  for (size_t i = 0; i < samples.size(); i++)
    samples[i] = static_cast<uint16_t>(frame.rgba[4 * i] << 4 | frame.rgba[4 * i + 1] >> 4);
  return samples;
}

template <class Value>
cl::Buffer filled(Context &context, const std::vector<Value> &values) {
  std::vector<Value> copy = values;
  return {context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, copy.size() * sizeof(Value),
          copy.data()};
}

Step samples_step(const std::string &name, const Format &format, const Variant &variant) {
  return {name, [=](Context &context, const Scene &scene) {
            const auto engine = std::make_shared<HistogramForms>(context, scene.width, scene.height,
                                                                 format, variant);
            const std::vector<uint16_t> samples = samples_of(scene);
            const cl::Buffer in = filled(context, samples);
            Run run;
            run.enqueue = [=](Queue &queue) { engine->run(queue, in, scene.width); };
            run.compare = [=](Queue &queue) {
              return compare_equal(queue, engine->run(queue, in, scene.width),
                                   reference::histogram(samples, format), "counts");
            };
            return run;
          }};
}

/// Samples of 12 bits in more and more bins, by 1 to 8 groups per compute unit, each with as many
/// copies as Equation 4.4 leaves it.
Ablation groups_of(int bins) {
  const Format format{Mode::grey_16, bins, 12};
  Ablation ablation{"12 bits, " + std::to_string(bins) + " bins, groups per compute unit", {}, {}};
  Variant v;
  v.items = 256;
  v.form = HistogramForms::global, v.padding = HistogramForms::unpadded;
  ablation.steps.push_back(samples_step("every vote to global memory", format, v));
  v.form = HistogramForms::group, v.padding = HistogramForms::padded, v.copies = 0;
  for (v.groups = 1; v.groups <= 8; v.groups++)
    ablation.steps.push_back(
        samples_step(std::to_string(v.groups) + ", R = most, padded", format, v));
  return ablation;
}

/// Votes that a scene's red and green give, spread over the counters.
std::vector<cl_uint> votes_of(const Scene &scene, int counters) {
  const reference::Frame frame = scene.frame();
  std::vector<cl_uint> votes(size_t(frame.width) * frame.height);
  for (size_t i = 0; i < votes.size(); i++)
    votes[i] = static_cast<cl_uint>(
        uint64_t(frame.rgba[4 * i] << 8 | frame.rgba[4 * i + 1]) * counters >> 16);
  return votes;
}

/// Beyond local memory, in R copies that a second kernel adds up (R per kernel, section 4.5).
Ablation votes_for(const std::string &name, int counters) {
  Ablation ablation{"votes for " + name + " counters in global memory", {}, {}};
  for (const int copies : {1, 4, 16, 64})
    ablation.steps.push_back(
        {"R = " + std::to_string(copies), [=](Context &context, const Scene &scene) {
           const auto engine = std::make_shared<Votes>(context, counters, copies);
           const std::vector<cl_uint> votes = votes_of(scene, counters);
           const cl::Buffer in = filled(context, votes),
                            out(context.cl(), CL_MEM_READ_WRITE, counters * sizeof(cl_uint));
           Run run;
           run.enqueue = [=, count = static_cast<int>(votes.size())](Queue &queue) {
             engine->run(queue, in, count, out);
           };
           run.compare = [=, enqueue = run.enqueue](Queue &queue) {
             enqueue(queue);
             std::vector<cl_uint> expected(counters);
             for (const cl_uint vote : votes) expected[vote]++;
             return compare_equal(queue, out, expected, "counts");
           };
           return run;
         }});
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
  for (const int bins : {256, 1024, 2048, 4096}) subject.ablations.push_back(groups_of(bins));
  subject.ablations.push_back(votes_for("127×127", 127 * 127));
  subject.ablations.push_back(votes_for("640×480", 640 * 480));
});

}  // namespace

}  // namespace glcl::research
