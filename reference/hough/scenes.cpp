// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenes.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/textured.h"

namespace reference {

namespace {

const double pi = std::acos(-1.0);
using Colour = std::array<double, 4>;

Colour grey(double level, double cover = 1) { return {level, level, level, cover}; }

bool in_box(double x, double y, double x0, double y0, double x1, double y1) {
  return x >= x0 && x <= x1 && y >= y0 && y <= y1;
}

/// A part of a frame within a rounded outline.
Target part_of(const std::string &name, const Frame &frame) {
  const auto shared = std::make_shared<Frame>(frame);
  return {name, frame.width, [shared](double x, double y) -> Colour {
            const double half = (shared->width - 1) / 2.0;
            if (std::pow(std::abs(x) / half, 4) + std::pow(std::abs(y) / half, 4) > 1) return {};
            const double u = std::clamp(x + half, 0.0, shared->width - 1.001);
            const double v = std::clamp(y + half, 0.0, shared->height - 1.001);
            const int i = static_cast<int>(u), j = static_cast<int>(v);
            Colour colour = grey(0);
            for (int c = 0; c < 3; c++) {
              const double top =
                  shared->at(i, j)[c] + (u - i) * (shared->at(i + 1, j)[c] - shared->at(i, j)[c]);
              const double bottom =
                  shared->at(i, j + 1)[c] +
                  (u - i) * (shared->at(i + 1, j + 1)[c] - shared->at(i, j + 1)[c]);
              colour[c] = top + (v - j) * (bottom - top);
            }
            return colour;
          }};
}

/// A house on a hill, as a photograph has it: shaded, within a rounded outline.
Colour picture(double x, double y) {
  if (std::pow(std::abs(x) / 45, 4) + std::pow(std::abs(y) / 45, 4) > 1) return {};
  const double shade = 25 * (x + y) / 90;
  const auto lit = [&](double r, double g, double b) -> Colour {
    return {std::clamp(r + shade, 0.0, 255.0), std::clamp(g + shade, 0.0, 255.0),
            std::clamp(b + shade, 0.0, 255.0), 1};
  };
  const bool wall = in_box(x, y, -24, -4, 8, 24),
             roof = y < -4 && y > -24 && std::abs(x + 8) < 20 + y;
  if (in_box(x, y, -18, 4, -10, 12) || in_box(x, y, -3, 8, 4, 24)) return lit(60, 50, 50);
  if (wall) return lit(210, 190, 150);
  if (roof || in_box(x, y, 0, -26, 5, -12)) return lit(150, 60, 50);
  if (std::hypot(x - 26, y + 2) < 13 || in_box(x, y, 24, 8, 28, 26)) return lit(40, 90, 40);
  if (std::hypot(x + 28, y + 28) < 8) return lit(250, 240, 190);
  return y > 22 + 6 * std::sin(x / 12) ? lit(90, 120, 60) : lit(150, 180, 215);
}

Colour logo(double x, double y) {
  const double r = std::hypot(x, y);
  if (r > 44) return {};
  if (r > 33 && !(x > 0 && std::abs(y) < 9)) return {190, 60, 40, 1};
  if (in_box(x, y, -20, -18, -8, 18) || in_box(x, y, -8, 8, 16, 18)) return {40, 50, 150, 1};
  return grey(225);
}

Colour tool(double x, double y) {
  const bool handle = in_box(x, y, -6, -8, 6, 44);
  const bool head = std::hypot(x, y + 24) < 20 && !in_box(x, y, -7, -50, 7, -22);
  const bool hole = std::hypot(x, y - 36) < 3.5;
  return (handle || head) && !hole ? grey(35) : Colour{};
}

Colour sign(double x, double y) {
  // A triangle with its tip up, a border, and in it an arrow that points right.
  const auto within = [&](double inset) {
    return y < 34 - 2 * inset && std::abs(x) * std::sqrt(3.0) < y + 42 - 4 * inset;
  };
  if (!within(0)) return {};
  if (!within(6)) return {150, 20, 20, 1};
  if (in_box(x, y, -16, 8, 4, 16) || (x >= 2 && x <= 18 && std::abs(y - 12) < 18 - x))
    return grey(20);
  return grey(235);
}

}  // namespace

Frame Target::picture() const {
  Frame frame(side + 8, side + 8);
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 128;
  place(frame, *this, {(frame.width - 1) / 2.0, (frame.height - 1) / 2.0, 0, 1});
  return frame;
}

std::vector<Target> targets() {
  return {{"picture", 90, picture},
          part_of("texture",
                  crop(relit(textured_frame(320, 240, {0, 0, 0, 2}, 5), 2, -128), 60, 60, 90, 90)),
          {"logo", 90, logo},
          {"tool", 92, tool},
          {"sign", 90, sign}};
}

Frame clutter_frame(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double least, double most) {
    return least + (most - least) * (random() / 4294967296.0);
  };
  Frame frame = textured_frame(width, height, {0, 0, 0, 3}, seed);
  const double base = uniform(80, 170), grain = uniform(0, 0.5);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    if (i % 4 != 3) frame.rgba[i] = static_cast<uint8_t>(base + grain * (frame.rgba[i] - 128));
  const int count = static_cast<int>(uniform(10, 30)) * width * height / (320 * 240) + 3;
  for (int n = 0; n < count; n++) {
    const double cx = uniform(0, width), cy = uniform(0, height), angle = uniform(0, pi);
    const double a = uniform(4, 50), b = n % 3 == 2 ? uniform(1, 4) : uniform(4, 50);
    const Colour colour = {uniform(10, 245), uniform(10, 245), uniform(10, 245), 1};
    const bool disc = n % 3 == 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double u = std::cos(angle) * (x - cx) + std::sin(angle) * (y - cy);
        const double v = std::cos(angle) * (y - cy) - std::sin(angle) * (x - cx);
        // About a px from in to out.
        const double inside =
            disc ? std::clamp((1 - std::hypot(u / a, v / b)) * std::min(a, b) + 0.5, 0.0, 1.0)
                 : std::clamp(a - std::abs(u) + 0.5, 0.0, 1.0) *
                       std::clamp(b - std::abs(v) + 0.5, 0.0, 1.0);
        for (int c = 0; c < 3 && inside > 0; c++)
          frame.at(x, y)[c] =
              static_cast<uint8_t>(frame.at(x, y)[c] + inside * (colour[c] - frame.at(x, y)[c]));
      }
  }
  return frame;
}

