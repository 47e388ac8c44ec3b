// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-ground [DEVICE]: crossings, dwell times and speeds of an object on the ground, by zones,
// lines and marks that stay there while the camera pans, zooms or shakes: also as a hand did in
// real film.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decode.h"
#include "film.h"
#include "objectfinder.h"
#include "program.h"
#include "reference/textured.h"
#include "rules/rules.h"

namespace {

using glcl::rules::RuleEvent;
using reference::Frame;
using reference::Point;

constexpr int width = 320, height = 240, side = 36, frames = 125;
constexpr int ground_width = 768, ground_height = 512;  // px
constexpr double left = (ground_width - width) / 2.0, top = (ground_height - height) / 2.0;
constexpr int entry = 15;                                       // frame in which it comes
constexpr double step = 3, foot = 160, rate = 25;               // px per frame; px of frame 0
constexpr double line_x = 160, zone_from = 112, zone_to = 192;  // px of frame 0
constexpr double most_frames = 2, most_part = 0.05;             // errors: frames; of a speed
constexpr double metre = width * foot / height / 8;             // px at the foot; see rules()
constexpr double hysteresis = 2.4;                              // px by which a border is passed

/// Where the middle of a frame is on the ground, px, and px of the frame per px of the ground.
struct View {
  double x = 0, y = 0, zoom = 1;
};
using Camera = std::function<View(int number)>;

const char *rules() {
  return R"({"lines": [{"name": "l", "from": [0.5, 0], "to": [0.5, 1], "anchor": "ground"}],
             "zones": [{"name": "z", "polygon": [[0.35, 0], [0.6, 0], [0.6, 1], [0.35, 1]],
                        "anchor": "ground"}],
             "world": {"points": [[0, 1], [1, 1], [0.75, 0.5], [0.25, 0.5]],
                       "metres": [[0, 0], [8, 0], [8, 20], [0, 20]], "anchor": "ground"}})";
}

/// A colour between pixels.
void sample(const Frame &from, double x, double y, uint8_t *to) {
  x = std::clamp(x, 0.0, from.width - 1.01), y = std::clamp(y, 0.0, from.height - 1.01);
  const int u = int(x), v = int(y);
  const double right = x - u, below = y - v;
  for (int c = 0; c < 3; c++)
    to[c] = uint8_t(std::lround(
        (from.at(u, v)[c] * (1 - right) + from.at(u + 1, v)[c] * right) * (1 - below) +
        (from.at(u, v + 1)[c] * (1 - right) + from.at(u + 1, v + 1)[c] * right) * below));
}

/// Where the object's left edge is, px of frame 0.
double place_at(double number) { return step * (number - entry) - side; }

Frame seen(const Frame &ground, const Frame &thing, const View &view, int number) {
  Frame frame(width, height);
  const double x0 = place_at(number), y0 = foot - side;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double u = (x + 0.5 - width / 2.0) / view.zoom + width / 2.0 + view.x,
                   v = (y + 0.5 - height / 2.0) / view.zoom + height / 2.0 + view.y;
      if (number >= entry && u >= x0 && u < x0 + side && v >= y0 && v < y0 + side)
        sample(thing, u - x0 - 0.5, v - y0 - 0.5, frame.at(x, y));
      else
        sample(ground, u + left - 0.5, v + top - 0.5, frame.at(x, y));
      frame.at(x, y)[3] = 255;
    }
  return frame;
}

/// The measurements of the rules.
struct Row {
  std::optional<int> cross, enter, leave;  // frames
  double speed = -1;                       // km/h, when it has crossed the line
  int events = 0;
};

Row measure(glcl::Queue &queue, const Frame &ground, const Camera &camera, double noise) {
  glcl::objects::Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  ObjectFinder finder(queue, width, height, settings);
  glcl::rules::Rules applied(width, height);
  applied.set(glcl::rules::parse_rules(rules()));
  const Frame thing = reference::textured_frame(side, side, {}, 9);
  Row row;
  for (int i = 0; i < frames; i++) {
    const Frame clean = seen(ground, thing, camera(i), i);
    const auto report =
        finder.next(noise > 0 ? reference::noisy(clean, noise, unsigned(i)) : clean);
    std::vector<glcl::rules::RuleObject> objects, ended;
    for (const auto &object : report.objects) objects.push_back({object.id, object.box});
    for (const auto &object : report.ended) ended.push_back({object.id, object.box});
    const auto &state = finder.regions.state;
    const glcl::rules::CameraPlace place{
        std::polar(std::exp(double(state.path.s[2])), double(state.path.s[3])),
        {double(state.path.s[0]), double(state.path.s[1])},
        state.frames};
    for (const RuleEvent &event : applied.step(objects, ended, glcl::rules::RulePart::bottom, place,
                                               {uint64_t(i * 1e9 / rate)})) {
      row.events++;
      if (event.kind == RuleEvent::Kind::enter) row.enter = i;
      if (event.kind == RuleEvent::Kind::leave) row.leave = i;
      if (event.kind != RuleEvent::Kind::cross) continue;
      row.cross = i;
      if (event.on_ground) row.speed = event.on_ground->speed.value;
    }
  }
  return row;
}

