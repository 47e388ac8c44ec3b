// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clips.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "reference/textured.h"

namespace clips {

namespace {

constexpr double pi = 3.14159265358979;

double mirrored(double x, double length) {
  x = std::fmod(std::abs(x), 2 * length);
  return x < length ? x : 2 * length - x;
}

/// A pseudo-random value from -1 to 1 for a number.
double chance(unsigned seed, unsigned number) {
  std::mt19937 next(seed * 7919 + number * 104729 + 13);
  next.discard(3);
  return double(next() >> 8) / double(1 << 23) - 1;
}

}  // namespace

double intersection_over_union(const glcl::RectF &a, const glcl::RectF &b) {
  const double common = glcl::common_area(a, b);
  return common / (a.area() + b.area() - common);
}

std::vector<int> matched_boxes(const std::vector<glcl::RectF> &truth,
                               const std::vector<glcl::RectF> &found, double least_iou) {
  std::vector<bool> used(found.size());
  std::vector<int> matches;
  for (const glcl::RectF &box : truth) {
    double best = least_iou;
    int match = -1;
    for (size_t i = 0; i < found.size(); i++) {
      const double iou = intersection_over_union(box, found[i]);
      if (!used[i] && iou >= best) best = iou, match = int(i);
    }
    if (match >= 0) used[size_t(match)] = true;
    matches.push_back(match);
  }
  return matches;
}

const std::vector<std::string> &Clip::cameras() {
  static const std::vector<std::string> list{"fixed", "pan",   "tilt",     "zoom",
                                             "roll",  "shake", "pan+zoom", "shake+roll"};
  return list;
}

const std::vector<std::string> &Clip::scenarios() {
  static const std::vector<std::string> list{"one",     "two",      "four",        "fast",
                                             "slow",    "blurred",  "camouflaged", "entering",
                                             "leaving", "crossing", "stopping",    "none"};
  return list;
}

double Clip::MovingObject::moving_time(double t) const {
  if (stops < 0 || t <= stops) return t;
  return t <= goes ? stops : t - (goes - stops);
}
double Clip::MovingObject::at_x(double t) const { return x + vx * moving_time(t); }
double Clip::MovingObject::at_y(double t) const { return y + vy * moving_time(t); }

Clip::Clip(const std::string &camera, const std::string &objects, double noise,
           const Frame &picture, int width, int height, unsigned seed)
    : camera_(camera),
      objects_(objects),
      noise_(noise),
      width_(width),
      height_(height),
      seed_(seed) {
  const auto add = [&](const Frame &frame) {
    Grey grey{frame.width, frame.height, {}};
    for (size_t i = 0; i < frame.rgba.size(); i += 4)
      grey.levels.push_back(0.30f * frame.rgba[i] + 0.59f * frame.rgba[i + 1] +
                            0.11f * frame.rgba[i + 2]);
    textures_.push_back(grey);
  };
  add(picture);
  for (unsigned i = 0; i < 3; i++) {
    Frame frame = reference::textured_frame(128, 128, {}, seed + 31 * i);
    // They differ in brightness.
    add(reference::relit(frame, 0.6, i == 0 ? 0 : i == 1 ? 50 : 90));
  }
  const double w = width, h = height;
  const auto thing = [&](double x, double y, double vx, double vy, double size, bool round,
                         int texture) {
    MovingObject t{x * w,        y * h,          vx * w / 320,
                   vy * w / 320, size * w / 320, size * (round ? 0.8 : 0.6) * w / 320};
    t.round = round;
    t.texture = texture;
    t.texture_x = 40 + 17.0 * double(moving_objects_.size());
    t.texture_y = 30 + 11.0 * double(moving_objects_.size());
    moving_objects_.push_back(t);
    return moving_objects_.size() - 1;
  };
  if (objects == "one") {
    thing(-0.3, -0.1, 2.6, 0.6, 24, true, 1);
  } else if (objects == "two") {
    thing(-0.3, -0.25, 2.2, 0.3, 22, true, 1);
    thing(0.3, 0.25, -2.8, -0.2, 26, false, 2);
  } else if (objects == "four") {
    thing(-0.35, -0.32, 2.4, 0.2, 18, true, 1);
    thing(0.35, -0.08, -2.7, 0.1, 18, false, 2);
    thing(-0.3, 0.14, 3, 0, 17, false, 3);
    thing(0.3, 0.36, -2.3, 0, 18, true, 1);
  } else if (objects == "fast") {
    thing(-0.62, 0.05, 9, -0.5, 24, false, 2);
    thing(0.9, -0.25, -11, 1, 20, true, 1);
  } else if (objects == "slow") {
    thing(-0.1, 0.05, 1.0, 0.3, 28, true, 1);
  } else if (objects == "blurred") {
    moving_objects_[thing(-0.45, 0.1, 7, -0.6, 24, true, 1)].blur = 0.9;
    moving_objects_[thing(0.45, -0.2, -6, 0.6, 22, false, 3)].blur = 0.9;
  } else if (objects == "camouflaged") {
    const size_t i = thing(-0.25, 0.1, 2.9, -0.5, 28, true, 0);
    moving_objects_[i].texture_x = picture.width * 0.3;
    moving_objects_[i].texture_y = picture.height * 0.6;
  } else if (objects == "entering") {
    thing(-0.65, 0.1, 3.2, 0, 26, false, 1);
    thing(0.66, -0.2, -3.4, 0.1, 22, true, 2);
  } else if (objects == "leaving") {
    thing(0.1, 0.1, 3.3, 0, 26, false, 3);
    thing(-0.1, -0.2, -3.1, 0.3, 22, true, 1);
  } else if (objects == "crossing") {
    thing(-0.3, 0.02, 3, 0.1, 22, true, 1);
    thing(0.32, -0.02, -3, 0.1, 24, false, 2);
  } else if (objects == "stopping") {
    const size_t i = thing(-0.35, 0.05, 3.4, 0.4, 25, true, 1);
    moving_objects_[i].stops = 25;
    moving_objects_[i].goes = 35;
  } else if (objects.rfind("crossing ", 0) == 0) {
    cross(unsigned(std::stoul(objects.substr(9))));
  }
}

/// Two objects that meet near the centre and are separate in frames 12 and 54. In one of four pairs
/// one overtakes the other, and in one of four both look the same.
void Clip::cross(unsigned number) {
  std::mt19937 next(number * 2654435761u + 5);
  next.discard(7);
  const auto between = [&next](double low, double high) {
    return low + (high - low) * double(next() >> 8) / double(1 << 24);
  };
  const double w = width_, h = height_, unit = w / 320;
  const bool overtakes = number % 4 == 1, alike = number % 4 == 2;
  for (bool good = false; !good;) {
    moving_objects_.clear();
    const double when = between(20, 40), x = between(-0.2, 0.2) * w, y = between(-0.2, 0.2) * h;
    const double angle = between(0, 2 * pi), speed = between(1.5, 4.5),
                 turn = overtakes ? between(-0.25, 0.25) : between(0.7, 2 * pi - 0.7);
    for (int i = 0; i < 2; i++) {
      const double heading = angle + i * turn,
                   fast = unit * (i == 0      ? speed
                                  : overtakes ? speed * between(0.3, 0.55)
                                              : between(1.5, 4.5));
      MovingObject t{};
      t.vx = fast * std::cos(heading), t.vy = fast * std::sin(heading);
      t.x = x + unit * between(-5, 5) - t.vx * when, t.y = y + unit * between(-5, 5) - t.vy * when;
      t.half_width = unit * between(13, 27), t.half_height = t.half_width * between(0.55, 1);
      t.stops = t.goes = -1;
      t.round = next() % 2;
      t.texture = 1 + int(next() % 3);
      if (i == 1 && alike) t.texture = moving_objects_[0].texture;
      if (i == 1 && !alike) t.texture = 1 + (moving_objects_[0].texture + int(next() % 2)) % 3;
      t.texture_x = 30 + 40.0 * i, t.texture_y = 25 + 30.0 * i;
      moving_objects_.push_back(t);
    }
    const MovingObject &a = moving_objects_[0], &b = moving_objects_[1];
    good = true;
    for (const MovingObject &t : moving_objects_)
      good &= std::abs(t.x) < 0.42 * w && std::abs(t.y) < 0.42 * h;
    for (int n : {12, 54})
      good &= std::abs(a.at_x(n) - b.at_x(n)) > a.half_width + b.half_width + 8 * unit ||
              std::abs(a.at_y(n) - b.at_y(n)) > a.half_height + b.half_height + 8 * unit;
  }
}

std::string Clip::name() const {
  return camera_ + ", " + objects_ + (noise_ > 0 ? ", noise " + std::to_string(int(noise_)) : "");
}

CameraView Clip::smooth_view(double t) const {
  CameraView v{textures_[0].width / 2.0, textures_[0].height / 2.0, 0, 1};
  const double unit = width_ / 320.0;
  if (camera_ == "pan" || camera_ == "pan+zoom") v.x += 1.7 * unit * t;
  if (camera_ == "tilt") v.y -= 1.3 * unit * t;
  if (camera_ == "zoom" || camera_ == "pan+zoom") v.zoom = std::pow(1.006, t);
  if (camera_ == "roll") v.angle = 0.5 * pi / 180 * t;
  return v;
}

CameraView Clip::view(int t) const {
  CameraView v = smooth_view(t);
  const double unit = width_ / 320.0;
  if (camera_ == "shake" || camera_ == "shake+roll") {
    v.x += unit * (2.5 * std::sin(0.9 * t) + 1.5 * chance(seed_, 2 * t));
    v.y += unit * (2.0 * std::sin(1.3 * t + 1) + 1.5 * chance(seed_, 2 * t + 1));
  }
  if (camera_ == "shake+roll") v.angle += 0.6 * pi / 180 * std::sin(0.7 * t);
  return v;
}

double Clip::level(int texture, double x, double y) const {
  const Grey &grey = textures_[size_t(texture)];
  x = mirrored(x, grey.width - 1.01), y = mirrored(y, grey.height - 1.01);
  const int left = int(x), top = int(y);
  const double u = x - left, v = y - top;
  const float *p = &grey.levels[size_t(top) * grey.width + left];
  return (p[0] * (1 - u) + p[1] * u) * (1 - v) +
         (p[grey.width] * (1 - u) + p[grey.width + 1] * u) * v;
}

Frame Clip::frame(int number, Truth &truth) const {
  const CameraView camera = view(number);
  truth.view = camera;
  std::vector<float> levels(size_t(width_) * height_);
  const double cos = std::cos(camera.angle) / camera.zoom,
               sin = std::sin(camera.angle) / camera.zoom;
  const double cx = (width_ - 1) / 2.0, cy = (height_ - 1) / 2.0;
  for (int y = 0; y < height_; y++)
    for (int x = 0; x < width_; x++) {
      const double u = x - cx, v = y - cy;
      levels[size_t(y) * width_ + x] =
          float(level(0, camera.x + cos * u - sin * v, camera.y + sin * u + cos * v));
    }
  const size_t count = moving_objects_.size();
  truth.boxes.assign(count, {1e9, 1e9, -1e9, -1e9});
  truth.countable.assign(count, false);
  std::vector<int> owner(levels.size(), -1);
  std::vector<double> whole(count);
  for (size_t i = 0; i < count; i++) {
    const MovingObject &thing = moving_objects_[i];
    const int exposures = thing.blur > 0 ? 9 : 1;
    std::vector<float> cover(levels.size()), light(levels.size());
    for (int e = 0; e < exposures; e++) {
      const double t =
          number + (exposures > 1 ? thing.blur * (double(e) / (exposures - 1) - 0.5) : 0);
      // It moves relative to a steady camera.
      const CameraView steady = smooth_view(t);
      const double px = thing.at_x(t) / steady.zoom, py = thing.at_y(t) / steady.zoom;
      const double wx = steady.x + std::cos(steady.angle) * px - std::sin(steady.angle) * py -
                        camera.x,
                   wy = steady.y + std::sin(steady.angle) * px + std::cos(steady.angle) * py -
                        camera.y;
      const double x0 = camera.zoom * (std::cos(camera.angle) * wx + std::sin(camera.angle) * wy) +
                        cx,
                   y0 = camera.zoom * (-std::sin(camera.angle) * wx + std::cos(camera.angle) * wy) +
                        cy;
      whole[i] = (thing.round ? pi : 4) * thing.half_width * thing.half_height;
      for (int y = std::max(0, int(y0 - thing.half_height - 2));
           y < std::min<double>(height_, y0 + thing.half_height + 2); y++)
        for (int x = std::max(0, int(x0 - thing.half_width - 2));
             x < std::min<double>(width_, x0 + thing.half_width + 2); x++) {
          const double u = x - x0, v = y - y0;
          // The distance from the edge, px; edges are a pixel wide.
          const double in =
              thing.round
                  ? (1 - std::hypot(u / thing.half_width, v / thing.half_height)) *
                        thing.half_height
                  : std::min(thing.half_width - std::abs(u), thing.half_height - std::abs(v));
          const double part = std::clamp(in + 0.5, 0.0, 1.0) / exposures;
          const size_t at = size_t(y) * width_ + x;
          cover[at] += float(part);
          light[at] += float(part * level(thing.texture, thing.texture_x + u, thing.texture_y + v));
        }
    }
    for (size_t at = 0; at < levels.size(); at++)
      if (cover[at] > 0) {
        levels[at] = levels[at] * (1 - cover[at]) + light[at];
        if (cover[at] > 0.4f) owner[at] = int(i);
      }
  }
  std::vector<double> seen(count);
  for (int y = 0; y < height_; y++)
    for (int x = 0; x < width_; x++) {
      const int i = owner[size_t(y) * width_ + x];
      if (i < 0) continue;
      glcl::RectF &box = truth.boxes[size_t(i)];
      box = glcl::united(box, {float(x), float(y), float(x + 1), float(y + 1)});
      seen[size_t(i)]++;
    }
  for (size_t i = 0; i < count; i++) truth.countable[i] = seen[i] >= 0.5 * whole[i];
  return seen_by_camera(levels, number);
}

/// The frame of these levels of grey, with the noise of the camera.
Frame Clip::seen_by_camera(const std::vector<float> &levels, int number) const {
  Frame frame(width_, height_);
  std::mt19937 next(seed_ + unsigned(number) * 977);
  std::normal_distribution<float> gauss(0, float(std::max(noise_, 1e-6)));
  for (size_t at = 0; at < levels.size(); at++) {
    const float value = levels[at] + (noise_ > 0 ? gauss(next) : 0);
    const auto byte = static_cast<uint8_t>(std::lround(std::clamp(value, 0.0f, 255.0f)));
    frame.rgba[4 * at] = frame.rgba[4 * at + 1] = frame.rgba[4 * at + 2] = byte;
    frame.rgba[4 * at + 3] = 255;
  }
  return frame;
}

}  // namespace clips
