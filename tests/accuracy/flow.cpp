// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-flow [DEVICE]: the mean end-point error of the optical flow, in px over all pixels with
// known truth, borders included, as a table: made scenes, and the pairs in flow/ of the folder
// GLCL_DATA. A second table has scenes with noise, static and moved: made scenes, and the
// photographs in images/. A third one has a wall behind a moving object, a fourth one scenes that
// an encoder has sent, a fifth one the errors by confidence. Fails if a row is above its bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "coded.h"
#include "film.h"
#include "opencl/device.h"
#include "opticalflow/flow.h"
#include "opticalflow/preset.h"
#include "program.h"
#include "reference/opticalflow/flow.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "statistics.h"

namespace {

namespace fs = std::filesystem;
using glcl::opticalflow::Flow;
using glcl::opticalflow::Preset;
using reference::Frame;
using reference::Motion;
using reference::opticalflow::Field;

struct Pair {
  std::string name;
  Frame before, after;
  Field truth;
  double bounds[3];  // px, of the presets
  bool made = true;
};
constexpr double unbounded = 99;  // of real pictures

Field without_truth(Field truth, const std::function<bool(int x, int y)> &where) {
  for (int y = 0; y < truth.height; y++)
    for (int x = 0; x < truth.width; x++)
      if (where(x, y)) truth.vectors[2 * (size_t(y) * truth.width + x)] = 2e9f;
  return truth;
}

std::vector<Pair> made_pairs() {
  const int w = 320, h = 240;
  const Frame still = reference::textured_frame(w, h);
  std::vector<Pair> pairs;
  const auto add = [&](const char *name, const Motion &motion, double fast, double others) {
    pairs.push_back({name,
                     still,
                     reference::textured_frame(w, h, motion),
                     reference::motion_field(w, h, motion),
                     {fast, others, others}});
  };
  add("moved by (0.3, -0.2)", {0.3, -0.2}, 0.03, 0.05);
  add("moved by (7.6, 4.3)", {7.6, 4.3}, 0.03, 0.06);
  add("moved by (-14, 9)", {-14, 9}, 0.05, 0.05);
  add("moved by (-31, 12)", {-31, 12}, 0.1, 0.1);
  add("moved by (-60, 30)", {-60, 30}, 0.3, 0.3);
  add("turned by 3°", {0, 0, 0.052}, 0.1, 0.1);
  add("grown by 4 %", {0, 0, 0, 1.04}, 0.1, 0.1);

  const Frame grain = reference::fine_frame(w + 128, h + 128);
  const auto crops = [&](const std::string &name, const Frame &scene, const Motion &motion,
                         const double(&bounds)[2]) {
    const int x = (scene.width - w) / 2, y = (scene.height - h) / 2;
    pairs.push_back({name + " by (" + std::to_string(int(motion.x)) + ", " +
                         std::to_string(int(motion.y)) + ")",
                     reference::crop(scene, x, y, w, h),
                     reference::crop(scene, x - int(motion.x), y - int(motion.y), w, h),
                     reference::motion_field(w, h, motion),
                     {bounds[0], bounds[1], bounds[1]},
                     bounds[0] < unbounded});
  };
  for (const auto &[motion, bound] :
       {std::pair{Motion{3, -2}, 0.1}, {{-31, 12}, 0.1}, {{-60, 30}, 0.3}}) {
    crops("fine grain", grain, motion, {bound, bound});
    int number = 0;
    for (const Frame &picture : film::pictures())
      crops("photograph " + std::to_string(++number), picture, motion, {unbounded, unbounded});
  }

  const Motion motion{2.4, 1.3};
  const Frame moved = reference::textured_frame(w, h, motion);
  const Field truth = reference::motion_field(w, h, motion);
  pairs.push_back(
      {"moved, light 20 % down", still, reference::relit(moved, 0.8, 0), truth, {0.15, 0.1, 0.1}});
  pairs.push_back(
      {"moved, 25 levels up", still, reference::relit(moved, 0.9, 25), truth, {0.15, 0.1, 0.1}});

  // A disc in the foreground moves the other way; newly covered pixels have no truth.
  const Motion opposite{-3.5, 2.2};
  const int centre_x = w / 2, centre_y = h / 2;
  const auto disc = [=](double dx, double dy) {
    return [=](int x, int y) { return std::hypot(x - centre_x - dx, y - centre_y - dy) < 60; };
  };
  const Frame front = reference::textured_frame(w, h, {}, 2);
  Field both = truth;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      if (disc(0, 0)(x, y)) {
        both.vectors[2 * (size_t(y) * w + x)] = float(opposite.x);
        both.vectors[2 * (size_t(y) * w + x) + 1] = float(opposite.y);
      }
  both = without_truth(both, [&](int x, int y) {
    return !disc(0, 0)(x, y) && disc(opposite.x, opposite.y)(int(x + motion.x), int(y + motion.y));
  });
  pairs.push_back({"a disc moves in front",
                   reference::covered(still, front, disc(0, 0)),
                   reference::covered(moved, reference::textured_frame(w, h, opposite, 2),
                                      disc(opposite.x, opposite.y)),
                   both,
                   {0.2, 0.2, 0.1}});
  return pairs;
}

std::vector<Pair> real_pairs() {
  const fs::path folder = reference::data_folder("flow");
  const struct {
    const char *name;
    double bounds[3];
  } known[] = {{"Dimetrodon", {0.20, 0.13, 0.1}},
               {"RubberWhale", {0.24, 0.14, 0.1}},
               {"Urban2", {1.2, 0.6, 0.33}}};
  std::vector<Pair> pairs;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none)) {
    const fs::path path = entry.path();
    if (!fs::exists(path / "flow10.flo")) continue;
    Pair pair{path.filename(),
              reference::load_picture(path / "frame10.png"),
              reference::load_picture(path / "frame11.png"),
              reference::opticalflow::load_flo(path / "flow10.flo"),
              {unbounded, unbounded, unbounded},
              false};
    for (const auto &[name, bounds] : known)
      if (pair.name == name) std::copy(bounds, bounds + 3, pair.bounds);
    pairs.push_back(pair);
  }
  for (const auto &[name, bounds] : known)
    if (std::none_of(pairs.begin(), pairs.end(),
                     [&name = name](const Pair &pair) { return pair.name == name; }))
      film::leave_out("there is no " + (folder / name / "flow10.flo").string());
  std::sort(pairs.begin(), pairs.end(), [](auto &a, auto &b) { return a.name < b.name; });
  return pairs;
}

