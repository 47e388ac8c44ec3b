// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-klt [DEVICE]: how well points are followed, as a table. Scenes whose motion is known, 60
// frames each: the median error a frame, the drift after all, the share of the points of the first
// frame that is still followed of those that stayed visible, and the share of those that is wrong
// by more than a pixel. Fails where a row is beyond its bounds.
#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>

#include "klt/klt.h"
#include "opencl/device.h"
#include "reference/textured.h"
#include "reference/transfer.h"

namespace {

using glcl::klt::Klt;
using glcl::klt::Points;
using reference::Frame;
using reference::Motion;
using reference::Point;

constexpr int margin = 16;  // px: a point nearer to the edge does not count as visible

struct Scene {
  std::string name;
  std::function<Frame(int frame)> frame;
  /// Where a place of frame `from` is in frame `to`; none where it is hidden or new there.
  std::function<Point(Point, int from, int to)> truth;
  std::function<bool(Point, int frame)> visible;
  struct {
    double error, drift, kept, wrong;
  } bounds;
  Klt::Settings settings;
};

struct List {
  Points::Summary summary;
  std::vector<Points::Told> points;
};

/// The engine over a clip, list by list.
std::vector<List> follow(glcl::Queue &queue, const std::function<Frame(int)> &frame, int count,
                         const Klt::Settings &settings) {
  const glcl::Layout layout = glcl::layout_for(queue.context().device());
  std::unique_ptr<Klt> klt;
  std::vector<List> lists;
  for (int i = 0; i < count; i++) {
    const Frame now = frame(i);
    if (!klt) klt = std::make_unique<Klt>(queue.context(), now.width, now.height, layout);
    klt->run(queue, settings, reference::upload(queue, now, layout));
    klt->tell(queue);
    List list;
    queue.cl().enqueueReadBuffer(klt->points().told(), CL_TRUE, 0, sizeof list.summary,
                                 &list.summary);
    list.points.resize(list.summary.count);
    if (!list.points.empty())
      queue.cl().enqueueReadBuffer(klt->points().told(), CL_TRUE, sizeof list.summary,
                                   list.points.size() * sizeof(Points::Told), list.points.data());
    lists.push_back(std::move(list));
  }
  return lists;
}

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

constexpr int w = 320, h = 240, frames = 60;

bool inside(Point p) {
  return p.x >= margin && p.y >= margin && p.x < w - margin && p.y < h - margin;
}

/// A plane seen by a camera that a function moves: where a pixel of a frame is in the plane, and
/// back.
struct Camera {
  std::function<Point(Point, int)> undo, apply;
};

Camera camera(const std::function<Motion(int)> &motion) {
  return {[=](Point p, int i) { return motion(i).undo(p, w, h); },
          [=](Point p, int i) { return motion(i).apply(p, w, h); }};
}

/// Turned about a vertical axis by `turn` radians a frame, at a distance of 2 widths.
Camera tilted(double turn) {
  const double far = 2.0 * w, cx = w / 2.0, cy = h / 2.0;
  return {[=](Point p, int i) {
            const double a = turn * i, x = p.x - cx, y = p.y - cy;
            // The ray (x, y, far) meets the plane that is turned.
            const double s = far * std::cos(a) / (far * std::cos(a) - x * std::sin(a));
            const double depth = s * far, px = s * x;
            return Point{cx + px * std::cos(a) + (depth - far) * std::sin(a), cy + s * y};
          },
          [=](Point p, int i) {
            const double a = turn * i, x = p.x - cx, y = p.y - cy;
            const double depth = far + x * std::sin(a);
            return Point{cx + far * x * std::cos(a) / depth, cy + far * y / depth};
          }};
}

Scene plane(const std::string &name, const Camera &view) {
  return {name,
          [=](int i) {
            return reference::seen_texture(
                w, h, [&](Point p) { return view.undo(p, i); }, 1);
          },
          [=](Point p, int from, int to) { return view.apply(view.undo(p, from), to); },
          [](Point p, int) { return inside(p); },
          {0.03, 0.5, 0.95, 0.02},
          {}};
}

/// A camera in a hand.
Motion shaken(int i) {
  return {2.6 * std::sin(0.9 * i) + 1.7 * std::sin(0.37 * i), 2.1 * std::sin(0.7 * i + 1),
          0.01 * std::sin(0.5 * i), 1};
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  all.push_back(plane("shift", camera([](int i) { return Motion{1.3 * i, 0.45 * i}; })));
  all.push_back(plane("fast shift", camera([](int i) {
                        return Motion{45 * std::sin(0.2 * i), 20 * std::sin(0.31 * i)};
                      })));
  all.push_back(plane("rotation", camera([](int i) { return Motion{0, 0, 0.004 * i}; })));
  all.push_back(plane("zoom", camera([](int i) { return Motion{0, 0, 0, std::pow(1.004, i)}; })));
  all.push_back(plane("perspective", tilted(0.008)));
  all.push_back(plane("hand-held", camera(shaken)));
  Scene light = plane("light ± 30 %", camera(shaken));
  light.frame = [dark = light.frame](int i) {
    return reference::relit(dark(i), 1 + 0.3 * std::sin(0.4 * i), 0);
  };
  all.push_back(light);
  Scene noisy = plane("noise 6", camera(shaken));
  noisy.frame = [clean = noisy.frame](int i) { return reference::noisy(clean(i), 6, i + 1); };
  noisy.bounds.error = 0.06;
  all.push_back(noisy);
  // Two discs pass over.
  Scene hidden = plane("occluders", camera(shaken));
  const auto covered = [](double x, double y, int i) {
    return std::hypot(x - 40 - 4 * i, y - 80) < 30 || std::hypot(x - 250 + 3 * i, y - 170) < 24;
  };
  hidden.frame = [open = hidden.frame, covered](int i) {
    const Frame front = reference::seen_texture(
        w, h,
        [&](Point p) {
          return Point{p.x - 4 * i, p.y};
        },
        5);
    return reference::covered(open(i), front, [&](int x, int y) { return covered(x, y, i); });
  };
  hidden.visible = [covered](Point p, int i) {
    for (int y = -8; y <= 8; y += 8)
      for (int x = -8; x <= 8; x += 8)
        if (covered(p.x + x, p.y + y, i)) return false;
    return inside(p);
  };
  all.push_back(hidden);
  return all;
}

/// Prints how points are followed; how many rows are beyond their bounds.
int compare(glcl::Queue &queue) {
  std::printf("%s\n%-18s %8s %8s %8s %8s %8s\n", queue.context().device().name.c_str(),
              "made scenes", "points", "error", "drift", "kept", "wrong");
  int beyond = 0;
  for (Scene &scene : scenes()) {
    scene.settings.features = 300;
    scene.settings.reselect = 0;
    const std::vector<List> lists = follow(queue, scene.frame, frames, scene.settings);
    std::vector<double> errors, drifts;
    std::map<unsigned, Point> first;
    for (const Points::Told &p : lists[0].points) first[p.id] = {p.x, p.y};
    for (int i = 1; i < frames; i++) {
      std::map<unsigned, Point> before;
      for (const Points::Told &p : lists[i - 1].points) before[p.id] = {p.x, p.y};
      for (const Points::Told &p : lists[i].points) {
        if (!p.age || !scene.visible({p.x, p.y}, i)) continue;
        const Point was = before[p.id], is = scene.truth(was, i - 1, i);
        errors.push_back(distance({p.vx, p.vy}, {is.x - was.x, is.y - was.y}));
      }
    }
    double stayed = 0, kept = 0, wrong = 0;
    for (const auto &[id, at] : first) {
      if (!scene.visible(at, 0)) continue;  // on what passes over, or at its edge
      bool visible = true;
      for (int i = 0; i < frames && visible; i++) visible = scene.visible(scene.truth(at, 0, i), i);
      stayed += visible;
      for (const Points::Told &p : lists.back().points) {
        if (p.id != id) continue;
        const double drift = distance({p.x, p.y}, scene.truth(at, 0, frames - 1));
        drifts.push_back(drift);
        kept += visible, wrong += drift > 1;
      }
    }
    const double error = median(errors), drift = median(drifts), share = kept / stayed,
                 bad = drifts.empty() ? 0 : wrong / double(drifts.size());
    const bool good = stayed >= 20 && error <= scene.bounds.error && drift <= scene.bounds.drift &&
                      share >= scene.bounds.kept && bad <= scene.bounds.wrong;
    std::printf("%-18s %8.0f %8.4f %8.3f %8.3f %8.3f%s\n", scene.name.c_str(), stayed, error, drift,
                share, bad, good ? "" : " !");
    beyond += !good;
  }
  return beyond;
}

int run(const std::string &wish) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  const int beyond = compare(queue);
  if (beyond) std::printf("%d rows are beyond their bounds (!)\n", beyond);
  return beyond ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  try {
    return run(argc > 1 ? argv[1] : "auto");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
