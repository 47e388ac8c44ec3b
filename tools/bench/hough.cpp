// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough/hough.h"

#include <cmath>
#include <memory>

#include "reference/hough/canny.h"
#include "reference/hough/scenes.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using hough::Canny;
using hough::Hough;

Run canny_run(Context &context, const Scene &scene, bool hysteresis) {
  const reference::Frame frame = scene.frame();
  const Layout layout = layout_for(context.device());
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const auto canny = std::make_shared<Canny>(context, frame.width, frame.height, layout);
  // Thresholds that are given: the measurement of noise is timed elsewhere.
  const Canny::Settings settings{3, 6, hysteresis};
  Run run;
  run.enqueue = [=](Queue &queue) { canny->run(queue, settings, in); };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    reference::Thresholds thresholds;
    thresholds.fill({768 * 768, 1536 * 1536});
    return compare_equal(queue, canny->edges(), reference::canny(frame, thresholds, hysteresis),
                         "edges");
  };
  run.least.bytes = 6.0 * frame.width * frame.height;
  return run;
}

/// The whole search for a logo in the scene, without the edges.
Run search_run(Context &context, const Scene &scene) {
  reference::Frame frame = scene.frame();
  const reference::Thing logo = reference::things()[2];
  const reference::Pose pose{frame.width / 2.0, frame.height / 2.0, 33, 0.9};
  reference::place(frame, logo, pose);
  const Layout layout = layout_for(context.device());
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const auto search = std::make_shared<Hough>(context, frame.width, frame.height, layout);
  search->set_shapes({hough::make_shape(upload_queue, logo.name, {},
                                        reference::upload(upload_queue, logo.picture(), layout))});
  Run run;
  run.enqueue = [=](Queue &queue) { search->run(queue, {}, in); };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    std::vector<char> bytes(Hough::result_bytes);
    queue.cl().enqueueReadBuffer(search->result(), CL_TRUE, 0, bytes.size(), bytes.data());
    const Hough::Objects found = Hough::read(bytes.data(), search->shapes());
    // Where a frame is too small to hold it there is nothing to find.
    if (std::min(frame.width, frame.height) < 100) return Agreement{true, "too small to hold it"};
    for (const auto &object : found.objects)
      if (std::abs(object.x - pose.x) < 2 && std::abs(object.y - pose.y) < 2 &&
          std::abs(object.angle - pose.angle) < 2)
        return Agreement{true, "found, of " + std::to_string(found.edges) + " edges"};
    return Agreement{false, "not found, of " + std::to_string(found.edges) + " edges"};
  };
  run.least.bytes = 6.0 * frame.width * frame.height;
  return run;
}

const Registration registration("glclhough", [](Subject &subject) {
  for (const bool hysteresis : {false, true})
    subject.tasks.push_back({hysteresis ? "edges, hysteresis" : "edges", nullptr, "",
                             [=](Context &context, const Parameters &, const Scene &scene) {
                               return canny_run(context, scene, hysteresis);
                             }});
  subject.tasks.push_back({"edges and a template", nullptr, "",
                           [](Context &context, const Parameters &, const Scene &scene) {
                             return search_run(context, scene);
                           }});
});

}  // namespace

}  // namespace glcl::bench