constexpr Preset presets[] = {Preset::fast, Preset::balanced, Preset::accurate};

Field flow_of(glcl::Queue &queue, const Frame &before, const Frame &after, Preset preset) {
  const glcl::Layout layout = glcl::layout_for(queue.context().device());
  const auto values = glcl::opticalflow::preset_values(preset);
  Flow flow(queue.context(), before.width, before.height, layout, values.channels);
  const Flow::Settings settings = glcl::opticalflow::flow_settings(values);
  flow.prepare(settings);
  flow.run(queue, settings, reference::upload(queue, before, layout));
  flow.run(queue, settings, reference::upload(queue, after, layout));
  return reference::opticalflow::download(queue, flow.field());
}

/// Of the vectors with at least this confidence, 95 % have at most this error, px.
struct ErrorBound {
  float confidence;
  double error;
};
constexpr ErrorBound error_bounds[] = {{0.5f, 1}, {0.9f, 0.5}};
constexpr double least_kept = 0.95;
constexpr double least_share = 0.01;  // of the vectors; fewer are not judged

/// How many vectors have a true one and such a confidence, and how many of these are within the
/// bound.
struct ConfidenceCounts {
  double known = 0, sure = 0, kept = 0;
};
using PairCounts = std::array<ConfidenceCounts, std::size(error_bounds)>;

PairCounts count_confident(const Field &field, const Field &truth) {
  PairCounts counts;
  for (size_t i = 0; i < counts.size(); i++) {
    const auto &[confidence, error] = error_bounds[i];
    auto &[known, sure, kept] = counts[i];
    for (int y = 0; y < field.height; y++)
      for (int x = 0; x < field.width; x++) {
        if (!(std::abs(truth.x(x, y)) < 1e9f)) continue;
        known++;
        if (field.confidence[size_t(y) * field.width + x] < confidence) continue;
        sure++;
        kept += std::hypot(field.x(x, y) - truth.x(x, y), field.y(x, y) - truth.y(x, y)) <= error;
      }
  }
  return counts;
}

/// The counts of each pair without noise, by preset.
using CleanCounts = std::vector<std::array<PairCounts, std::size(presets)>>;

