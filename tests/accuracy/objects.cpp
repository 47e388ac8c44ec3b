// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-objects [--all] [--peers | --moving | --still | --coded | --clip NAME] [DEVICE]: how
// well moving objects are found in clips with known truth, whether they keep their numbers through
// crossings, and how well the camera's path is estimated.
#include <gst/gst.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "clips.h"
#include "coded.h"
#include "film.h"
#include "objectfinder.h"
#include "peers.h"
#include "program.h"
#include "reference/coding.h"
#include "reference/textured.h"

namespace {

using Box = glcl::RectF;
using clips::Clip;
using clips::Truth;
using glcl::objects::Objects;
using glcl::objects::Tracker;
using reference::Frame;

struct Score {
  int truth = 0, reported = 0, hits = 0, switches = 0, events = 0;
  int crossings = 0, switched = 0;  // found before and after; of these with swapped numbers
  double shift = 0, angle = 0;      // the worst error of the path per second, px and degrees
  double f1() const { return truth + reported ? 2.0 * hits / (truth + reported) : 1; }
  double recall() const { return truth ? double(hits) / truth : 1; }
  double precision() const { return reported ? double(hits) / reported : 1; }
  void add(const Score &other) {
    truth += other.truth, reported += other.reported, hits += other.hits,
        switches += other.switches;
    crossings += other.crossings, switched += other.switched;
    shift = std::max(shift, other.shift), angle = std::max(angle, other.angle);
  }
};

constexpr int frames = 60, settled = 3;

/// The size of most clips. Smaller ones show the same and save time.
std::pair<int, int> clip_size(bool whole) {
  return whole ? std::pair(320, 240) : std::pair(256, 192);
}

// The bounds of the test, over all clips and for each kind.
constexpr double least_recall = 0.9, least_precision = 0.9, least_of_kind = 0.75, most_shift = 1,
                 most_angle = 0.1, most_switched = 0.05;

/// The centre of the first frame in a view, relative to the view's centre, px.
std::pair<double, double> path(const clips::CameraView &first, const clips::CameraView &now) {
  const double x = first.x - now.x, y = first.y - now.y;
  return {now.zoom * (std::cos(now.angle) * x + std::sin(now.angle) * y),
          now.zoom * (-std::sin(now.angle) * x + std::cos(now.angle) * y)};
}

/// Which boxes of a frame match the truth by half; `found`: pairs of an object and its box.
template <class Found>
void match(const Truth &truth, const std::vector<Box> &boxes, Score &score, Found found) {
  const std::vector<int> matches = clips::matched_boxes(truth.boxes, boxes, 0.5);
  std::vector<bool> used(boxes.size());
  for (size_t t = 0; t < matches.size(); t++) {
    score.truth += truth.countable[t];
    if (matches[t] < 0) continue;
    used[size_t(matches[t])] = true;
    if (!truth.countable[t]) continue;
    score.hits++, score.reported++;
    found(t, size_t(matches[t]));
  }
  for (size_t o = 0; o < used.size(); o++) {
    if (used[o]) continue;
    // An object that is hardly visible may be reported or not.
    bool excused = false;
    for (size_t t = 0; t < truth.boxes.size(); t++)
      excused |= !truth.countable[t] && truth.boxes[t].right > 0 &&
                 clips::intersection_over_union(truth.boxes[t], boxes[o]) > 0.1;
    score.reported += !excused;
  }
}

/// The numbers of two objects before and after they touched.
class Crossing {
 public:
  void frame(const Truth &truth) {
    const auto near = [](const Box &a, const Box &b) {
      constexpr double by = 4;
      return a.left < b.right + by && b.left < a.right + by && a.top < b.bottom + by &&
             b.top < a.bottom + by;
    };
    const Box &a = truth.boxes[0], &b = truth.boxes[1];
    const bool hidden = a.right < a.left || b.right < b.left;
    touches_ = near(a, b) || (touched_ && hidden);
    touched_ |= touches_;
    if (touches_) after_.clear();
  }
  void found(size_t which, uint64_t id) {
    if (touched_ && !touches_) after_.emplace(which, id);
    if (!touched_) before_[which] = id;
  }
  void count(Score &score) const {
    int both = 0, others = 0;
    for (const auto &[which, id] : after_)
      if (before_.count(which)) both++, others += before_.at(which) != id;
    score.crossings = both > 0, score.switched = others > 0;
  }

