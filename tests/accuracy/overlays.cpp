// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-overlays [--chosen] [--plain] [DEVICE]: how well moving objects are found in pictures
// with logos, clocks, subtitles and black bars, which stay in place while the camera moves.
// `--chosen` runs the clips on which rules were chosen, `--plain` leaves the overlays out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "clips.h"
#include "coded.h"
#include "film.h"
#include "objectfinder.h"
#include "overlaid.h"
#include "program.h"
#include "reference/textured.h"

namespace {

using Box = glcl::RectF;
using clips::Clip;
using clips::Truth;
using glcl::objects::Objects;
using reference::Frame;

constexpr int width = 320, height = 240, frames = 60;
constexpr double least_iou = 0.5;
constexpr double least_recall = 0.85;
/// Wrong boxes per frame. Bars along the motion of the camera, and MPEG-4 around small text, still
/// give some.
const std::map<std::string, double> most_wrong{
    {"logo", 0.2}, {"clock", 0.35}, {"H.264", 0.2}, {"all", 0.9}};

struct Score {
  int frames = 0, present = 0, found = 0, wrong = 0;
  void add(const Score &other) {
    frames += other.frames, present += other.present, found += other.found, wrong += other.wrong;
  }
  bool good(const std::string &kind) const {
    const auto bound = most_wrong.find(kind);
    return bound == most_wrong.end() ||
           (found >= least_recall * present && wrong <= bound->second * frames);
  }
};

void compare(const Truth &truth, const std::vector<glcl::objects::Object> &objects, Score &score) {
  std::vector<Box> boxes;
  for (const auto &object : objects) boxes.push_back(object.box);
  const std::vector<int> matches = clips::matched_boxes(truth.boxes, boxes, least_iou);
  for (size_t t = 0; t < matches.size(); t++)
    if (truth.countable[t]) score.present++, score.found += matches[t] >= 0;
  // A box that has a match overlaps it by more than this.
  for (const Box &box : boxes)
    score.wrong += std::none_of(truth.boxes.begin(), truth.boxes.end(), [&](const Box &other) {
      return clips::intersection_over_union(other, box) > 0.2;
    });
  score.frames++;
}

Score score(glcl::Queue &queue, const std::vector<Frame> &list, const std::vector<Truth> &truth) {
  Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  ObjectFinder finder(queue, width, height, settings);
  Score score;
  for (size_t i = 0; i < list.size(); i++) {
    const auto report = finder.next(list[i]);
    if (i >= 3) compare(truth[i], report.objects, score);
  }
  return score;
}

void print(const std::string &name, const Score &s, const char *mark = "") {
  std::printf("%-44s found %4d of %4d, %4d wrong boxes in %4d frames %s\n", name.c_str(), s.found,
              s.present, s.wrong, s.frames, mark);
}

/// A clip to run: a kind of overlay, a form of the clip, and its number. Rules were chosen on odd
/// numbers and are judged by even ones.
struct Choice {
  size_t overlay;
  std::string form;
  unsigned number;
};

Score run_clip(glcl::Queue &queue, const std::vector<Frame> &pictures, const Choice &choice,
               bool plain) {
  static const char *const cameras[] = {"pan", "shake", "tilt", "pan+zoom", "shake+roll"};
  const auto &[name, draw] = clips::overlays()[choice.overlay];
  const unsigned n = choice.number;
  const Clip clip(cameras[n / 2 % 5], n / 2 % 3 ? "two" : "none", 2, pictures[n % pictures.size()],
                  width, height, n);
  std::vector<Frame> list;
  std::vector<Truth> truth(frames);
  for (int i = 0; i < frames; i++) {
    list.push_back(clip.frame(i, truth[size_t(i)]));
    if (!plain) draw(list.back(), i, n);
  }
  if (choice.form != "clean")
    list = clips::coded([&](int i) { return list[size_t(i)]; }, frames, choice.form);
  const Score s = score(queue, list, truth);
  print(std::string(name) + ", " + clip.name() + ", " + choice.form, s);
  return s;
}

int run(const std::string &wish, bool chosen, bool plain) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  std::vector<Frame> pictures = film::pictures();
  pictures.push_back(reference::textured_frame(800, 600, {}, 5));
  std::vector<std::string> forms{"clean"};
  for (const std::string &codec : clips::codecs()) forms.push_back(codec);
  for (const char *codec : {"H.264", "MPEG-4"})
    if (std::find(forms.begin(), forms.end(), codec) == forms.end())
      film::leave_out(std::string("no encoder and decoder of ") + codec + " in GStreamer");
  std::map<std::string, Score> kinds;
  unsigned number = chosen ? 1 : 2;
  for (size_t overlay = 0; overlay < clips::overlays().size(); overlay++)
    for (const std::string &form : forms) {
      // Each overlay leaves out one form, by turns.
      if (accuracy::few_rows() && number / 2 % forms.size() == overlay % forms.size()) {
        number += 2;
        continue;
      }
      const Score s = run_clip(queue, pictures, {overlay, form, number}, plain);
      number += 2;
      for (const char *kind : {clips::overlays()[overlay].first, form.c_str(), "all"})
        kinds[kind].add(s);
    }
  int beyond = 0;
  for (const auto &[name, s] : kinds) {
    print(name, s, plain || s.good(name) ? "" : "!");
    beyond += !plain && !s.good(name);
  }
  return accuracy::report(beyond);
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    std::string device = "auto";
    bool chosen = false, plain = false;
    for (int i = 1; i < count; i++)
      if (!std::strcmp(arguments[i], "--chosen"))
        chosen = true;
      else if (!std::strcmp(arguments[i], "--plain"))
        plain = true;
      else
        device = arguments[i];
    return run(device, chosen, plain);
  });
}