/// Prints how far the flow of pairs is from their truth; how many results are above their bounds.
/// `counts`: of these flows.
int compare(glcl::Queue &queue, const std::vector<Pair> &pairs, CleanCounts &counts) {
  std::printf("%s\n%-24s %8s %9s %9s %9s\n", queue.context().device().name.c_str(), "AEE in px",
              "none", "fast", "balanced", "accurate");
  int above = 0;
  for (const Pair &pair : pairs) {
    Field none = pair.truth;
    std::fill(none.vectors.begin(), none.vectors.end(), 0.0f);
    std::printf("%-24s %8.3f", pair.name.c_str(),
                reference::opticalflow::end_point_error(none, pair.truth));
    counts.emplace_back();
    for (int i = 0; i < 3; i++) {
      const Field field = flow_of(queue, pair.before, pair.after, presets[i]);
      counts.back()[i] = count_confident(field, pair.truth);
      const double error = reference::opticalflow::end_point_error(field, pair.truth);
      const bool good = error <= pair.bounds[i];
      std::printf(" %8.3f%s", error, good ? " " : "!");
      above += !good;
    }
    std::printf("\n");
  }
  return above;
}

/// A scene before and after a motion.
struct Scene {
  std::string name;
  Frame before, after;
  Motion motion;
  double bounds[3][2];  // of the median error in px, by preset; noise up to 8, and of 16
};

std::vector<Scene> scenes() {
  const int w = 320, h = 200;
  const Motion motion{3, -2};
  const Frame flat = reference::flat_frame(w, h), texture = reference::textured_frame(w, h);
  Frame faint(w, h);  // a wall that is lit from one side
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) std::fill_n(faint.at(x, y), 4, uint8_t(110 + x / 16));
  std::vector<Scene> all{{"one colour", flat, flat, {}, {}},
                         {"faint gradient", faint, faint, {}, {}},
                         {"texture", texture, texture, {}, {}},
                         {"texture",
                          texture,
                          reference::textured_frame(w, h, motion),
                          motion,
                          {{0.08, 0.1}, {0.08, 0.1}, {0.1, 0.14}}}};
  // A pixel a frame, of which grey loses most where the noise is 16.
  const Motion slow{0.8, -0.6};
  all.push_back({"texture",
                 texture,
                 reference::textured_frame(w, h, slow),
                 slow,
                 {{0.08, 1}, {0.08, 0.14}, {0.08, 0.14}}});
  const Motion large{-31, 12};
  all.push_back({"texture",
                 texture,
                 reference::textured_frame(w, h, large),
                 large,
                 {{0.1, 0.2}, {0.1, 0.2}, {0.1, 0.2}}});
  const auto crops = [&](const std::string &name, const Frame &picture, int x, int y,
                         const Motion &motion, const double(&grey)[2], const double(&census)[2]) {
    const Frame before = reference::crop(picture, x, y, w, h);
    all.push_back({name,
                   before,
                   reference::crop(picture, x - int(motion.x), y - int(motion.y), w, h),
                   motion,
                   {{grey[0], grey[1]}, {census[0], census[1]}, {census[0], census[1]}}});
  };
  // Most of it has no texture but a grain of 2 levels, which noise hides.
  const Frame shapes = reference::natural_frame(w + 8, h + 8);
  crops("shapes", shapes, 4, 4, {}, {}, {});
  crops("shapes", shapes, 4, 4, motion, {0.42, 0.42}, {2.5, 2.5});
  int number = 0;
  for (const Frame &picture : film::pictures()) {
    const std::string name = "photograph " + std::to_string(++number);
    const int x = (picture.width - w) / 2, y = (picture.height - h) / 2;
    crops(name, picture, x, y, {}, {}, {});
    crops(name, picture, x, y, motion, {0.1, 0.15}, {0.1, 0.25});
    crops(name, picture, x, y, large, {0.5, 0.8}, {0.4, 0.6});
  }
  return all;
}

