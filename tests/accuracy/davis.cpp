// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-davis [--all] [--clip NAME] [DEVICE]: how well moving objects are found in film of
// hand-held cameras and of cameras that follow something. The truth is a mask for each frame.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "clips.h"
#include "decode.h"
#include "film.h"
#include "objectfinder.h"
#include "program.h"

namespace {

using Box = glcl::RectF;
using glcl::objects::Objects;
using reference::Frame;

constexpr double least_found = 0.75;    // part of the frames
constexpr double most_wrong = 0.7;      // boxes per frame
constexpr double least_of_truth = 0.1;  // a box with less of what moves is wrong
constexpr size_t settled = 3;           // frames

struct Score {
  int frames = 0, found = 0, wrong = 0;
};

/// The moving part of a frame.
class Truth {
 public:
  explicit Truth(const std::string &path) : mask_(reference::load_picture(path)) {
    for (int y = 0; y < mask_.height; y++)
      for (int x = 0; x < mask_.width; x++)
        if (moves(x, y))
          box_ = {std::min(box_.left, float(x)), std::min(box_.top, float(y)),
                  std::max(box_.right, float(x + 1)), std::max(box_.bottom, float(y + 1))};
  }
  const Box &box() const { return box_; }
  /// The part of a box that moves.
  double share(const Box &of) const {
    int count = 0;
    for (int y = int(of.top); y < int(of.bottom); y++)
      for (int x = int(of.left); x < int(of.right); x++) count += moves(x, y);
    return count / std::max(double(of.area()), 1.0);
  }

 private:
  bool moves(int x, int y) const { return mask_.at(x, y)[0] > 127; }
  Box box_{1e9f, 1e9f, -1e9f, -1e9f};
  Frame mask_;
};

Score score(glcl::Queue &queue, const std::string &folder) {
  const std::vector<Frame> frames = film::decode(folder + "/video.mp4");
  if (frames.empty()) return {};
  Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  ObjectFinder finder(queue, frames[0].width, frames[0].height, settings);
  Score score;
  for (size_t i = 0; i < frames.size(); i++) {
    const auto report = finder.next(frames[i]);
    if (i < settled) continue;
    const std::string number = std::to_string(i);
    const Truth truth(folder + "/" + std::string(5 - number.size(), '0') + number + ".png");
    double best = 0;
    for (const auto &object : report.objects) {
      const Box &box = object.box;
      best = std::max(best, clips::intersection_over_union(truth.box(), box));
      score.wrong += truth.share(box) < least_of_truth;
    }
    score.frames++;
    score.found += best >= 0.5;
  }
  return score;
}

void print(const char *name, const Score &s, const char *mark = "") {
  std::printf("%-16s found in %3d of %3d frames, %4d wrong boxes %s\n", name, s.found, s.frames,
              s.wrong, mark);
}

int run(const std::string &wish, bool whole, const std::string &only) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  // The last three are not used to choose any rule.
  static const char *const clips[] = {"camel",     "bmx-trees", "car-roundabout", "scooter-black",
                                      "blackswan", "dog",       "kite-surf"};
  Score all;
  for (size_t i = 0; i < (whole || !only.empty() ? std::size(clips) : 4); i++) {
    if (!only.empty() && only != clips[i]) continue;
    const std::string folder = reference::data_folder("davis/") + clips[i];
    if (!std::filesystem::exists(folder)) {
      film::leave_out("there is no " + folder);
      continue;
    }
    const Score s = score(queue, folder);
    print(clips[i], s);
    all.frames += s.frames, all.found += s.found, all.wrong += s.wrong;
  }
  if (whole || !only.empty() || !all.frames) return film::exit_status(true);
  const bool good = all.found >= least_found * all.frames && all.wrong <= most_wrong * all.frames;
  print("all", all, good ? "" : "!");
  return accuracy::report(!good, "results");
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    std::string device = "auto", only;
    bool whole = false;
    for (int i = 1; i < count; i++)
      if (!std::strcmp(arguments[i], "--clip") && i + 1 < count)
        only = arguments[++i];
      else if (!std::strcmp(arguments[i], "--all"))
        whole = true;
      else
        device = arguments[i];
    return run(device, whole, only);
  });
}
