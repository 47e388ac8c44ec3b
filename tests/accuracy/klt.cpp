// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-klt [DEVICE [SCENE]]: how well points are followed, as a table. Scenes whose motion is
// known, 60 frames each: the median error a frame, the drift after all, the share of the points of
// the first frame that is still followed of those that stayed visible, and the share of those that
// is wrong by more than a pixel; of scenes in a shaking hand, how far the picture shakes that is
// held still by the points. Some scenes also run as cameras code them, at a low rate. Fails where a
// row is beyond its bounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "coded.h"
#include "klt/stabilizer.h"
#include "opencl/device.h"
#include "points.h"
#include "program.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "statistics.h"

namespace {

using accuracy::distance;
using accuracy::median;
using glcl::klt::Klt;
using glcl::klt::Points;
using glcl::klt::Stabilizer;
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
    double shake;  // px that are left; 0: it is not held still
  } bounds;
  Klt::Settings settings;
  double noise = 0;  // levels, the difference of `frame` and `clean`
  std::function<Frame(int frame)> clean;
};

struct List : accuracy::PointReport {
  glcl::klt::StabilizerState steady;
};

/// The engine over a clip, list by list.
std::vector<List> follow(glcl::Queue &queue, const std::function<Frame(int)> &frame, int count,
                         const Klt::Settings &settings) {
  const glcl::Layout layout = glcl::layout_for(queue.context().device());
  std::unique_ptr<Klt> klt;
  std::unique_ptr<Stabilizer> stabilizer;
  Stabilizer::Settings still;
  still.smoothing = 0;
  std::vector<List> lists;
  for (int i = 0; i < count; i++) {
    const Frame now = frame(i);
    if (!klt) {
      klt = std::make_unique<Klt>(queue.context(), now.width, now.height, layout);
      stabilizer = std::make_unique<Stabilizer>(queue.context(), now.width, now.height, layout);
    }
    klt->run(queue, settings, reference::upload(queue, now, layout));
    List list{accuracy::read_report(queue, *klt), {}};
    stabilizer->run(queue, still, *klt);
    queue.cl().enqueueReadBuffer(stabilizer->state(), CL_TRUE, 0, sizeof list.steady, &list.steady);
    lists.push_back(std::move(list));
  }
  return lists;
}

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

/// Frames that are made once, because several scenes and codecs use them.
std::function<Frame(int)> kept(const std::function<Frame(int)> &make) {
  const auto list = std::make_shared<std::map<int, Frame>>();
  return [=](int i) {
    const auto known = list->find(i);
    return known != list->end() ? known->second : list->emplace(i, make(i)).first->second;
  };
}

Scene plane(const std::string &name, const Camera &view) {
  return {name,
          kept([=](int i) {
            return reference::seen_texture(
                w, h, [&](Point p) { return view.undo(p, i); }, 1);
          }),
          [=](Point p, int from, int to) { return view.apply(view.undo(p, from), to); },
          [](Point p, int) { return inside(p); },
          {0.03, 0.5, 0.95, 0.02, 0},
          {}};
}

/// A camera in a hand.
Motion shaken(int i) {
  return {2.6 * std::sin(0.9 * i) + 1.7 * std::sin(0.37 * i), 2.1 * std::sin(0.7 * i + 1),
          0.01 * std::sin(0.5 * i), 1};
}

/// How far the picture shakes, px: the mean of how far its places are from where they are in the
/// mean. `moved`: as it is held still.
double shake(const Scene &scene, const std::vector<List> &lists, bool moved) {
  double sum = 0, count = 0;
  for (int y = h / 4; y <= 3 * h / 4; y += h / 4)
    for (int x = w / 4; x <= 3 * w / 4; x += w / 4) {
      std::vector<Point> places;
      Point mean;
      for (int i = 0; i < frames; i++) {
        Point p = scene.truth({double(x), double(y)}, 0, i);
        const float *m = lists[i].steady.rows;
        if (moved) p = {m[0] * p.x + m[1] * p.y + m[2], m[3] * p.x + m[4] * p.y + m[5]};
        places.push_back(p);
        mean.x += p.x / frames, mean.y += p.y / frames;
      }
      for (const Point &p : places) sum += distance(p, mean), count++;
    }
  return sum / count;
}

