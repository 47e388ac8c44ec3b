// SPDX-License-Identifier: LGPL-2.1-or-later
// What the elements draw, apart from what they compute: each display, of a result that is there
// already.
#include "histogram/present.h"
#include "motion/view.h"
#include "opticalflow/flow.h"
#include "opticalflow/view.h"
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

Run flow_run(Context &context, const Scene &scene, opticalflow::View::Display display,
             bool legend) {
  using opticalflow::Flow;
  const Frames frames(context, scene);
  const auto flow = std::make_shared<Flow>(context, scene.width, scene.height, frames.layout,
                                           Flow::Channels::grey);
  const auto view =
      std::make_shared<opticalflow::View>(context, scene.width, scene.height, frames.layout);
  flow->run(*frames.queue, {}, frames.first);
  flow->run(*frames.queue, {}, frames.second);
  view->summarize(*frames.queue, flow->field(), 0, 0, true);
  frames.queue->cl().finish();
  Run run;
  run.enqueue = [=](Queue &queue) {
    view->draw(queue, {display, legend}, &flow->field(), 0, {frames.second, frames.out});
  };
  run.compare = [](Queue &) { return Agreement{true, ""}; };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

Run motion_run(Context &context, const Scene &scene, motion::View::Display display,
               bool partitions) {
  using motion::Motion;
  const Frames frames(context, scene);
  const auto engine = std::make_shared<Motion>(context, scene.width, scene.height, frames.layout);
  const auto view =
      std::make_shared<motion::View>(context, scene.width, scene.height, frames.layout);
  motion::View::Drawing drawing;
  drawing.display = display;
  Motion::Settings settings;
  settings.partitions = partitions;
  engine->prepare(settings);
  engine->next(*frames.queue, settings, frames.first);
  engine->next(*frames.queue, settings, frames.second);
  frames.queue->cl().finish();
  Run run;
  run.enqueue = [=](Queue &queue) {
    view->draw(queue, drawing, *engine, {frames.second, frames.out});
  };
  run.compare = [](Queue &) { return Agreement{true, ""}; };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

Run histogram_run(Context &context, const Scene &scene, histogram::Present::Display display,
                  const histogram::Histogram::Format &format) {
  using histogram::Histogram;
  using histogram::Present;
  const Frames frames(context, scene);
  const auto engine =
      std::make_shared<Histogram>(context, scene.width, scene.height, format, frames.layout);
  const auto present = std::make_shared<Present>(context, scene.width, scene.height, frames.layout);
  const cl::Buffer counts = engine->run(*frames.queue, frames.second, {});
  frames.queue->cl().finish();
  Present::Settings settings;
  settings.display = display;
  Run run;
  run.enqueue = [=](Queue &queue) {
    const auto keep = engine;  // and its counts
    present->run(queue, settings, {frames.second, frames.out}, format, counts, counts);
  };
  run.compare = [](Queue &) { return Agreement{true, ""}; };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

const Registration flow_registration("glopenclflow", [](Subject &subject) {
  using Display = opticalflow::View::Display;
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
  using Display = motion::View::Display;
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
  using Display = histogram::Present::Display;
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