 private:
  bool touches_ = false, touched_ = false;
  std::map<size_t, uint64_t> before_, after_;
};

/// `lit`: applies the light of a frame by its number.
template <class Lit>
Score score(glcl::Queue &queue, const Clip &clip, int width, int height, Lit lit) {
  Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  ObjectFinder finder(queue, width, height, settings);
  Score score;
  std::map<size_t, uint64_t> ids;
  const bool crosses = clip.objects().rfind("crossing", 0) == 0;
  Crossing crossing;
  clips::CameraView first;
  std::vector<std::array<double, 3>> off;
  for (int i = 0; i < frames; i++) {
    Truth truth;
    const Tracker::Report report = finder.next(lit(clip.frame(i, truth), i));
    if (i == 0) first = truth.view;
    score.events += int(report.begun.size());
    const float *p = finder.regions.state.path.s;
    const auto [x, y] = path(first, truth.view);
    off.push_back({p[0] - x, p[1] - y, p[3] + (truth.view.angle - first.angle)});
    if (i >= 25) {
      const auto &was = off[size_t(i) - 25], &now = off[size_t(i)];
      score.shift = std::max(score.shift, std::hypot(now[0] - was[0], now[1] - was[1]));
      score.angle = std::max(score.angle, std::abs(now[2] - was[2]) * 180 / 3.14159265);
    }
    if (crosses) crossing.frame(truth);
    if (i < settled) continue;
    std::vector<Box> boxes;
    for (const auto &object : report.objects) boxes.push_back(object.box);
    match(truth, boxes, score, [&](size_t t, size_t o) {
      const uint64_t id = report.objects[o].id;
      if (ids.count(t) && ids[t] != id) score.switches++;
      ids[t] = id;
      if (crosses) crossing.found(t, id);
    });
  }
  if (crosses) crossing.count(score);
  return score;
}

Score score(glcl::Queue &queue, const Clip &clip, int width, int height) {
  return score(queue, clip, width, height, [](const Frame &frame, int) { return frame; });
}

void print(const std::string &name, const Score &s, const char *mark = "") {
  std::printf("%-32s %7.3f %9.3f %8d %8.3f %8.4f %s\n", name.c_str(), s.recall(), s.precision(),
              s.switches, s.shift, s.angle, mark);
}

std::vector<Frame> pictures() {
  std::vector<Frame> list = film::pictures();
  list.push_back(reference::textured_frame(800, 600, {}, 5));
  return list;
}

/// Clips of every kind of camera, with every second kind of objects or with all. Prints the scores;
/// returns the number of bounds that were missed.
int compare_clips(glcl::Queue &queue, bool whole, const std::string &only) {
  const auto [width, height] = clip_size(whole);
  const std::vector<Frame> photographs = pictures();
  const auto &scenarios = Clip::scenarios();
  Score all;
  std::map<std::string, Score> kinds;
  unsigned number = 0;
  std::printf("%-32s %7s %9s %8s %8s %8s\n", "objects and camera", "recall", "precision",
              "switches", "px/s", "°/s");
  for (size_t c = 0; c < Clip::cameras().size(); c++)
    for (size_t k = 0; k < scenarios.size(); k += whole ? 1 : 4, number++) {
      const std::string &camera = Clip::cameras()[c],
                        &objects = scenarios[(k + c) % scenarios.size()];
      const Clip clip(camera, objects, number % 2 ? 6 : 0, photographs[number % photographs.size()],
                      width, height, number);
      if (clip.name().find(only) == std::string::npos) continue;
      const Score s = score(queue, clip, width, height);
      print(clip.name(), s);
      all.add(s);
      kinds[camera].add(s);
      kinds[objects].add(s);
    }
  if (!only.empty()) return 0;
  int missed = 0;
  std::printf("\n");
  for (const auto &[name, s] : kinds) {
    const bool good = s.recall() >= least_of_kind && s.precision() >= least_of_kind &&
                      (s.truth > 0 || name == "none");
    print(name, s, good ? "" : "!");
    missed += !good;
  }
  const bool good = all.truth > 0 && all.recall() >= least_recall &&
                    all.precision() >= least_precision && all.shift <= most_shift &&
                    all.angle <= most_angle;
  print("all", all, good ? "" : "!");
  return missed + !good;
}

/// Pairs that meet from any side, under any camera. Prints the scores and how many numbers were
/// swapped; returns the number of bounds that were missed.
int compare_crossings(glcl::Queue &queue, bool whole, const std::string &only) {
  const std::vector<Frame> photographs = pictures();
  Score all;
  std::printf("\n");
  const unsigned count = whole ? 80 : accuracy::few_rows() ? 3 : 6;
  for (unsigned number = 1; number <= count; number++) {
    const Clip clip(Clip::cameras()[number % Clip::cameras().size()],
                    "crossing " + std::to_string(number), number / 8 % 2 ? 6 : 0,
                    photographs[(number + number / 16) % photographs.size()], 320, 240, number);
    if (clip.name().find(only) == std::string::npos) continue;
    const Score s = score(queue, clip, 320, 240);
    print(clip.name(), s, s.switched ? "switched" : "");
    all.add(s);
  }
  if (!only.empty()) return 0;
  const bool good =
      all.crossings > 0 && all.switched <= std::max(int(most_switched * all.crossings), 1);
  print("all that cross", all);
  std::printf("%d of %d crossings switched numbers %s\n", all.switched, all.crossings,
              good ? "" : "!");
  return !good;
}

/// Compares with OpenCV by F1 over the same clips: the element must be better with a moving camera,
/// and not worse than the mixture models with a static one, whatever threshold these use.
int compare_peers(glcl::Queue &queue, bool whole) {
  constexpr int width = 320, height = 240;
  const std::vector<Frame> photographs = pictures();
  Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  const std::vector<ObjectPeer> peers =
      object_peers(int(Objects::least_area(settings, width, height)));
  if (peers.empty()) {
    std::printf("SKIP: no OpenCV in this build (-Dpeers=enabled)\n");
    return 0;
  }
  std::vector<std::map<std::string, Score>> scores(peers.size() +
                                                   1);  // by camera; the element comes first
  unsigned number = 0;
  for (size_t c = 0; c < Clip::cameras().size(); c++)
    for (size_t k = 0; k < Clip::scenarios().size(); k += whole    ? 1
                                                          : c == 0 ? 3
                                                                   : 12,
                number += 3) {
      const std::string &camera = Clip::cameras()[c],
                        &objects = Clip::scenarios()[(k + c) % Clip::scenarios().size()];
      const Clip clip(camera, objects, number % 2 ? 6 : 0, photographs[number % photographs.size()],
                      width, height, number);
      ObjectFinder finder(queue, width, height, settings);
      std::vector<decltype(peers[0].begin())> others;
      for (const ObjectPeer &peer : peers) others.push_back(peer.begin());
      for (int i = 0; i < frames; i++) {
        Truth truth;
        const Frame frame = clip.frame(i, truth);
        for (size_t p = 0; p <= peers.size(); p++) {
          std::vector<Box> boxes;
          if (p)
            for (const auto &[left, top, right, bottom] : others[p - 1](frame))
              boxes.push_back({float(left), float(top), float(right), float(bottom)});
          else
            for (const auto &object : finder.next(frame).objects) boxes.push_back(object.box);
          if (i < settled) continue;
          match(truth, boxes, scores[p][camera], [](size_t, size_t) {});
          if (c) match(truth, boxes, scores[p]["moving"], [](size_t, size_t) {});
        }
      }
    }
  std::printf("\n%-16s", "F1");
  for (const auto &[kind, score] : scores[0]) std::printf(" %10s", kind.c_str());
  for (size_t p = 0; p <= peers.size(); p++) {
    std::printf("\n%-16s", p ? peers[p - 1].name.c_str() : "ours");
    for (auto &[kind, score] : scores[p]) std::printf(" %10.3f", score.f1());
  }
  std::printf("\n");
  int missed = 0;
  for (size_t p = 1; p <= peers.size(); p++) {
    const bool mixtures = peers[p - 1].name.rfind("MOG2", 0) == 0;
    missed += scores[p]["moving"].f1() >= scores[0]["moving"].f1();
    missed += mixtures && scores[p]["fixed"].f1() > scores[0]["fixed"].f1();
  }
  return missed;
}

/// Clips with rolling bands of light or changing exposure; returns the number of missed bounds.
int compare_lit(glcl::Queue &queue, bool whole) {
  const auto [width, height] = clip_size(whole);
  const std::vector<Frame> photographs = pictures();
  int missed = 0;
  unsigned number = 0;
  std::printf("\n");
  for (const char *camera : {"fixed", "pan", "shake"})
    for (const char *light : {"rolling", "exposure"}) {
      const Clip clip(camera, "one", 3, photographs[number % photographs.size()], width, height,
                      number);
      number++;
      if (number / 2 % 2 && accuracy::few_rows()) continue;
      const bool rolls = light[0] == 'r';
      const Score s = score(queue, clip, width, height, [rolls](const Frame &frame, int i) {
        return rolls ? reference::rolling(frame, 0.06, i)
                     : reference::relit(frame, 1 + 0.15 * std::sin(i / 8.0), 0);
      });
      const bool good = s.recall() >= least_of_kind && s.precision() >= least_of_kind;
      print(clip.name() + ", " + light, s, good ? "" : "!");
      missed += !good;
    }
  return missed;
}

/// Clips of a static camera, compressed at low rates; returns the number of missed bounds.
int compare_coded(glcl::Queue &queue, bool whole) {
  constexpr double least_coded_recall = 0.65, least_coded_precision = 0.75;
  constexpr int width = 320, height = 240, kbits = 64;
  const std::vector<Frame> photographs = pictures();
  std::printf("\n");
  for (const char *codec : {"H.264", "MPEG-4"}) {
    const auto there = clips::codecs();
    if (std::find(there.begin(), there.end(), codec) == there.end())
      film::leave_out(std::string("no encoder and decoder of ") + codec + " in GStreamer");
  }
  Score all;
  unsigned number = 0;
  for (const std::string &codec : clips::codecs())
    for (const std::string &objects :
         whole ? Clip::scenarios() : std::vector<std::string>{"one", "four", "leaving"}) {
      const Clip clip("fixed", objects, 3, photographs[number % photographs.size()], width, height,
                      number);
      number++;
      std::vector<Frame> list;
      Truth truth;
      for (int i = 0; i < frames; i++) list.push_back(clip.frame(i, truth));
      list = clips::coded(list, codec, kbits);
      const Score s =
          score(queue, clip, width, height, [&](const Frame &, int i) { return list[size_t(i)]; });
      print(clip.name() + ", " + codec, s);
      all.add(s);
    }
  if (!number) return 0;  // skipped
  const bool good = all.truth > 0 && all.recall() >= least_coded_recall &&
                    all.precision() >= least_coded_precision;
  print("all that are coded", all, good ? "" : "!");
  return !good;
}

/// Static scenes with noise, flicker, changing light and compression: counts the objects that
/// begin.
int compare_still(glcl::Queue &queue, bool whole) {
  const auto [width, height] = clip_size(whole);
  const int count = whole ? 1000 : 80;
  int events = 0;
  std::printf("\n%-32s %7s\n", "still scenes", "events");
  std::vector<std::pair<std::string, Frame>> scenes{
      {"one colour", reference::flat_frame(width, height)},
      {"shapes", reference::natural_frame(width, height)}};
  for (const Frame &picture : film::pictures())
    scenes.push_back({"photograph", reference::crop(picture, 100, 100, width, height)});
  enum Light { flicker, rolls, exposure, even };
  constexpr const char *names[] = {"flicker", "rolling", "exposure", "coded"};
  struct Kind {
    int noise;
    Light light;
    double by, step;  // the part by which light changes; the quantiser step, levels
  };
  unsigned number = 0;
  for (const auto &[name, scene] : scenes)
    for (const auto &[noise, light, by, step] : {Kind{6, flicker, 0.06, 0},
                                                 {2, flicker, 0.06, 0},
                                                 {4, rolls, 0.08, 0},
                                                 {3, exposure, 0.3, 0},
                                                 {4, even, 0, 16}}) {
      if (number++ % 2 && accuracy::few_rows()) continue;
      Objects::Settings settings;
      settings.compensation = glcl::camera::Compensation::first_order_flow;
      ObjectFinder finder(queue, width, height, settings);
      reference::Coder coder(step);
      int begun = 0;
      for (int i = 0; i < count; i++) {
        Frame frame = scene;
        if (light == flicker) frame = reference::relit(frame, i % 3 ? 1 : 1 - by, 0);
        if (light == exposure) frame = reference::relit(frame, 1 + by * std::sin(i / 15.0), 0);
        if (light == rolls) frame = reference::rolling(frame, by, i);
        frame = reference::noisy(frame, noise, unsigned(i));
        begun += int(finder.next(step > 0 ? coder.code(frame, i % 12 == 0) : frame).begun.size());
      }
      std::printf("%-20s %d, %-9s %7d %s\n", name.c_str(), noise, names[light], begun,
                  begun ? "!" : "");
      events += begun;
    }
  return events;
}

/// A car that a hand-held camera follows: counts the frames, from the third on, in which its box is
/// found; returns the number of missed bounds.
int compare_cars(glcl::Queue &queue) {
  constexpr double least_found = 0.85;
  const std::string folder = reference::data_folder("objects/cars1/");
  const auto path = [&](const char *kind, int number, const char *end) {
    return folder + kind + (number < 10 ? "0" : "") + std::to_string(number) + end;
  };
  if (!std::filesystem::exists(path("frame", 1, ".jpg"))) {
    film::leave_out("there is no " + folder);
    return 0;
  }
  int hits = 0, frames = 0;
  std::unique_ptr<ObjectFinder> finder;
  for (int n = 1; std::filesystem::exists(path("frame", n, ".jpg")); n++) {
    const Frame frame = reference::load_picture(path("frame", n, ".jpg")),
                mask = reference::load_picture(path("mask", n, ".png"));
    Objects::Settings settings;
    settings.compensation = glcl::camera::Compensation::first_order_flow;
    if (!finder)
      finder = std::make_unique<ObjectFinder>(queue, frame.width, frame.height, settings);
    const Tracker::Report report = finder->next(frame);
    Box truth{1e9, 1e9, -1e9, -1e9};
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++)
        if (mask.at(x, y)[0] > 127)
          truth = glcl::united(truth, {float(x), float(y), float(x + 1), float(y + 1)});
    double best = 0;
    for (const auto &object : report.objects)
      best = std::max(best, clips::intersection_over_union(truth, object.box));
    if (n < 3) continue;
    frames++;
    hits += best >= 0.5;
  }
  const bool good = frames >= 10 && hits >= least_found * frames;
  std::printf("\ncars1: found in %d of %d frames%s\n", hits, frames, good ? "" : " !");
  return !good;
}