/// The median error a frame that noise of a level leaves any tracker (Cramér and Rao), whose
/// windows of both frames are 31×31 px.
double least_error(const Frame &clean, double level,
                   const std::vector<Points::PointRecord> &points) {
  const auto grey = [&](int x, int y) {
    const uint8_t *p = clean.at(std::clamp(x, 0, w - 1), std::clamp(y, 0, h - 1));
    return (p[0] + p[1] + p[2]) / 3.0;
  };
  std::vector<double> errors;
  for (const Points::PointRecord &p : points) {
    double xx = 0, xy = 0, yy = 0;
    for (int y = int(p.y) - 15; y <= int(p.y) + 15; y++)
      for (int x = int(p.x) - 15; x <= int(p.x) + 15; x++) {
        const double gx = (grey(x + 1, y) - grey(x - 1, y)) / 2,
                     gy = (grey(x, y + 1) - grey(x, y - 1)) / 2;
        xx += gx * gx, xy += gx * gy, yy += gy * gy;
      }
    // The median length of a two-dimensional normal distribution of the same mean variance.
    const double variance = 2 * level * level * (xx + yy) / (xx * yy - xy * xy) / 2;
    errors.push_back(std::sqrt(2 * std::log(2.0) * variance));
  }
  return median(errors);
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
  const Scene shaking = plane("hand-held", camera(shaken));
  const auto in_hand = [&](const char *name) {
    Scene scene = shaking;
    scene.name = name;
    scene.bounds.shake = 0.3;
    return scene;
  };
  all.push_back(in_hand("hand-held"));
  Scene light = in_hand("light ± 30 %");
  light.frame = [dark = light.frame](int i) {
    return reference::relit(dark(i), 1 + 0.3 * std::sin(0.4 * i), 0);
  };
  all.push_back(light);
  Scene noisy = in_hand("noise 6");
  noisy.noise = 6, noisy.clean = noisy.frame;
  noisy.frame = [clean = noisy.frame](int i) { return reference::noisy(clean(i), 6, i + 1); };
  all.push_back(noisy);
  // The picture is mostly noise, so large windows help.
  Scene dark = in_hand("dark, noise 3");
  dark.noise = 3;
  dark.clean = [bright = dark.frame](int i) { return reference::relit(bright(i), 0.2, 0); };
  dark.frame = [clean = dark.clean](int i) { return reference::noisy(clean(i), 3, i + 1); };
  dark.bounds.kept = 0.9;
  all.push_back(dark);
  // Two discs pass over.
  Scene hidden = in_hand("occluders");
  const auto covered = [](double x, double y, int i) {
    return std::hypot(x - 40 - 4 * i, y - 80) < 30 || std::hypot(x - 250 + 3 * i, y - 170) < 24;
  };
  hidden.frame = kept([open = hidden.frame, covered](int i) {
    const Frame front = reference::seen_texture(
        w, h,
        [&](Point p) {
          return Point{p.x - 4 * i, p.y};
        },
        5);
    return reference::covered(open(i), front, [&](int x, int y) { return covered(x, y, i); });
  });
  hidden.visible = [covered](Point p, int i) {
    for (int y = -8; y <= 8; y += 8)
      for (int x = -8; x <= 8; x += 8)
        if (covered(p.x + x, p.y + y, i)) return false;
    return inside(p);
  };
  all.push_back(hidden);
  return all;
}

/// How well the points of a scene are tracked.
struct Result {
  double stayed = 0, error = NAN, drift = NAN, kept = 0, wrong = 0, shake = 0, held = 0;

  Result(const Scene &scene, const std::vector<List> &lists);
  bool within(const Scene &scene, double least) const {
    return stayed >= 20 && error <= std::max(scene.bounds.error, 1.2 * least) &&
           drift <= scene.bounds.drift && kept >= scene.bounds.kept &&
           wrong <= scene.bounds.wrong && (!scene.bounds.shake || held <= scene.bounds.shake);
  }
};

