// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough/hough.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hough/circlefinder.h"
#include "hough/globalmotion.h"
#include "hough/linefinder.h"
#include "hough/maketemplate.h"
#include "reference/hough/canny.h"
#include "reference/hough/circles.h"
#include "reference/hough/figures.h"
#include "reference/hough/lines.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"
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
  // Fixed thresholds: the measurement of noise is timed elsewhere.
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

/// Number of edge points: for 352×288 px the maximum of Gómez Luna (2012), for large frames up to
/// 20000.
unsigned wanted_edges(const Scene &scene) {
  if (scene.width == 352 && scene.height == 288) return 5061;
  return std::min(20000u, static_cast<unsigned>(scene.width * scene.height / 20));
}

/// The upper threshold at which a frame has about `edges` edge points.
double threshold_for(Queue &queue, Hough &search, const Picture &in, unsigned edges) {
  double least = 0, most = hough::Canny::most;
  Hough::Settings settings;
  for (int i = 0; i < 16; i++) {
    settings.high = (least + most) / 2;
    search.run(queue, settings, in);
    std::vector<char> bytes(Hough::result_bytes);
    queue.cl().enqueueReadBuffer(search.result(), CL_TRUE, 0, bytes.size(), bytes.data());
    (Hough::read(bytes.data(), {}).edges > edges ? least : most) = settings.high;
  }
  return settings.high;
}

/// The whole search for a logo in the scene, including edges; `many`: in clutter with
/// wanted_edges() edge points.
Run search_run(Context &context, const Scene &scene, bool many) {
  reference::Frame frame =
      many ? reference::noisy(reference::clutter_frame(scene.width, scene.height, 1), 8, 1)
           : scene.frame();
  const reference::Target logo = reference::targets()[2];
  const reference::Pose pose{frame.width / 2.0, frame.height / 2.0, 33, 0.9};
  reference::place(frame, logo, pose);
  const Layout layout = layout_for(context.device());
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const auto search = std::make_shared<Hough>(context, frame.width, frame.height, layout);
  Hough::Settings settings;
  if (many) settings.high = threshold_for(upload_queue, *search, in, wanted_edges(scene));
  search->set_templates({hough::make_template(
      upload_queue, logo.name, {}, reference::upload(upload_queue, logo.picture(), layout))});
  Run run;
  run.enqueue = [=](Queue &queue) { search->run(queue, settings, in); };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    std::vector<char> bytes(Hough::result_bytes);
    queue.cl().enqueueReadBuffer(search->result(), CL_TRUE, 0, bytes.size(), bytes.data());
    const Hough::TemplateMatches found = Hough::read(bytes.data(), search->templates());
    // A frame too small for the object contains none.
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

/// The motion of the whole picture by 3 px and back, without the detection of edges. `consecutive`:
/// each picture follows the one before, whose edge pairs are counted already.
Run motion_run(Context &context, const Scene &scene, bool consecutive) {
  const int width = scene.width, height = scene.height;
  const Layout layout = layout_for(context.device());
  const auto canny = std::make_shared<Canny>(context, width, height, layout);
  const auto motion = std::make_shared<hough::GlobalMotion>(context, width, height);
  Queue upload_queue(context.shared_from_this());
  for (const double x : {0.0, 3.0}) {
    const reference::Frame frame = reference::textured_frame(width, height, {x, 0, 0, 1}, 3);
    canny->run(upload_queue, {}, reference::upload(upload_queue, frame, layout));
  }
  upload_queue.cl().finish();
  const auto number = std::make_shared<uint64_t>(0);
  Run run;
  run.enqueue = [=](Queue &queue) {
    const bool back = (*number)++ % 2;
    const cl::Buffer &first = *canny->before(), &second = canny->edges();
    motion->run(queue, back ? second : first, back ? first : second, {0, 0, width, height},
                consecutive ? *number : 2 * *number);
  };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    std::vector<char> bytes(hough::GlobalMotion::result_bytes);
    queue.cl().enqueueReadBuffer(motion->result(), CL_TRUE, 0, bytes.size(), bytes.data());
    if (std::min(width, height) < 100) return Agreement{true, "too small for a motion"};
    const auto found = hough::GlobalMotion::read(bytes.data());
    const double expected = *number % 2 ? 3 : -3;
    const bool good = found && std::hypot(found->shift_x - expected, found->shift_y) < 0.5;
    return Agreement{good, good ? "3 px" : "not 3 px"};
  };
  run.least.bytes = 4.0 * width * height;
  return run;
}