/// Prints the effect of noise on the flow; returns how many results exceed their bounds.
int compare_noise(glcl::Queue &queue) {
  std::printf("\n%-39s %26s   %26s   %26s\n%-14s %-12s  %-10s", "", "fast", "balanced", "accurate",
              "scene", "moved by", "noise");
  for (int i = 0; i < 3; i++) std::printf(" %8s %8s %9s ", "mean px", "moving", "median e.");
  std::printf("\n");
  int above = 0;
  for (const Scene &scene : scenes()) {
    const bool still = !scene.motion.x && !scene.motion.y;
    for (bool shot : {false, true})
      for (int level : {2, 4, 8, 16}) {
        if ((level == 2 || level == 8) == shot && accuracy::few_rows()) continue;
        std::printf("%-14s (%5.1f, %4.1f)  %-5s %2d", scene.name.c_str(), scene.motion.x,
                    scene.motion.y, shot ? "shot" : "white", level);
        const Frame before = reference::noisy(scene.before, level, 1, shot),
                    after = reference::noisy(scene.after, level, 2, shot);
        for (int i = 0; i < 3; i++) {
          const accuracy::FieldSummary f =
              accuracy::summarize(flow_of(queue, before, after, presets[i]), scene.motion);
          const bool good = still ? f.magnitude <= 0.1 && f.moving <= 0.01
                                  : f.error <= scene.bounds[i][level > 8];
          std::printf(" %8.3f %8.4f %8.3f%s ", f.magnitude, f.moving, f.error, good ? " " : "!");
          above += !good;
        }
        std::printf("\n");
      }
  }
  return above;
}

/// A scene as a camera sends it: what it shows in each frame.
struct SentScene {
  std::string name;
  std::function<Frame(int number)> frame;
  Motion motion;  // from frame to frame
};

std::vector<SentScene> sent_scenes() {
  constexpr int w = 320, h = 200;
  std::vector<SentScene> all;
  for (const Motion &motion : {Motion{}, Motion{3, -2}, Motion{0.8, -0.6}})
    all.push_back({"texture",
                   [motion](int number) {
                     return reference::textured_frame(w, h, {number * motion.x, number * motion.y});
                   },
                   motion});
  int count = 0;
  for (const Frame &picture : film::pictures()) {
    const std::string name = "photograph " + std::to_string(++count);
    for (const Motion &motion : {Motion{}, Motion{3, -2}})
      all.push_back({name,
                     [picture, motion](int number) {
                       return reference::crop(
                           picture, (picture.width - w) / 2 - number * int(motion.x),
                           (picture.height - h) / 2 - number * int(motion.y), w, h);
                     },
                     motion});
  }
  return all;
}

/// Prints the flow between the last two frames of scenes that an encoder has sent; returns how many
/// results exceed their bounds.
int compare_coded(glcl::Queue &queue) {
  constexpr int frames = 8;
  constexpr double most_mean = 0.1, most_moving = 0.01, most_error = 0.25, most_slow_error = 0.6;
  std::printf("\n%-39s %26s   %26s   %26s\n", "coded with 0.25 bits per pixel", "fast", "balanced",
              "accurate");
  int above = 0, number = 0;
  for (const SentScene &scene : sent_scenes())
    for (const std::string &codec : clips::codecs()) {
      if (number++ % 3 && accuracy::few_rows()) continue;
      const bool still = !scene.motion.x && !scene.motion.y;
      // At this rate MPEG-4 moves what is slow by half pixels, and leaves the rest for later.
      const bool coarse = codec == "MPEG-4" && std::hypot(scene.motion.x, scene.motion.y) < 2;
      const std::vector<Frame> sent = clips::coded(scene.frame, frames, codec);
      std::printf("%-14s (%5.1f, %4.1f)  %-8s", scene.name.c_str(), scene.motion.x, scene.motion.y,
                  codec.c_str());
      for (Preset preset : presets) {
        const accuracy::FieldSummary f = accuracy::summarize(
            flow_of(queue, sent[frames - 2], sent[frames - 1], preset), scene.motion);
        const bool good = still ? f.magnitude <= most_mean && f.moving <= most_moving
                                : f.error <= (coarse ? most_slow_error : most_error);
        std::printf(" %8.3f %8.4f %8.3f%s ", f.magnitude, f.moving, f.error, good ? " " : "!");
        above += !good;
      }
      std::printf("\n");
    }
  return above;
}

