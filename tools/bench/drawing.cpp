// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the displays of the elements without their computation: each draws an existing result.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "histogram/renderer.h"
#include "motion/renderer.h"
#include "opticalflow/flow.h"
#include "opticalflow/renderer.h"
#include "reference/drawing/arrows.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"
#include "reference/motion/motion.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using Make = std::function<Run(Context &, const Scene &)>;

void add(Subject &subject, const std::string &display, const Make &make) {
  subject.tasks.push_back({"drawing, display=" + display, nullptr, "",
                           [make](Context &context, const Parameters &, const Scene &scene) {
                             return make(context, scene);
                           }});
}

/// Good if at most a thousandth of the values in the first `rows` differ by more than one level:
/// edges of arrows may be rounded differently.
Agreement compare_drawn(const reference::Frame &result, const reference::Frame &expected,
                        int rows) {
  size_t off = 0;
  const size_t values = size_t(4) * expected.width * std::max(rows, 0);
  for (size_t i = 0; i < values; i++)
    off += std::abs(int(result.rgba[i]) - int(expected.rgba[i])) > 1;
  return {off * 1000 <= values, std::to_string(off) + " of " + std::to_string(values) + " off"};
}

template <class Value>
std::vector<Value> read(Queue &queue, const cl::Buffer &buffer, size_t count) {
  std::vector<Value> values(count);
  queue.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value), values.data());
  return values;
}

struct Frames {
  Frames(Context &context, const Scene &scene)
      : queue(std::make_shared<Queue>(context.shared_from_this())),
        layout(layout_for(context.device())),
        first(reference::upload(*queue, scene.frame(0), layout)),
        second(reference::upload(*queue, scene.frame(1), layout)),
        out(make_picture(context.cl(), scene.width, scene.height, layout)) {}

  std::shared_ptr<Queue> queue;
  Layout layout;
  Picture first, second, out;
};