Result::Result(const Scene &scene, const std::vector<List> &lists) {
  std::vector<double> errors, drifts;
  std::map<unsigned, Point> first;
  for (const Points::PointRecord &p : lists[0].points) first[p.id] = {p.x, p.y};
  for (int i = 1; i < frames; i++) {
    std::map<unsigned, Point> before;
    for (const Points::PointRecord &p : lists[i - 1].points) before[p.id] = {p.x, p.y};
    for (const Points::PointRecord &p : lists[i].points) {
      if (!p.age || !scene.visible({p.x, p.y}, i)) continue;
      const Point was = before[p.id], is = scene.truth(was, i - 1, i);
      errors.push_back(distance({p.vx, p.vy}, {is.x - was.x, is.y - was.y}));
    }
  }
  for (const auto &[id, at] : first) {
    if (!scene.visible(at, 0)) continue;  // on what passes over, or at its edge
    bool visible = true;
    for (int i = 0; i < frames && visible; i++) visible = scene.visible(scene.truth(at, 0, i), i);
    stayed += visible;
    for (const Points::PointRecord &p : lists.back().points) {
      if (p.id != id) continue;
      drifts.push_back(distance({p.x, p.y}, scene.truth(at, 0, frames - 1)));
      kept += visible, wrong += drifts.back() > 1;
    }
  }
  error = median(errors), drift = median(drifts);
  kept /= stayed;
  if (!drifts.empty()) wrong /= double(drifts.size());
  if (scene.bounds.shake) shake = ::shake(scene, lists, false), held = ::shake(scene, lists, true);
}

/// Prints a row; whether it is beyond its bounds.
bool report(glcl::Queue &queue, Scene &scene) {
  scene.settings.features = 300;
  scene.settings.reselect = 0;
  const std::vector<List> lists = follow(queue, scene.frame, frames, scene.settings);
  const Result result(scene, lists);
  const double least = scene.noise ? least_error(scene.clean(0), scene.noise, lists[0].points) : 0;
  const bool good = result.within(scene, least);
  std::printf("%-20s %8.0f %8.4f %8.3f %8.3f %8.3f", scene.name.c_str(), result.stayed,
              result.error, result.drift, result.kept, result.wrong);
  if (scene.bounds.shake) std::printf(" %8.3f %8.3f", result.shake, result.held);
  if (least > 0) std::printf("  at least %.4f", least);
  std::printf("%s\n", good ? "" : " !");
  return !good;
}

/// The scene as a camera sends it.
Scene coded(const Scene &scene, const std::string &codec) {
  Scene sent = scene;
  sent.name += ", " + codec;
  sent.frame = [list = clips::coded(scene.frame, frames, codec)](int i) { return list[size_t(i)]; };
  const bool fine = codec == "H.264";
  const double shake = scene.bounds.shake ? fine ? 0.25 : 0.35 : 0;
  if (fine)
    sent.bounds = {0.2, 0.5, 0.9, 0.08, shake};
  else  // it blurs texture and drags it along
    sent.bounds = {0.6, 1.3, 0.8, 0.65, shake};
  return sent;
}

/// Prints how points are followed; how many rows are beyond their bounds.
int compare(glcl::Queue &queue, const std::string &only) {
  std::printf("%s\n%-20s %8s %8s %8s %8s %8s %8s %8s\n", queue.context().device().name.c_str(),
              "made scenes", "points", "error", "drift", "kept", "wrong", "shake", "held");
  int beyond = 0;
  const std::vector<std::string> codecs = clips::codecs();
  for (Scene &scene : scenes()) {
    if (!only.empty() && scene.name != only) continue;
    beyond += report(queue, scene);
    if (scene.noise) continue;  // its bound is the least error
    const bool both = scene.name == "rotation" || scene.name == "hand-held";
    for (const std::string &codec : codecs) {
      if (codec != "H.264" && !both) continue;  // for the sake of time
      if (!both && accuracy::few_rows()) continue;
      Scene sent = coded(scene, codec);
      beyond += report(queue, sent);
    }
  }
  return beyond;
}

int run(int argc, char **argv) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(argc > 1 ? argv[1] : "auto")));
  return accuracy::report(compare(queue, argc > 2 ? argv[2] : ""));
}

}  // namespace

int main(int argc, char **argv) { return accuracy::main(argc, argv, run); }