/// Prints how much of a wall moves while an object passes before it, in noise, beyond the reach of
/// the object, and the median error of the object; returns how many results exceed their bounds.
int compare_wall(glcl::Queue &queue) {
  constexpr int w = 480, h = 320, radius = 40, reach = 80;
  constexpr double most_moving = 0.01, most_error = 0.25;
  std::printf("\n%-25s %5s %19s %19s %19s\n", "a wall behind a disc", "noise", "fast", "balanced",
              "accurate");
  const Motion motion{3, -2};
  const auto from_middle = [](double x, double y) { return std::hypot(x - 0.5 * w, y - 0.5 * h); };
  const auto disc = [&](const Motion &moved) {
    return [=](int x, int y) { return from_middle(x - moved.x, y - moved.y) < radius; };
  };
  const Frame wall = reference::flat_frame(w, h),
              before = reference::covered(wall, reference::textured_frame(w, h, {}, 2), disc({})),
              after = reference::covered(wall, reference::textured_frame(w, h, motion, 2),
                                         disc(motion));
  int above = 0;
  for (int level : {2, 4, 8}) {
    std::printf("%-25s %5d", "moving, median error", level);
    for (Preset preset : presets) {
      const Field field = flow_of(queue, reference::noisy(before, level, 1),
                                  reference::noisy(after, level, 2), preset);
      double moving = 0, rest = 0;
      std::vector<double> errors;
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
          const double distance = from_middle(x, y), vx = field.x(x, y), vy = field.y(x, y);
          if (distance < radius - 8) errors.push_back(std::hypot(vx - motion.x, vy - motion.y));
          if (distance < radius + reach) continue;
          rest++, moving += std::hypot(vx, vy) > 0.5;
        }
      const double error = accuracy::median(errors);
      const bool good = moving <= most_moving * rest && error <= most_error;
      std::printf("   %8.4f %6.3f%s", moving / rest, error, good ? " " : "!");
      above += !good;
    }
    std::printf("\n");
  }
  return above;
}

/// The least part of the vectors with such a confidence. So the bound cannot be met by having none.
double least_confident(const Pair &pair, bool noise, Preset preset, float confidence) {
  if (confidence > 0.5f) return pair.made && !noise && preset != Preset::fast ? 0.2 : 0;
  if (noise) return pair.made ? 0.1 : 0;
  return pair.made ? 0.5 : 0.1;
}

/// Prints how many vectors have these confidences, and how many of them are within the error bound,
/// on the same pairs clean and with noise. Returns how many results exceed their bounds.
int compare_confidence(glcl::Queue &queue, const std::vector<Pair> &pairs,
                       const CleanCounts &clean) {
  std::printf("\n%-32s %5s", "share with a confidence, right", "noise");
  for (const char *preset : {"fast", "balanced", "accurate"})
    std::printf("  %-8s >= %.1f        %.1f ", preset, error_bounds[0].confidence,
                error_bounds[1].confidence);
  std::printf("\n");
  int broken = 0;
  for (size_t number = 0; number < pairs.size(); number++)
    for (int level : {0, 6}) {
      if (level && number % 3 && accuracy::few_rows()) continue;
      const Pair &pair = pairs[number];
      std::printf("%-32s %5d ", pair.name.c_str(), level);
      const Frame before = level ? reference::noisy(pair.before, level, 1) : pair.before,
                  after = level ? reference::noisy(pair.after, level, 2) : pair.after;
      for (size_t i = 0; i < std::size(presets); i++) {
        const PairCounts counts =
            level ? count_confident(flow_of(queue, before, after, presets[i]), pair.truth)
                  : clean[number][i];
        for (size_t bound = 0; bound < counts.size(); bound++) {
          const auto &[known, sure, kept] = counts[bound];
          const bool good =
              known > 0 && (kept >= least_kept * sure || sure < least_share * known) &&
              sure >=
                  least_confident(pair, level, presets[i], error_bounds[bound].confidence) * known;
          std::printf(" %.3f %.3f%s", sure / known, sure > 0 ? kept / sure : 1, good ? " " : "!");
          broken += !good;
        }
      }
      std::printf("\n");
    }
  return broken;
}

int run(int argc, char **argv) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(argc > 1 ? argv[1] : "auto")));
  std::vector<Pair> pairs = made_pairs();
  for (Pair &pair : real_pairs()) pairs.push_back(std::move(pair));
  CleanCounts clean;
  int above = compare(queue, pairs, clean);
  above += compare_noise(queue) + compare_wall(queue) + compare_coded(queue) +
           compare_confidence(queue, pairs, clean);
  if (above) std::printf("%d results are above their bounds (!)\n", above);
  return film::exit_status(!above);
}

}  // namespace

int main(int argc, char **argv) { return accuracy::main(argc, argv, run); }
