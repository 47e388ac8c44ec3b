// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streetweather.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace street::weather {

namespace {

/// Multiplies the levels of each pixel by what `light` says.
template <class Light>
void shade(Frame &frame, const Light &light) {
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const double part = light(x, y);
      for (int c = 0; c < 3; c++)
        frame.at(x, y)[c] = uint8_t(std::clamp(std::lround(part * frame.at(x, y)[c]), 0L, 255L));
    }
}

/// Mixes a level into a pixel.
void mix(uint8_t *pixel, double level, double part) {
  for (int c = 0; c < 3; c++) pixel[c] = uint8_t(std::lround(pixel[c] + part * (level - pixel[c])));
}

/// 1 inside, 0 outside, and in between over some px.
double soft(double distance, double over) { return 1 / (1 + std::exp(-distance / over)); }

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  double between(double low, double high) { return low + (high - low) * random_() / 4294967296.0; }

 private:
  std::mt19937 random_;
};

}  // namespace

void dim(Frame &frame, double light) {
  shade(frame, [=](int, int) { return light; });
}

void infrared(Frame &frame) {
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      uint8_t *p = frame.at(x, y);
      const double away = std::hypot(x / double(frame.width) - 0.5, y / double(frame.height) - 0.6),
                   level = (0.75 - 0.5 * away) * (0.7 * p[0] + 0.2 * p[1] + 0.1 * p[2]) + 6;
      std::fill_n(p, 3, uint8_t(level));
    }
}

void cloud(Frame &frame, double t) {
  constexpr double every = 20, speed = 25;  // s; px per s
  const auto number = unsigned(t / every);
  Random random(number);
  const double size = random.between(50, 110), depth = random.between(0.25, 0.45),
               y = random.between(60, 150), edge = random.between(4, 15),
               x = speed * (t - every * number) - size - 20;
  shade(frame, [&](int u, int v) {
    const double wave = 8 * std::sin(0.09 * u + number) + 6 * std::sin(0.13 * v);
    return 1 - depth * soft(size + wave - std::hypot(u - x, 1.4 * (v - y)), edge);
  });
}

void headlights(Frame &frame, double t) {
  constexpr double every = 10, lasts = 3;  // s
  const auto number = unsigned(t / every);
  const double since = t - every * number;
  if (since >= lasts) return;
  Random random(number);
  const bool back = random.between(0, 1) < 0.5;
  const double y = random.between(40, 110), power = random.between(0.5, 1.5), way = since / lasts,
               on = std::sin(3.14159 * way), x = (back ? 1 - way : way) * (frame.width + 120) - 60;
  // Two lamps light what is there; lens and haze add a little.
  shade(frame, [&](int u, int v) {
    double lit = 0;
    for (const int side : {-14, 14})
      lit += std::exp(-std::pow((u - x - side) / 24, 2) - std::pow((v - y) / 22, 2));
    return 1 + on * power * lit;
  });
}

void rain(Frame &frame, unsigned seed) {
  Random random(seed);
  for (int i = 0; i < 60; i++) {
    const double left = random.between(0, frame.width), top = random.between(-30, frame.height),
                 length = random.between(10, 26), light = random.between(20, 60);
    for (int k = 0; k < int(length); k++) {
      const int x = int(left) + k / 7, y = int(top) + k;
      if (x < frame.width && y >= 0 && y < frame.height) mix(frame.at(x, y), 255, light / 255);
    }
  }
}

void snow(Frame &frame, int number) {
  Random random(6);
  for (int i = 0; i < 50; i++) {
    const double left = random.between(0, frame.width), top = random.between(0, frame.height),
                 radius = random.between(0.8, 3), fall = random.between(5, 14),
                 x = std::fmod(left + 4 * std::sin(number / 3.0 + left) + 4, frame.width),
                 y = std::fmod(top + fall * number, frame.height);
    for (int v = std::max(int(y - radius), 0); v <= std::min(int(y + radius) + 1, frame.height - 1);
         v++)
      for (int u = std::max(int(x - radius), 0);
           u <= std::min(int(x + radius) + 1, frame.width - 1); u++)
        mix(frame.at(u, v), 225, std::clamp(radius + 0.5 - std::hypot(u - x, v - y), 0.0, 1.0));
  }
}

void insect(Frame &frame, double t) {
  constexpr double every = 12;  // s
  const auto number = unsigned(t / every);
  Random random(number + 1);
  const double lasts = random.between(0.3, 2), since = t - every * number;
  if (since >= lasts) return;
  // It flies in curves, near and far, and beats its wings.
  const double x0 = random.between(0, frame.width), y0 = random.between(0, frame.height),
               angle = random.between(0, 6.3), speed = random.between(100, 400),
               turn = random.between(-4, 4), size = random.between(6, 16),
               dark = random.between(0.4, 0.8), near = random.between(0.5, 2);
  const double now = angle + turn * since + 1.5 * std::sin(7 * since),
               x = x0 + speed * since * std::cos(now), y = y0 + speed * since * std::sin(now),
               radius = size * std::pow(near, since), level = number % 3 ? 30 : 190;
  for (int v = 0; v < frame.height; v++)
    for (int u = 0; u < frame.width; u++) {
      const double part = dark * soft(radius - std::hypot(u - x, 1.3 * (v - y)), radius / 4);
      if (part > 0.01) mix(frame.at(u, v), level, part);
    }
}

void blur(Frame &frame, int radius) {
  for (int pass = 0; pass < 6; pass++) {
    const Frame from = frame;
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        for (int c = 0; c < 3; c++) {
          int sum = 0;
          for (int i = -radius; i <= radius; i++)
            sum += from.at(pass % 2 ? std::clamp(x + i, 0, frame.width - 1) : x,
                           pass % 2 ? y : std::clamp(y + i, 0, frame.height - 1))[c];
          frame.at(x, y)[c] = uint8_t((sum + radius) / (2 * radius + 1));
        }
  }
}

void cover(Frame &frame, double part) {
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < int(part * frame.width); x++)
      for (int c = 0; c < 3; c++) frame.at(x, y)[c] = uint8_t(c ? 26 : 40);
}

void clock(Frame &frame, int seconds) {
  // The segments of each digit: upper, its two sides, middle, the two below, lower.
  static const unsigned digits[] = {0x77, 0x12, 0x5d, 0x5b, 0x3a, 0x6b, 0x6f, 0x52, 0x7f, 0x7b};
  const auto fill = [&](int x, int y, int wide, int high) {
    for (int v = y; v < y + high; v++)
      for (int u = x; u < x + wide; u++) std::fill_n(frame.at(u, v), 3, uint8_t(235));
  };
  int x = frame.width - 72;
  for (const int pair : {14 + seconds / 3600, seconds / 60 % 60, seconds % 60}) {
    for (const int digit : {pair / 10, pair % 10}) {
      const int y = frame.height - 16;
      const int places[7][4] = {{0, 0, 6, 1}, {0, 0, 1, 5}, {5, 0, 1, 5}, {0, 5, 6, 1},
                                {0, 5, 1, 5}, {5, 5, 1, 5}, {0, 10, 6, 1}};
      for (int i = 0; i < 7; i++)
        if (digits[digit] >> (6 - i) & 1)
          fill(x + places[i][0], y + places[i][1], places[i][2], places[i][3]);
      x += 8;
    }
    x += 4;
  }
}

}  // namespace street::weather
