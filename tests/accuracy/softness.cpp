// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-softness [DEVICE]: cars that are found in film of a road out of focus, in fog and by
// heat, and how many of them the rule on soft outlines costs. The truth of one road is a mask for
// each frame. Of the other, all boxes are counted.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "decode.h"
#include "film.h"
#include "highwaytruth.h"
#include "objectfinder.h"
#include "program.h"

namespace {

using glcl::objects::Tracker;
using highway::settled;
using highway::Truth;
using reference::Frame;

constexpr double least_iou = 0.3;    // of an object
constexpr double least_kept = 0.85;  // part of the objects that are found without the rule
constexpr int road_width = 384, road_height = 216;  // px
constexpr double air = 200;                         // level of fog
constexpr double middle = 127.5;  // level that keeps its place in a picture of heat
constexpr double heat_contrast = 0.5, heat_blur = 1.5;  // of cheap sensors; px

/// How film looks.
struct Look {
  const char *name;
  double blur = 0;  ///< standard deviation, px
  double contrast = 1;
  bool heat = false;  ///< grey, and bright where the film is dark
  double noise = 0;   ///< levels
};
const std::vector<Look> looks{{"as it is"},
                              {"blur 2 px", 2, 1, false, 1},
                              {"blur 4 px", 4, 1, false, 1},
                              {"blur 6 px", 6, 1, false, 1},
                              {"fog", 0, 0.3, false, 1},
                              {"fog, blur 2 px", 2, 0.3, false, 1},
                              {"heat", heat_blur, heat_contrast, true, 2},
                              {"heat, blur 3 px", 3, heat_contrast, true, 2}};

/// A plane of levels, blurred along one axis.
std::vector<float> blurred(const std::vector<float> &plane, int width, int height, double by,
                           bool along_x) {
  const int reach = int(std::ceil(3 * by));
  std::vector<float> weights, out(plane.size());
  for (int i = -reach; i <= reach; i++) weights.push_back(float(std::exp(-i * i / (2 * by * by))));
  const float all = std::accumulate(weights.begin(), weights.end(), 0.0f);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float sum = 0;
      for (int i = -reach; i <= reach; i++) {
        const int u = std::clamp(x + (along_x ? i : 0), 0, width - 1),
                  v = std::clamp(y + (along_x ? 0 : i), 0, height - 1);
        sum += weights[size_t(i + reach)] * plane[size_t(v * width + u)];
      }
      out[size_t(y * width + x)] = sum / all;
    }
  return out;
}

Frame seen(const Frame &frame, const Look &look, unsigned seed) {
  Frame out = frame;
  const size_t pixels = frame.rgba.size() / 4;
  for (size_t c = 0; c < 3; c++) {
    std::vector<float> plane(pixels);
    for (size_t i = 0; i < pixels; i++) {
      const uint8_t *p = &frame.rgba[4 * i];
      plane[i] = look.heat ? float(255 - (77 * p[0] + 150 * p[1] + 29 * p[2]) / 256) : float(p[c]);
    }
    for (const bool along_x : {true, false})
      if (look.blur > 0) plane = blurred(plane, frame.width, frame.height, look.blur, along_x);
    for (size_t i = 0; i < pixels; i++) {
      const double level =
          look.contrast * double(plane[i]) + (1 - look.contrast) * (look.heat ? middle : air);
      out.rgba[4 * i + c] = uint8_t(std::lround(std::clamp(level, 0.0, 255.0)));
    }
  }
  return look.noise > 0 ? reference::noisy(out, look.noise, seed) : out;
}

struct Tally {
  int present = 0;
  int found[2] = {}, wrong[2] = {}, boxes[2] = {};  // without the rule, with it
};

/// `folder`: of the truth; empty without one.
Tally play(glcl::Queue &queue, const std::vector<Frame> &film, const std::string &folder,
           const Look &look) {
  const int width = film[0].width, height = film[0].height;
  ObjectFinder finder(queue, width, height, {});
  Tracker other(width, height);
  const double least = glcl::objects::Objects::least_area({}, width, height);
  Tally tally;
  for (size_t i = 0; i < film.size(); i++) {
    const auto with = finder.next(seen(film[i], look, unsigned(i)));
    // Regions of which nothing outside is known have no soft outline.
    glcl::objects::RegionList sharp = finder.regions;
    for (glcl::objects::Region &region : sharp.regions) region.outside = 0;
    const auto without =
        other.step({}, sharp, glcl::camera::frame_geometry(width, height), least, 0.04);
    if (i < settled) continue;
    tally.boxes[0] += int(without.objects.size()), tally.boxes[1] += int(with.objects.size());
    if (folder.empty()) continue;
    const Truth truth(folder, i);
    tally.present += int(truth.boxes.size());
    for (const bool rule : {false, true}) {
      std::vector<highway::Box> boxes;
      for (const auto &object : (rule ? with : without).objects) boxes.push_back(object.box);
      const auto [found, wrong] = truth.compare(boxes, least_iou);
      tally.found[rule] += found, tally.wrong[rule] += wrong;
    }
  }
  return tally;
}

/// Prints the rows of a road. Returns how many are beyond their bounds.
int print(glcl::Queue &queue, const std::vector<Frame> &film, const std::string &folder) {
  int beyond = 0;
  for (size_t i = 0; i < looks.size(); i++) {
    if (i % 3 && accuracy::few_rows()) continue;
    const Tally t = play(queue, film, folder, looks[i]);
    const bool good = t.found[1] >= least_kept * t.found[0];
    std::printf("%-16s", looks[i].name);
    if (folder.empty())
      std::printf(" %4d boxes, %4d\n", t.boxes[0], t.boxes[1]);
    else
      std::printf(" %8d  %4d, %4d wrong boxes  %4d, %4d wrong boxes %s\n", t.present, t.found[0],
                  t.wrong[0], t.found[1], t.wrong[1], good ? "" : "!");
    std::fflush(stdout);
    beyond += !good;
  }
  return beyond;
}

int run(const std::string &wish) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  const std::string folder = reference::data_folder("highway/"),
                    other = reference::data_folder("video/") + "car-detection_768x432_377f.mp4";
  const std::vector<Frame> film = film::decode(folder + "video.mp4"),
                           road = film::decode(other, road_width, road_height);
  if (film.empty() || road.empty()) {
    film::leave_out("there is no film of roads in " + reference::data_folder(""));
    return film::exit_status(true);
  }
  std::printf("%s\n%-16s %8s  %-22s  %s\n", queue.context().device().name.c_str(), "highway",
              "objects", "found without the rule", "found with it");
  const int beyond = print(queue, film, folder);
  std::printf("%-16s without the rule, with it\n", "road");
  print(queue, road, "");
  return accuracy::report(beyond);
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    return run(count > 1 ? arguments[1] : "auto");
  });
}
