// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-highway [DEVICE]: how well neighbouring cars are kept apart in coded film of a road. The
// truth is a mask for each frame.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "clips.h"
#include "crossings.h"
#include "decode.h"
#include "film.h"
#include "objectfinder.h"
#include "program.h"

namespace {

using Box = glcl::RectF;
using glcl::objects::Objects;
using reference::Frame;

constexpr double least_iou = 0.3, least_found = 0.73;  // of an object; part of the objects
constexpr double most_wrong = 0.5;                     // boxes per frame
constexpr double most_unknown = 0.6;                   // of a box; one with more may be right
constexpr size_t settled = 40;                         // frames
constexpr uint8_t moves = 255, outside = 85, unknown = 170;

constexpr double line = 0.55;       // of the frame's height, across the road
constexpr int most_miscounted = 1;  // cars over the line

struct Score {
  int frames = 0, present = 0, found = 0, wrong = 0;
  int crossed = 0, counted = 0;  // cars over the line, by the truth and by objects
};

/// The connected parts of a frame that move.
class Truth {
 public:
  explicit Truth(const std::string &path)
      : mask_(reference::load_picture(path)), seen_(size_t(mask_.width) * mask_.height) {
    const int least = mask_.width * mask_.height / 1500;
    for (int y = 0; y < mask_.height; y++)
      for (int x = 0; x < mask_.width; x++)
        if (Box box; fill(x, y, box) >= least) boxes.push_back(box);
  }
  bool excuses(const Box &box) const {
    int count = 0;
    for (int y = int(box.top); y < int(box.bottom); y++)
      for (int x = int(box.left); x < int(box.right); x++)
        count += mask_.at(x, y)[0] == outside || mask_.at(x, y)[0] == unknown;
    return count > most_unknown * double(box.area());
  }

  std::vector<Box> boxes;

 private:
  /// The pixels that are connected to one, and their box; none if they are known.
  int fill(int x, int y, Box &box) {
    std::vector<std::pair<int, int>> open;
    const auto add = [&](int u, int v) {
      if (u < 0 || v < 0 || u >= mask_.width || v >= mask_.height || mask_.at(u, v)[0] != moves)
        return;
      const size_t at = size_t(v) * mask_.width + u;
      if (!seen_[at]) open.emplace_back(u, v);
      seen_[at] = true;
    };
    box = {1e9f, 1e9f, -1e9f, -1e9f};
    int count = 0;
    for (add(x, y); !open.empty(); count++) {
      const auto [u, v] = open.back();
      open.pop_back();
      box = glcl::united(box, {float(u), float(v), float(u + 1), float(v + 1)});
      for (int i = 0; i < 9; i++) add(u + i % 3 - 1, v + i / 3 - 1);
    }
    return count;
  }

  Frame mask_;
  std::vector<bool> seen_;
};

void compare(const Truth &truth, const std::vector<glcl::objects::Object> &objects, Score &score) {
  std::vector<Box> boxes;
  for (const auto &object : objects) boxes.push_back(object.box);
  std::vector<bool> used(boxes.size());
  for (const int match : clips::matched_boxes(truth.boxes, boxes, least_iou))
    if (match >= 0) used[size_t(match)] = true, score.found++;
  for (size_t o = 0; o < used.size(); o++)
    score.wrong += !used[o] && !truth.excuses(objects[o].box);
  score.present += int(truth.boxes.size());
  score.frames++;
}

/// Adds the frames from `first` to `end`, as if the film began there.
void add_part(glcl::Queue &queue, const std::string &folder, const std::vector<Frame> &frames,
              size_t first, size_t end, Score &score) {
  constexpr size_t first_mask = 470;
  const int width = frames[0].width, height = frames[0].height;
  ObjectFinder finder(queue, width, height, {});
  Crossings crossed(width, height, line), counted(width, height, line);
  BoxNumbers numbers;
  for (size_t i = first; i < end; i++) {
    const auto report = finder.next(frames[i]);
    const Truth truth(folder + "gt000" + std::to_string(first_mask + i) + ".png");
    crossed.add(numbers.next(truth.boxes));
    std::vector<glcl::rules::RuleObject> objects;
    for (const auto &object : report.objects) objects.push_back({object.id, object.box});
    counted.add(objects);
    if (i >= first + settled) compare(truth, report.objects, score);
  }
  score.crossed += crossed.count;
  score.counted += counted.count;
}

int run(const std::string &wish) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  constexpr size_t half = 150;
  const std::string folder = reference::data_folder("highway/");
  const std::vector<Frame> frames = film::decode(folder + "video.mp4");
  if (frames.size() < 2 * half) {
    film::leave_out("there is no " + folder + "video.mp4");
    return film::exit_status(true);
  }
  Score score;
  // In the second half many cars come at once.
  for (size_t first : {size_t(0), half}) {
    add_part(queue, folder, frames, first, first + half, score);
    std::printf(
        "to frame %3zu: %3d of %3d objects, %3d wrong boxes in %d frames; %d cars over the line, "
        "counted %d\n",
        first + half, score.found, score.present, score.wrong, score.frames, score.crossed,
        score.counted);
  }
  return accuracy::report(score.found < least_found * score.present ||
                          score.wrong > most_wrong * score.frames || !score.crossed ||
                          std::abs(score.counted - score.crossed) > most_miscounted);
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    return run(count > 1 ? arguments[1] : "auto");
  });
}
