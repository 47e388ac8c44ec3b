// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-highway [DEVICE]: how well neighbouring cars are kept apart in coded film of a road. The
// truth is a mask for each frame.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "clips.h"
#include "crossings.h"
#include "decode.h"
#include "film.h"
#include "highwaytruth.h"
#include "objectfinder.h"
#include "program.h"

namespace {

using highway::settled;
using highway::Truth;
using reference::Frame;

constexpr double least_iou = 0.3, least_found = 0.73;  // of an object; part of the objects
constexpr double most_wrong = 0.5;                     // boxes per frame

constexpr double line = 0.55;       // of the frame's height, across the road
constexpr int most_miscounted = 1;  // cars over the line

struct Score {
  int frames = 0, present = 0, found = 0, wrong = 0;
  int crossed = 0, counted = 0;  // cars over the line, by the truth and by objects
};

void compare(const Truth &truth, const std::vector<glcl::objects::Object> &objects, Score &score) {
  std::vector<highway::Box> boxes;
  for (const auto &object : objects) boxes.push_back(object.box);
  const auto [found, wrong] = truth.compare(boxes, least_iou);
  score.found += found;
  score.wrong += wrong;
  score.present += int(truth.boxes.size());
  score.frames++;
}

/// Adds the frames from `first` to `end`, as if the film began there.
void add_part(glcl::Queue &queue, const std::string &folder, const std::vector<Frame> &frames,
              size_t first, size_t end, Score &score) {
  const int width = frames[0].width, height = frames[0].height;
  ObjectFinder finder(queue, width, height, {});
  Crossings crossed(width, height, line), counted(width, height, line);
  BoxNumbers numbers;
  for (size_t i = first; i < end; i++) {
    const auto report = finder.next(frames[i]);
    const Truth truth(folder, i);
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