/// Prints a row; false if it is beyond its bounds.
bool print(const std::string &camera, double noise, const Row &row) {
  const auto passes = [](double x) { return entry + (x + hysteresis + side / 2.0) / step; };
  const double dwell = (zone_to - zone_from) / step, speed = step * rate / metre * 3.6;
  if (!row.cross || !row.enter || !row.leave) {
    std::printf("%-10s %5.0f  missed !\n", camera.c_str(), noise);
    return false;
  }
  const double off = *row.cross - passes(line_x), longer = *row.leave - *row.enter - dwell,
               part = row.speed / speed - 1;
  const bool good = row.events == 3 && std::abs(off) <= most_frames &&
                    std::abs(longer) <= most_frames && std::abs(part) <= most_part;
  std::printf("%-10s %5.0f %+13.1f %+12.1f %+10.1f %% %s\n", camera.c_str(), noise, off, longer,
              100 * part, good ? "" : "!");
  return good;
}

/// How a hand shakes: the path of the camera in film, without its slow part.
std::vector<Point> hand(glcl::Queue &queue, const std::string &path) {
  constexpr int film_height = 180, half = 12;  // px; frames
  const std::vector<Frame> clip = film::decode(path, width, film_height, frames + 2 * half);
  if (clip.size() < size_t(frames + 2 * half)) return {};
  glcl::objects::Objects::Settings settings;
  settings.compensation = glcl::camera::Compensation::first_order_flow;
  ObjectFinder finder(queue, width, film_height, settings);
  std::vector<Point> way{{0, 0}}, shake;
  for (const Frame &frame : clip) {
    finder.next(frame);
    const auto &step = finder.regions.state.frame_motion;
    way.push_back({way.back().x - double(step.x), way.back().y - double(step.y)});
  }
  for (int i = 0; i < frames; i++) {
    Point mean;
    for (int k = 0; k <= 2 * half; k++)
      mean.x += way[size_t(i + k)].x / (2 * half + 1),
          mean.y += way[size_t(i + k)].y / (2 * half + 1);
    shake.push_back({way[size_t(i + half)].x - mean.x, way[size_t(i + half)].y - mean.y});
  }
  return shake;
}

int run(const std::string &wish) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::vector<std::pair<std::string, Camera>> cameras{
      {"fixed", [](int) { return View{}; }},
      {"pan",
       [](int i) {
         return View{0.8 * i, 0.3 * i};
       }},
      {"zoom",
       [](int i) {
         return View{0, 0, std::pow(1.003, i)};
       }},
      {"shake", [](int i) {
         return View{2.5 * std::sin(0.9 * i) + 1.4 * std::sin(2.3 * i * i),
                     2 * std::sin(1.3 * i + 1) + 1.4 * std::sin(1.9 * i * i)};
       }}};
  const std::string clip = reference::data_folder("shake/") + "video-1.m4v";
  const std::vector<Point> shake = hand(queue, clip);
  if (shake.empty())
    film::leave_out("there is no film " + clip);
  else
    cameras.emplace_back("hand", [shake](int i) {
      return View{shake[size_t(i)].x - shake[0].x, shake[size_t(i)].y - shake[0].y};
    });
  std::printf("%-10s %5s %13s %12s %12s\n", "camera", "noise", "cross, frames", "dwell, frames",
              "speed");
  std::vector<Frame> grounds = film::pictures();
  if (grounds.empty()) grounds.push_back(reference::textured_frame(ground_width, ground_height));
  int beyond = 0;
  for (size_t i = 0; i < cameras.size(); i++)
    for (const double noise : {0.0, 6.0})
      beyond += !print(cameras[i].first, noise,
                       measure(queue, grounds[i % grounds.size()], cameras[i].second, noise));
  return accuracy::report(beyond);
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    return run(count > 1 ? arguments[1] : "auto");
  });
}
