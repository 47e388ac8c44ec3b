// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streetscene.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "streetweather.h"

namespace street {

namespace {

constexpr int left_of_frame = 40, top_of_frame = 25;  // px of the view
constexpr int pan = 30;                               // px
constexpr double pan_seconds = 1, cover_seconds = 0.5;
constexpr double parked_x = 230, park_speed = 70, park_seconds = 2;  // px; px/s; to stop or start
constexpr double bag_x = 150, bag_feet = 178, box_x = 310, box_feet = 174;
constexpr int flag_x = 290, flag_y = 36;

Cutout mirrored(const Cutout &cutout) {
  Cutout other = cutout;
  for (int y = 0; y < cutout.height; y++)
    for (int x = 0; x < cutout.width; x++)
      std::copy_n(cutout.at(x, y), 4, other.at(cutout.width - 1 - x, y));
  return other;
}

std::vector<Cutout> mirrored(const std::vector<Cutout> &list) {
  std::vector<Cutout> all;
  for (const Cutout &cutout : list) all.push_back(mirrored(cutout));
  return all;
}

/// px per s, and px of the view.
struct Way {
  double speed, feet;
};
Way way_of(Kind kind) {
  switch (kind) {
    case Kind::dog:
      return {40, 178};
    case Kind::car:
      return {90, 197};
    case Kind::parks:
      return {park_speed, 138};
    default:
      return {60, 184};
  }
}

/// Forth and back through a list.
template <class List>
const auto &swung(const List &list, int number) {
  const int last = int(list.size()) - 1, at = last ? number % (2 * last) : 0;
  return list[size_t(at <= last ? at : 2 * last - at)];
}

}  // namespace

Scene::Scene(const Pictures &pictures, const Timetable &times, double noise)
    : pictures_(pictures),
      mirrored_{mirrored(pictures.dog), mirrored(pictures.cyclist), {mirrored(pictures.car)}},
      times_(times) {
  std::mt19937 random(1);
  std::normal_distribution<double> levels(0, noise);
  noise_.resize(1 << 16);
  for (signed char &level : noise_)
    level = static_cast<signed char>(std::lround(std::clamp(levels(random), -100.0, 100.0)));
}

const Entry *Scene::entry_at(Kind kind, double t) const {
  for (const Entry &entry : times_.entries)
    if (entry.kind == kind && t >= entry.from && t < entry.to) return &entry;
  return nullptr;
}

bool Scene::is_on(Kind kind, double t) const { return entry_at(kind, t); }

double Scene::stop_of(const Entry &entry) {
  return entry.from + (parked_x - park_speed * park_seconds / 2) / park_speed + park_seconds;
}

/// Where somebody is at a time; unset before and after.
std::optional<Scene::Place> Scene::place_of(const Entry &entry, double t) const {
  const Way way = way_of(entry.kind);
  double x = way.speed * (t - entry.from);
  if (entry.kind == Kind::parks) {
    const double brakes = stop_of(entry) - park_seconds, half = park_seconds / 2,
                 slow = std::clamp(t - brakes, 0.0, park_seconds),
                 fast = std::clamp(t - entry.to, 0.0, park_seconds);
    x = way.speed * (std::min(t, brakes) - entry.from + slow - slow * slow / (4 * half) +
                     fast * fast / (4 * half) + std::max(t - entry.to - park_seconds, 0.0));
  }
  const double margin = 60;
  if (t < entry.from || x > view_width + margin) return {};
  return Place{entry.left ? view_width - x : x, way.feet};
}

/// True once somebody has put a thing down, or has taken it.
bool Scene::is_done(const Entry &entry, double t) const {
  if (entry.kind != Kind::puts && entry.kind != Kind::takes) return false;
  const double at = entry.kind == Kind::puts ? bag_x : box_x,
               way = entry.left ? view_width - at : at;
  return t >= entry.from + way / way_of(entry.kind).speed;
}

int Scene::camera_shift(double t) const {
  for (const Entry &entry : times_.entries)
    if (entry.kind == Kind::moved && t >= entry.from && t < entry.to + pan_seconds)
      return int(std::lround(
          pan * std::min({(t - entry.from) / pan_seconds, 1.0, 1 - (t - entry.to) / pan_seconds})));
  return 0;
}

const Cutout &Scene::cutout_of(const Entry &entry, int number) const {
  switch (entry.kind) {
    case Kind::dog:
      return swung(entry.left ? mirrored_[0] : pictures_.dog, number);
    case Kind::car:
    case Kind::parks:
      return entry.left ? mirrored_[2][0] : pictures_.car;
    default:
      return swung(entry.left ? mirrored_[1] : pictures_.cyclist, number);
  }
}

/// A tree and a flag in the wind.
void Scene::draw_scenery(Frame &view, int number) const {
  Cutout tree = swung(pictures_.leaves, number);
  for (int y = 0; y < tree.height; y++)
    for (int x = 0; x < tree.width; x++)
      tree.at(x, y)[3] =
          uint8_t(255 * std::clamp(std::min(tree.height - y, tree.width - x) / 8.0, 0.0, 1.0));
  paste(view, tree, left_of_frame, top_of_frame);
  const double t = double(number) / rate;
  const bool rests = is_on(Kind::flag_rests, t);
  for (int x = 0; x < pictures_.flag.width; x++) {
    const double swing = rests ? 0 : std::sin(5 * t - 0.2 * x) * x / 8;
    paste(view, reference::crop(pictures_.flag, x, 0, 1, pictures_.flag.height), flag_x + x,
          flag_y + int(std::lround(swing)));
  }
}

std::vector<glcl::RectF> Scene::scenery() const {
  const float x = flag_x - left_of_frame, y = flag_y - top_of_frame;
  return {
      {0, 0, 125, 48},
      {246, 158, 320, 180},
      {x - 6, y - 8, x + float(pictures_.flag.width) + 6, y + float(pictures_.flag.height) + 8}};
}

void Scene::draw_objects(Frame &view, int number, std::vector<TrueBox> &truth) const {
  const double t = double(number) / rate;
  const int shift = camera_shift(t);
  const auto note = [&](size_t entry, const Cutout &cutout, int x, int y, bool passes) {
    const auto at_x = [&](int u) { return float(std::clamp(u - left_of_frame - shift, 0, width)); };
    const glcl::RectF box{at_x(x), float(y - top_of_frame), at_x(x + cutout.width),
                          float(y + cutout.height - top_of_frame)};
    if (box.width() > 2) truth.push_back({entry, box, passes});
  };
  const auto place = [&](const Cutout &cutout, double x, double feet) {
    return std::pair{int(std::lround(x - cutout.width / 2.0)), int(feet) - cutout.height};
  };
  bool box_there = true;
  for (size_t i = 0; i < times_.entries.size(); i++) {
    const Entry &entry = times_.entries[i];
    const bool done = is_done(entry, t), bag = entry.kind == Kind::puts;
    if (entry.kind == Kind::takes && done) box_there = false;
    if (!done) continue;
    const Cutout &thing = bag ? pictures_.bag : pictures_.box;
    const auto [x, y] = place(thing, bag ? bag_x : box_x, bag ? bag_feet : box_feet);
    if (bag) paste(view, thing, x, y);
    note(i, thing, x, y, false);
  }
  const auto [box_left, box_top] = place(pictures_.box, box_x, box_feet);
  if (box_there) paste(view, pictures_.box, box_left, box_top);
  for (size_t i = 0; i < times_.entries.size(); i++) {
    const Entry &entry = times_.entries[i];
    const auto at = is_object(entry.kind) ? place_of(entry, t) : std::nullopt;
    if (!at) continue;
    const Cutout &cutout = cutout_of(entry, number);
    const auto [x, y] = place(cutout, at->x, at->feet);
    paste(view, cutout, x, y);
    note(i, cutout, x, y, true);
  }
}

void Scene::light(Frame &frame, double t) const {
  const bool is_night = is_on(Kind::night, t);
  if (is_on(Kind::light, t)) weather::dim(frame, 0.6);
  if (is_night) weather::infrared(frame);
  if (const Entry *clouds = entry_at(Kind::clouds, t)) weather::cloud(frame, t - clouds->from);
  if (const Entry *cars = entry_at(Kind::headlights, t)) weather::headlights(frame, t - cars->from);
}

/// Weather, insects, a hand, and the lens.
void Scene::before_lens(Frame &frame, double t, int number) const {
  if (is_on(Kind::rain, t)) weather::rain(frame, unsigned(number));
  if (is_on(Kind::snow, t)) weather::snow(frame, number);
  if (const Entry *insects = entry_at(Kind::insects, t)) weather::insect(frame, t - insects->from);
  if (const Entry *soft = entry_at(Kind::defocused, t))
    weather::blur(frame, std::min(int((t - soft->from) / 0.4) + 1, 3));
  if (const Entry *hand = entry_at(Kind::covered, t))
    weather::cover(
        frame, std::min({(t - hand->from) / cover_seconds, (hand->to - t) / cover_seconds, 1.0}));
}

void Scene::add_noise(Frame &frame, int number) const {
  std::mt19937 random(static_cast<unsigned>(number));
  for (int y = 0; y < frame.height; y++) {
    size_t at = random();
    for (int x = 0; x < frame.width; x++) {
      const int level = noise_[at++ % noise_.size()];
      for (int c = 0; c < 3; c++)
        frame.at(x, y)[c] = uint8_t(std::clamp(frame.at(x, y)[c] + level, 0, 255));
    }
  }
}

Frame Scene::frame(int number, std::vector<TrueBox> &truth) const {
  truth.clear();
  const double t = double(number) / rate;
  Frame view = pictures_.view;
  draw_scenery(view, number);
  draw_objects(view, number, truth);
  Frame frame = reference::crop(view, left_of_frame + camera_shift(t), top_of_frame, width, height);
  light(frame, t);
  before_lens(frame, t, number);
  add_noise(frame, number);
  weather::clock(frame, int(t));
  return frame;
}

}  // namespace street