/// The scenes of moving objects, of which `only` selects one; returns the number of missed bounds.
int compare_moving(glcl::Queue &queue, bool whole, const std::string &only) {
  int missed = compare_clips(queue, whole, only) + compare_crossings(queue, whole, only);
  if (only.empty()) missed += compare_lit(queue, whole);
  if (only.empty() || only == "cars1") missed += compare_cars(queue);
  return missed;
}

/// `part`: the option that selects scenes, or empty for all.
int run(const std::string &wish, bool whole, const std::string &part, const std::string &only) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  if (part == "--peers") return compare_peers(queue, whole) ? EXIT_FAILURE : EXIT_SUCCESS;
  const bool all = part.empty() && only.empty();
  int missed = 0;
  if (part.empty() || part == "--moving") missed += compare_moving(queue, whole, only);
  if (all || part == "--coded") missed += compare_coded(queue, whole);
  if (all || part == "--still") missed += compare_still(queue, whole);
  if (missed) std::printf("%d results are beyond their bounds (!)\n", missed);
  return film::exit_status(!missed);
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  constexpr const char *parts[] = {"--peers", "--moving", "--still", "--coded"};
  std::string device = "auto", only, part;
  bool whole = false;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (argument == "--clip" && i + 1 < argc)
      only = argv[++i];
    else if (argument == "--all")
      whole = true;
    else if (std::find(std::begin(parts), std::end(parts), argument) != std::end(parts))
      part = argument;
    else
      device = argument;
  }
  try {
    return run(device, whole, part, only);
  } catch (const glcl::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