void place(Frame &frame, const Target &target, const Pose &pose, double hidden, unsigned seed) {
  const double turn = -pose.angle * pi / 180;  // clockwise
  const double c = std::cos(turn) / pose.scale, s = std::sin(turn) / pose.scale;
  const auto seen = [&](double x, double y) {
    return std::array{c * (x - pose.x) + s * (y - pose.y), c * (y - pose.y) - s * (x - pose.x)};
  };
  std::mt19937 random(seed);
  const double side = 2 * pi * random() / 4294967296.0, shade = 20 + random() % 200;
  const double ux = std::cos(side), uy = std::sin(side);
  // Where the cover ends, along that direction.
  std::vector<double> covered;
  for (int y = -target.side / 2; y <= target.side / 2; y += 2)
    for (int x = -target.side / 2; x <= target.side / 2; x += 2)
      if (target.look(x, y)[3] > 0.5) covered.push_back(ux * x + uy * y);
  std::sort(covered.begin(), covered.end());
  const double from = hidden > 0 ? covered[size_t((1 - hidden) * double(covered.size() - 1))] : 1e9;

  const int reach = static_cast<int>(target.side * pose.scale * 0.75) + 2, fine = 4;
  for (int y = std::max(int(pose.y) - reach, 0);
       y <= std::min(int(pose.y) + reach, frame.height - 1); y++)
    for (int x = std::max(int(pose.x) - reach, 0);
         x <= std::min(int(pose.x) + reach, frame.width - 1); x++) {
      Colour sum = {};
      for (int k = 0; k < fine * fine; k++) {
        const int right = k % fine, down = k / fine;
        const auto [u, v] = seen(x + (right + 0.5) / fine - 0.5, y + (down + 0.5) / fine - 0.5);
        Colour colour = target.look(u, v);
        // The cover has an edge that waves, and stripes.
        const double along = ux * u + uy * v, across = uy * u - ux * v;
        if (along + 3 * std::sin(across / 7) > from && std::hypot(u, v) < target.side * 0.6)
          colour = grey(std::fmod(std::abs(across) + 100, 24) < 12 ? shade : shade + 30);
        for (int i = 0; i < 3; i++) sum[i] += colour[i] * colour[3];
        sum[3] += colour[3];
      }
      for (int i = 0; i < 3; i++) {
        uint8_t &level = frame.at(x, y)[i];
        level = static_cast<uint8_t>(
            std::lround((sum[i] + level * (fine * fine - sum[3])) / (fine * fine)));
      }
    }
}

}  // namespace reference
