// SPDX-License-Identifier: LGPL-2.1-or-later
#include "histogram/histogram.h"

#include "histogram/renderer.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using histogram::Histogram;
using histogram::HistogramRenderer;
using Format = Histogram::Format;
using Mode = Histogram::Mode;

std::string name_of(const Format &format, Layout layout) {
  const char *names[] = {"luma", "R, G, B", "R, G, B, A", "colours", "colours"};
  return std::string(names[static_cast<int>(format.mode)]) + ", " +
         (format.channels() > 1 ? std::to_string(format.channels()) + "×" : "") +
         std::to_string(format.counters() / format.channels()) + " bins, " +
         (layout == Layout::image ? "image" : "buffer");
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
    return compare_equal(queue, engine->run(queue, in, {}), reference::histogram(frame, format),
                         "counts");
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

/// The whole work on a frame that is shown: counting, and drawing or equalisation.
Step shown_step(const std::string &name, const HistogramRenderer::Settings &settings) {
  return {name, [=](Context &context, const Scene &scene) {
            const Layout layout = layout_for(context.device());
            const Format format = settings.equalize == HistogramRenderer::Equalize::none
                                      ? Format{Mode::rgb}
                                      : HistogramRenderer::format_for(settings.equalize);
            const reference::Frame frame = scene.frame();
            const auto engine =
                std::make_shared<Histogram>(context, scene.width, scene.height, format, layout);
            const auto present =
                std::make_shared<HistogramRenderer>(context, scene.width, scene.height, layout);
            Queue upload_queue(context.shared_from_this());
            const Picture in = reference::upload(upload_queue, frame, layout);
            const Picture out = make_picture(context.cl(), scene.width, scene.height, layout);
            Run run;
            run.enqueue = [=](Queue &queue) {
              const cl::Buffer &counts = engine->run(queue, in, {});
              present->run(queue, settings, {in, out}, format, counts, counts);
            };
            run.compare = [=, enqueue = run.enqueue](Queue &queue) {
              enqueue(queue);
              return compare_levels(
                  reference::download(queue, out),
                  reference::present(frame, settings, format, reference::histogram(frame, format)),
                  1);
            };
            run.least.bytes = 12.0 * scene.width * scene.height;
            run.least.launches = settings.equalize == HistogramRenderer::Equalize::none &&
                                         settings.display == HistogramRenderer::Display::none
                                     ? 2
                                     : 3;
            return run;
          }};
}

Ablation shown_ablation() {
  Ablation ablation{"all kernels of a frame", {}};
  HistogramRenderer::Settings settings;
  ablation.steps.push_back(shown_step("counted and passed on", settings));
  settings.equalize = HistogramRenderer::Equalize::luma;
  ablation.steps.push_back(shown_step("equalised, luma", settings));
  settings.equalize = HistogramRenderer::Equalize::rgb;
  ablation.steps.push_back(shown_step("equalised, R, G and B", settings));
  settings.equalize = HistogramRenderer::Equalize::none;
  settings.display = HistogramRenderer::Display::overlay;
  ablation.steps.push_back(shown_step("with display", settings));
  return ablation;
}

const Registration registration("glclhistogram", [](Subject &subject) {
  for (const Layout layout : {Layout::buffer, Layout::image})
    for (const Format &format : {Format{Mode::rgba}, Format{Mode::rgb}, Format{Mode::luma},
                                 Format{Mode::color_8}, Format{Mode::color_16}})
      subject.tasks.push_back(count_task(format, layout));
  subject.ablations.push_back(shown_ablation());
});

}  // namespace

}  // namespace glcl::bench