Run flow_run(Context &context, const Scene &scene, opticalflow::FlowRenderer::Display display,
             bool legend) {
  using opticalflow::Flow;
  const Frames frames(context, scene);
  const auto flow = std::make_shared<Flow>(context, scene.width, scene.height, frames.layout,
                                           Flow::Channels::grey);
  const auto view = std::make_shared<opticalflow::FlowRenderer>(context, scene.width, scene.height,
                                                                frames.layout);
  flow->run(*frames.queue, {}, frames.first);
  flow->run(*frames.queue, {}, frames.second);
  view->summarize(*frames.queue, flow->field(), 0, 0, true);
  frames.queue->cl().finish();
  Run run;
  run.enqueue = [=](Queue &queue) {
    view->draw(queue, {display, legend}, &flow->field(), 0, {frames.second, frames.out});
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    using Display = opticalflow::FlowRenderer::Display;
    enqueue(queue);
    const size_t pixels = size_t(scene.width) * scene.height;
    const auto vectors = read<float>(queue, flow->field().vectors, 2 * pixels),
               confidence = read<float>(queue, flow->field().confidence, pixels);
    const float gain = read<opticalflow::FlowSummary>(queue, view->summary(), 1)[0].gain;
    const reference::DenseVectors field{scene.width, scene.height, vectors.data(),
                                        confidence.data()};
    const reference::Frame frame = scene.frame(1);
    const int cell = drawing::Arrows::spacing(scene.width, scene.height);
    const reference::Frame expected =
        display == Display::color ? reference::flow_color(frame, field, 0, gain)
        : display == Display::overlay
            ? reference::flow_overlay(frame, field, 0, gain)
            : reference::arrows(frame, reference::flow_arrows(field, 0, gain, cell, 0), 0xff000000);
    // The legend has no reference, so compare only the part above it.
    const int covered =
        std::min(scene.width, scene.height) / 4 + 13 * drawing::dot(scene.width, scene.height);
    return compare_drawn(reference::download(queue, frames.out), expected,
                         scene.height - (legend ? covered : 0));
  };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

Run motion_run(Context &context, const Scene &scene, motion::MotionRenderer::Display display,
               bool partitions) {
  using motion::BlockMotion;
  using motion::VectorField;
  const Frames frames(context, scene);
  const auto engine =
      std::make_shared<BlockMotion>(context, scene.width, scene.height, frames.layout);
  const auto view =
      std::make_shared<motion::MotionRenderer>(context, scene.width, scene.height, frames.layout);
  motion::MotionRenderer::MotionStyle drawing;
  drawing.display = display;
  BlockMotion::Settings settings;
  settings.partitions = partitions;
  engine->prepare(settings);
  engine->next(*frames.queue, settings, frames.first);
  engine->next(*frames.queue, settings, frames.second);
  frames.queue->cl().finish();
  Run run;
  run.enqueue = [=](Queue &queue) {
    view->draw(queue, drawing, *engine, {frames.second, frames.out});
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    using Display = motion::MotionRenderer::Display;
    const reference::Frame frame = scene.frame(1);
    enqueue(queue);
    const reference::Frame drawn = reference::download(queue, frames.out);
    if (display == Display::vectors) {
      const VectorField &field = engine->field();
      const auto vectors =
          read<motion::Vector>(queue, engine->vectors(), size_t(field.columns) * field.rows);
      const auto shapes =
          read<uint16_t>(queue, engine->shapes(), size_t(field.block_columns) * field.block_rows);
      const reference::BlockVectors blocks{field.cell,  field.columns,  field.rows,
                                           field.block, vectors.data(), shapes.data()};
      // The check frame is small, so every block has an arrow.
      const auto arrows = reference::block_arrows(blocks, 1, drawing.color);
      reference::Frame expected = reference::block_grid(frame, blocks, 1);
      const reference::Frame over = reference::arrows(frame, arrows, drawing.outline_color),
                             covered =
                                 reference::arrows(frame, arrows, drawing.outline_color, true);
      for (size_t i = 0; i < over.rgba.size(); i++)
        if (covered.rgba[i / 4 * 4 + 3]) expected.rgba[i] = over.rgba[i];
      return compare_drawn(drawn, expected, frame.height);
    }
    // Frame and prediction determine the residual.
    motion::MotionRenderer::MotionStyle other;
    other.display = display == Display::residual ? Display::prediction : Display::residual;
    view->draw(queue, other, *engine, {frames.second, frames.out});
    const reference::Frame second = reference::download(queue, frames.out);
    const reference::Frame &residual = display == Display::residual ? drawn : second,
                           &predicted = display == Display::residual ? second : drawn;
    reference::Frame expected = frame;
    const reference::Plane luma = reference::luma(frame);
    for (size_t i = 0; i < frame.rgba.size(); i++)
      if (i % 4 < 3)
        expected.rgba[i] = static_cast<uint8_t>(
            std::clamp(128 + luma.values[i / 4] - predicted.rgba[i / 4 * 4], 0, 255));
    return compare_levels(residual, expected, 0);
  };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

Run histogram_run(Context &context, const Scene &scene,
                  histogram::HistogramRenderer::Display display,
                  const histogram::Histogram::Format &format) {
  using histogram::Histogram;
  using histogram::HistogramRenderer;
  const Frames frames(context, scene);
  const auto engine =
      std::make_shared<Histogram>(context, scene.width, scene.height, format, frames.layout);
  const auto present =
      std::make_shared<HistogramRenderer>(context, scene.width, scene.height, frames.layout);
  const cl::Buffer counts =
      engine->run(*frames.queue, frames.second, {});  // it needs another reference frame
  frames.queue->cl().finish();
  HistogramRenderer::Settings settings;
  settings.display = display;
  Run run;
  run.enqueue = [=](Queue &queue) {
    present->run(queue, settings, {frames.second, frames.out}, format, counts, counts);
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    const reference::Frame frame = scene.frame(1);
    return compare_levels(
        reference::download(queue, frames.out),
        reference::present(frame, settings, format, reference::histogram(frame, format)), 1);
  };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

const Registration flow_registration("glopenclflow", [](Subject &subject) {
  using Display = opticalflow::FlowRenderer::Display;
  for (const auto &[name, display] : {std::pair{"color", Display::color},
                                      {"overlay", Display::overlay},
                                      {"arrows", Display::arrows}})
    for (const bool legend : {false, true})
      add(subject, std::string(name) + (legend ? " legend=true" : ""),
          [display = display, legend](Context &context, const Scene &scene) {
            return flow_run(context, scene, display, legend);
          });
});

const Registration motion_registration("glclmotion", [](Subject &subject) {
  using Display = motion::MotionRenderer::Display;
  for (const auto &[name, display, partitions] :
       {std::tuple{"vectors", Display::vectors, false},
        {"vectors partitions=true", Display::vectors, true},
        {"prediction", Display::prediction, false},
        {"residual", Display::residual, false}})
    add(subject, name,
        [display = display, partitions = partitions](Context &context, const Scene &scene) {
          return motion_run(context, scene, display, partitions);
        });
});

const Registration histogram_registration("glclhistogram", [](Subject &subject) {
  using histogram::Histogram;
  using Display = histogram::HistogramRenderer::Display;
  using Mode = Histogram::Mode;
  const std::tuple<const char *, Display, Histogram::Format> all[] = {
      {"overlay", Display::overlay, {Mode::luma}},
      {"overlay mode=rgb", Display::overlay, {Mode::rgb}},
      {"parade mode=rgb", Display::parade, {Mode::rgb}},
      {"stack mode=rgb", Display::stack, {Mode::rgb}},
      {"overlay mode=color-8", Display::overlay, {Mode::color_8}},
      {"overlay mode=color-16", Display::overlay, {Mode::color_16}}};
  for (const auto &[name, display, format] : all)
    add(subject, name, [display = display, format = format](Context &context, const Scene &scene) {
      return histogram_run(context, scene, display, format);
    });
});

}  // namespace

}  // namespace glcl::bench
