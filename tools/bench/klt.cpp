// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klt/klt.h"

#include <cmath>

#include "opencl/error.h"
#include "reference/klt/klt.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using klt::Klt;
using klt::Points;
using klt::Pyramids;
using klt::Selection;

std::vector<Points::PointRecord> records_of(Queue &queue, const Points &points) {
  Points::PointSummary summary;
  queue.cl().enqueueReadBuffer(points.report(), CL_TRUE, 0, sizeof summary, &summary);
  std::vector<Points::PointRecord> list(summary.count);
  if (!list.empty())
    queue.cl().enqueueReadBuffer(points.report(), CL_TRUE, sizeof summary,
                                 list.size() * sizeof(Points::PointRecord), list.data());
  return list;
}

/// The same points, within 0.01 px for 99.9 %.
Agreement compare_points(const std::vector<Points::PointRecord> &result,
                         const std::vector<Points::PointRecord> &expected) {
  if (result.size() != expected.size())
    return {false,
            std::to_string(result.size()) + " points, not " + std::to_string(expected.size())};
  size_t off = 0;
  for (size_t i = 0; i < result.size(); i++)
    off += !(std::hypot(result[i].x - expected[i].x, result[i].y - expected[i].y) <= 0.01);
  if (!off) return {true, std::to_string(result.size()) + " points, equal"};
  return {off * 1000 <= result.size(),
          std::to_string(off) + " of " + std::to_string(result.size()) + " points off"};
}

/// Settings that choose as many points as `features`, good or not.
Klt::Settings plenty(int features) {
  Klt::Settings settings;
  settings.features = features;
  settings.quality = 0, settings.min_eigenvalue = 1e-3;
  return settings;
}

/// The finest level in, eigenvalues not written, candidates out and in again.
Run select_run(Context &context, int features, const Scene &scene) {
  struct Work {
    Pyramids pyramids;
    Points points;
    Selection selection;
    noise::Noise noise;
    cl::Buffer pyramid;
  };
  const Layout layout = layout_for(context.device());
  const int width = scene.width, height = scene.height;
  const auto work =
      std::make_shared<Work>(Work{{context, width, height, layout},
                                  {context, width, height},
                                  {context, width, height},
                                  {context, noise::Noise::Texels::gaussian, width, height},
                                  {}});
  Queue queue(context.shared_from_this());
  work->pyramid = work->pyramids.make();
  work->pyramids.build(queue, reference::upload(queue, scene.detailed(), layout), 1, work->pyramid);
  work->noise.set(queue, 0);
  queue.cl().finish();
  const Klt::Settings settings = plenty(features);
  const auto select = [=](Queue &queue, bool keep) {
    work->points.update_slots(queue, {features, 1, true, true});
    work->selection.run(queue, settings, work->pyramids.plane(work->pyramid),
                        work->noise.variances(), features, work->points, keep);
  };
  Run run;
  run.enqueue = [=](Queue &queue) { select(queue, false); };
  run.compare = [=](Queue &queue) {
    select(queue, true);
    work->points.report(queue, features, work->noise.variances(), true);
    reference::klt::Plane values(width, height);
    queue.cl().enqueueReadBuffer(work->selection.values(), CL_TRUE, 0,
                                 values.values.size() * sizeof(float), values.values.data());
    std::vector<Points::PointRecord> expected;
    for (const auto &corner : reference::klt::select(values, settings, 0, features))
      expected.push_back({0, float(corner.x), float(corner.y), 0, 0, 0, 0});
    return compare_points(records_of(queue, work->points), expected);
  };
  run.least.bytes = 4.0 * width * height;
  run.least.launches = 4;
  return run;
}

/// Alternates between two frames: builds the pyramid of each and tracks the points into it.
Run track_run(Context &context, const Klt::Settings &settings, const Scene &scene) {
  const Layout layout = layout_for(context.device());
  const auto engine = std::make_shared<Klt>(context, scene.width, scene.height, layout);
  const reference::Frame before = scene.detailed(0), after = scene.detailed(1);
  Queue queue(context.shared_from_this());
  const Picture frames[] = {reference::upload(queue, before, layout),
                            reference::upload(queue, after, layout)};
  // Back and forth, so that points are lost before the timing starts.
  for (int i = 0; i < 7; i++) engine->run(queue, settings, frames[i % 2]);
  engine->report(queue);
  const size_t followed = records_of(queue, engine->points()).size();
  const bool large = size_t(scene.width) * scene.height >= size_t(90) * settings.features;
  if (scene.content == Content::natural && large && 10 * followed < 9 * size_t(settings.features))
    throw Error(Error::Kind::failed, "Only " + std::to_string(followed) + " points are followed.");
  Run run;
  run.enqueue = [=, next = 1](Queue &queue) mutable {
    engine->run(queue, settings, frames[next]);
    next = 1 - next;
  };
  run.compare = [=](Queue &queue) {
    engine->reset();
    engine->run(queue, settings, frames[0]);
    engine->report(queue);
    const size_t first = records_of(queue, engine->points()).size();
    engine->run(queue, settings, frames[1]);
    engine->report(queue);
    reference::klt::Klt reference;
    reference.run(settings, before);
    const size_t chosen = reference.report().size();
    reference.run(settings, after);
    // The choice among nearly equal candidates depends on the last bits.
    if (first != chosen) return Agreement{false, "other points are chosen"};
    return compare_points(records_of(queue, engine->points()), reference.report());
  };
  run.least.bytes = (4 + 4 * (1 + 1 / 4.0 + 1 / 16.0)) * scene.width * scene.height;
  run.least.launches = 6;
  return run;
}

Task track_task(const std::string &name, int features, int window, int reselect) {
  return {name, nullptr, "", [=](Context &context, const Parameters &, const Scene &scene) {
            Klt::Settings settings = plenty(features);
            settings.window = window;
            settings.reselect = reselect;
            settings.noise = 0;
            return track_run(context, settings, scene);
          }};
}

const Registration registration("glclklt", [](Subject &subject) {
  for (int features : {1000, 10000})
    subject.tasks.push_back({"select " + std::to_string(features), nullptr, "",
                             [=](Context &context, const Parameters &, const Scene &scene) {
                               return select_run(context, features, scene);
                             }});
  subject.tasks.push_back(track_task("track 1000, 7×7", 1000, 7, 0));
  subject.tasks.push_back(track_task("track 1000, 15×15", 1000, 15, 0));
  subject.tasks.push_back(track_task("track and select 1000, 7×7", 1000, 7, 1));
  subject.tasks.push_back(track_task("track and select 10000, 7×7", 10000, 7, 1));
  for (int window : {7, 15, 21, 31})
    subject.sweep.push_back(track_task("window " + std::to_string(window), 1000, window, 0));
});

}  // namespace

}  // namespace glcl::bench