/// The engine's finds equal the reference's.
template <class Found>
Agreement compare_finds(const std::vector<Found> &found, const std::vector<Found> &expected,
                        const char *what) {
  const bool good =
      found.size() == expected.size() &&
      (found.empty() || !std::memcmp(found.data(), expected.data(), found.size() * sizeof(Found)));
  return {good, std::to_string(found.size()) + " " + what + (good ? "" : ", not the same")};
}

/// The edges of the scene with lines and circles drawn over it, at fixed thresholds.
struct FigureEdges {
  FigureEdges(Context &context, const Scene &scene)
      : frame(scene.frame()),
        canny(std::make_shared<Canny>(context, frame.width, frame.height,
                                      layout_for(context.device()))) {
    const double side = std::min(frame.width, frame.height);
    for (int i = 0; i < 8; i++) {
      reference::draw(frame,
                      reference::Stroke{0.1 * i * frame.width, 0.0, 0.9 * frame.width,
                                        (0.2 + 0.1 * i) * frame.height},
                      4, 20 + 30 * i);
      reference::fill(frame,
                      reference::Arc{(0.1 + 0.1 * i) * frame.width, 0.8 * frame.height,
                                     std::min((0.03 + 0.01 * i) * side, 95.0)},
                      230 - 25 * i);
    }
    Queue queue(context.shared_from_this());
    canny->run(queue, {3, 6, false}, reference::upload(queue, frame, layout_for(context.device())));
    queue.cl().finish();
  }
  std::vector<uint16_t> edges() const {
    reference::Thresholds thresholds;
    thresholds.fill({768 * 768, 1536 * 1536});
    return reference::canny(frame, thresholds, false);
  }
  Rect region() const { return {0, 0, frame.width, frame.height}; }

  reference::Frame frame;
  std::shared_ptr<Canny> canny;
};

/// A search for lines or circles, without the detection of edges.
template <class Finder, class Reference, class Settings>
Run figures_run(Context &context, const Scene &scene, const Settings &settings, const char *what) {
  const auto from = std::make_shared<FigureEdges>(context, scene);
  const auto finder = std::make_shared<Finder>(context, from->frame.width, from->frame.height);
  Run run;
  run.enqueue = [=](Queue &queue) {
    finder->run(queue, settings, from->canny->edges(), false, from->region());
  };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    std::vector<char> bytes(Finder::result_bytes);
    queue.cl().enqueueReadBuffer(finder->result(), CL_TRUE, 0, bytes.size(), bytes.data());
    const Reference expected(from->edges(), from->frame.width, from->frame.height, false,
                             from->region(), settings);
    return compare_finds(Finder::read(bytes.data()), expected.found, what);
  };
  run.least.bytes = 2.0 * from->frame.width * from->frame.height;
  return run;
}

Run lines_run(Context &context, const Parameters &, const Scene &scene) {
  return figures_run<hough::LineFinder, reference::Lines>(context, scene,
                                                          hough::LineSettings{100, 30, 5}, "lines");
}

Run circles_run(Context &context, const Parameters &, const Scene &scene) {
  return figures_run<hough::CircleFinder, reference::Circles>(
      context, scene, hough::CircleSettings{100, 10, 100, 0.5}, "circles");
}

const Registration registration("glclhough", [](Subject &subject) {
  for (const bool hysteresis : {false, true})
    subject.tasks.push_back({hysteresis ? "edges, hysteresis" : "edges", nullptr, "",
                             [=](Context &context, const Parameters &, const Scene &scene) {
                               return canny_run(context, scene, hysteresis);
                             }});
  for (const bool consecutive : {true, false})
    subject.tasks.push_back({consecutive ? "motion of the picture" : "motion of a single picture",
                             nullptr, "",
                             [=](Context &context, const Parameters &, const Scene &scene) {
                               return motion_run(context, scene, consecutive);
                             }});
  subject.tasks.push_back({"lines", nullptr, "", lines_run});
  subject.tasks.push_back({"circles", nullptr, "", circles_run});
  subject.tasks.push_back({"edges and a template", nullptr, "",
                           [](Context &context, const Parameters &, const Scene &scene) {
                             return search_run(context, scene, false);
                           }});
  subject.tasks.push_back({"many edges and a template", nullptr, "",
                           [](Context &context, const Parameters &, const Scene &scene) {
                             return search_run(context, scene, true);
                           }});
});

}  // namespace

}  // namespace glcl::bench
