// SPDX-License-Identifier: LGPL-2.1-or-later
#include "chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "cube.h"

namespace reference {

namespace {

using glcl::chain::Item;
using glcl::chain::Matrix;
using Colour = std::array<float, 4>;

/// The inputs of a filter: the current one and earlier ones, newest first, as float colours 0..1.
struct Input {
  std::vector<const Frame *> frames;
  const Frame *picture = nullptr;
  int x = 0, y = 0;

  const uint8_t *pixel(int dx, int dy, int n = 0) const {
    const Frame &frame = *frames[std::min<size_t>(n, frames.size() - 1)];
    return frame.at(std::clamp(x + dx, 0, frame.width - 1),
                    std::clamp(y + dy, 0, frame.height - 1));
  }
  Colour at(int dx, int dy, int n = 0) const {
    const uint8_t *levels = pixel(dx, dy, n);
    Colour colour;
    for (int c = 0; c < 4; c++) colour[c] = static_cast<float>(levels[c]) * (1.0f / 255.0f);
    return colour;
  }
};

uint8_t level(double value) {
  return static_cast<uint8_t>(std::nearbyint(std::clamp(value, 0.0, 255.0)));
}

uint8_t rounded(float colour) {
  return static_cast<uint8_t>(std::nearbyint(255.0f * std::clamp(colour, 0.0f, 1.0f)));
}

float number(const Item &item, size_t parameter) {
  return static_cast<float>(item.values.numbers[parameter]);
}

float luma(const Colour &c) { return 0.299f * c[0] + 0.587f * c[1] + 0.114f * c[2]; }

/// A channel of the current pixel under a colour of some opacity.
float under(const Colour &over, float opacity, const Input &in, int c) {
  const float own = in.at(0, 0)[c];
  return own + opacity * over[3] * (over[c] - own);
}

float watermark(const Item &item, const Input &in, int c) {
  const float opacity = number(item, 0), scale = number(item, 1), margin = number(item, 4);
  const auto place = [&](int pixel, int frame_size, int size, float part) {
    const float room = float(frame_size) - 2.0f * margin - scale * float(size);
    return (float(pixel) + 0.5f - std::nearbyint(margin + part * room)) / scale;
  };
  const Frame &frame = *in.frames[0], &picture = *in.picture;
  const float x = place(in.x, frame.width, picture.width, number(item, 2)),
              y = place(in.y, frame.height, picture.height, number(item, 3));
  if (x < 0 || y < 0 || x >= float(picture.width) || y >= float(picture.height))
    return in.at(0, 0)[c];
  return under(picture_at(picture, x - 0.5f, y - 0.5f), opacity, in, c);
}

/// A colour channel of a pixel, 0..1.
using Channel = std::function<float(const Item &, const Input &, int c)>;

float sobel(const Item &item, const Input &in, int c) {
  const auto at = [&](int dx, int dy) { return in.at(dx, dy)[c]; };
  const float right = at(1, -1) + 2.0f * at(1, 0) + at(1, 1);
  const float left = at(-1, -1) + 2.0f * at(-1, 0) + at(-1, 1);
  const float below = at(-1, 1) + 2.0f * at(0, 1) + at(1, 1);
  const float above = at(-1, -1) + 2.0f * at(0, -1) + at(1, -1);
  const float gx = right - left, gy = below - above;
  return number(item, 0) * 0.25f * std::sqrt(gx * gx + gy * gy);
}

int gaussian_radius(double sigma, double most) {
  return static_cast<int>(std::ceil(std::min(most, 3 * sigma)));
}

float unsharp(const Item &item, const Input &in, int c) {
  const double sigma = item.values.numbers[0];
  const int radius = gaussian_radius(sigma, item.values.numbers[2]);
  const auto weight = [&](int d) {
    return static_cast<float>(std::exp(-d * d / (2 * sigma * sigma)));
  };
  float sum = 0, all = 0;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      const float w = weight(dx) * weight(dy);
      sum += w * in.at(dx, dy)[c];
      all += w;
    }
  const float own = in.at(0, 0)[c];
  return own + number(item, 1) * (own - sum / all);
}

float median(const Item &, const Input &in, int c) {
  std::vector<float> around;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) around.push_back(in.at(dx, dy)[c]);
  std::nth_element(around.begin(), around.begin() + 4, around.end());
  return around[4];
}

float lut(const Item &item, const Input &in, int c) {
  const std::vector<double> &points = item.values.lists[0].values;
  const int last = static_cast<int>(points.size()) - 1;
  const float along = static_cast<float>(last) * in.at(0, 0)[c];
  const int i = std::min(static_cast<int>(along), std::max(last - 1, 0));
  const auto from = static_cast<float>(points[i]);
  const auto to = static_cast<float>(points[std::min(i + 1, last)]);
  return from + (along - static_cast<float>(i)) * (to - from);
}

float mapped_by_cube(const Item &item, const Input &in, int c) {
  const uint8_t *levels = in.pixel(0, 0);
  const Triple colour{levels[0] / 255.0, levels[1] / 255.0, levels[2] / 255.0};
  const std::vector<double> &numbers = item.values.numbers;
  return static_cast<float>(cube(*item.filter->cube, colour, numbers[1] == 1, numbers[0])[c]);
}

float motion_blur(const Item &item, const Input &in, int c) {
  float sum = in.at(0, 0)[c], weight = 1, all = 1;
  for (int n = 1; n < 4; n++) {
    weight *= number(item, 0);
    all += weight;
    sum += weight * in.at(0, 0, n)[c];
  }
  return sum / all;
}

const std::map<std::string, Channel> &channels() {
  using I = const Item &;
  using In = const Input &;
  static const auto *all = new std::map<std::string, Channel>{
      {"grey", [](I, In in, int) { return luma(in.at(0, 0)); }},
      {"sobel", sobel},
      {"sharpen",
       [](I item, In in, int c) {
         const auto at = [&](int dx, int dy) { return in.at(dx, dy)[c]; };
         const float around = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
         return at(0, 0) + number(item, 0) * (4.0f * at(0, 0) - around);
       }},
      {"unsharp", unsharp},
      {"median", median},
      {"threshold",
       [](I item, In in, int c) { return in.at(0, 0)[c] >= number(item, 0) ? 1.0f : 0.0f; }},
      {"gamma",
       [](I item, In in, int c) {
         return static_cast<float>(std::pow(in.pixel(0, 0)[c] / 255.0, 1 / item.values.numbers[0]));
       }},
      {"saturation",
       [](I item, In in, int c) {
         const Colour colour = in.at(0, 0);
         return luma(colour) + number(item, 0) * (colour[c] - luma(colour));
       }},
      {"lut", lut},
      {"blend",
       [](I item, In in, int c) {
         const float now = in.at(0, 0)[c], last = in.at(0, 0, 1)[c];
         return now + number(item, 0) * (last - now);
       }},
      {"motionblur", motion_blur},
      {"cube", mapped_by_cube},
      {"overlay",
       [](I item, In in, int c) {
         return under(picture_over(*in.picture, float(in.x), float(in.y), *in.frames[0]),
                      number(item, 0), in, c);
       }},
      {"watermark", watermark},
      {"emboss",
       [](I item, In in,
          int c) { return 128.0f / 255.0f + number(item, 0) * (in.at(1, 1)[c] - in.at(-1, -1)[c]); }},
      {"invert", [](I item, In in, int c) {
         const float own = in.at(0, 0)[c];
         return own + number(item, 0) * (1.0f - 2.0f * own);
       }}};
  return *all;
}

/// The weights of a convolution and the added constant, in levels.
struct Convolution {
  Matrix weights;
  double plus = 0;
};

Convolution convolution(const Item &item) {
  const std::vector<double> &numbers = item.values.numbers;
  Convolution result;
  const auto square = [&](int radius, const std::function<double(int, int)> &weight) {
    result.weights = {2 * radius + 1, 2 * radius + 1, {}};
    for (int dy = -radius; dy <= radius; dy++)
      for (int dx = -radius; dx <= radius; dx++) result.weights.values.push_back(weight(dx, dy));
  };
  double factor = 1;
  if (item.filter->name == "gauss") {
    square(gaussian_radius(numbers[0], numbers[1]), [&](int dx, int dy) {
      return std::exp(-(dx * dx + dy * dy) / (2 * numbers[0] * numbers[0]));
    });
  } else if (item.filter->name == "box") {
    square(static_cast<int>(std::floor(numbers[0] + 0.5)), [](int, int) { return 1.0; });
  } else if (item.filter->name == "convolve") {
    result.weights = item.values.lists[0];
    factor = numbers[0];
    result.plus = 255 * numbers[1];
  } else {
    throw std::out_of_range(item.filter->name);
  }
  double sum = 0, size = 0;
  for (const double weight : result.weights.values) sum += weight, size += std::fabs(weight);
  if (std::fabs(sum) > 1e-9 * size && sum != 0) factor /= sum;
  for (double &weight : result.weights.values) weight *= factor;
  return result;
}

void convolve(const Convolution &by, const Input &in, uint8_t *out) {
  double sums[3] = {by.plus, by.plus, by.plus};
  const Matrix &weights = by.weights;
  for (int y = 0; y < weights.height; y++)
    for (int x = 0; x < weights.width; x++) {
      const uint8_t *levels = in.pixel(x - weights.width / 2, y - weights.height / 2);
      for (int c = 0; c < 3; c++) sums[c] += weights.at(x, y) * levels[c];
    }
  for (int c = 0; c < 3; c++) out[c] = level(sums[c]);
}

/// One filter on all frames.
std::vector<Frame> filtered(const std::vector<Frame> &frames, const Item &item,
                            const Frame &picture) {
  const auto channel = channels().find(item.filter->name);
  const bool convolves = channel == channels().end();
  const Convolution by = convolves ? convolution(item) : Convolution();
  std::vector<Frame> results = frames;
  for (size_t f = 0; f < frames.size(); f++) {
    Input in;
    in.picture = &picture;
    for (int n = 0; n < item.filter->frames && f >= size_t(n); n++)
      in.frames.push_back(&frames[f - n]);
    for (in.y = 0; in.y < frames[f].height; in.y++)
      for (in.x = 0; in.x < frames[f].width; in.x++) {
        uint8_t *out = results[f].at(in.x, in.y);
        if (convolves)
          convolve(by, in, out);
        else
          for (int c = 0; c < 3; c++) out[c] = rounded(channel->second(item, in, c));
      }
  }
  return results;
}

}  // namespace

std::array<float, 4> picture_at(const Frame &picture, float x, float y) {
  x = std::clamp(x, 0.0f, float(picture.width - 1));
  y = std::clamp(y, 0.0f, float(picture.height - 1));
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const int right = std::min(left + 1, picture.width - 1),
            bottom = std::min(top + 1, picture.height - 1);
  // Colours count as much as they cover.
  const auto sum = [&](int c) {
    const auto covering = [&](int column, int row) {
      const uint8_t *pixel = picture.at(column, row);
      return c < 3 ? float(pixel[c]) * float(pixel[3]) : float(pixel[3]);
    };
    const auto along = [&](int row) {
      return covering(left, row) + (x - float(left)) * (covering(right, row) - covering(left, row));
    };
    return along(top) + (y - float(top)) * (along(bottom) - along(top));
  };
  Colour colour{};
  for (int c = 0; c < 3; c++) colour[c] = sum(3) > 0 ? sum(c) / sum(3) * (1.0f / 255.0f) : 0;
  colour[3] = sum(3) * (1.0f / 255.0f);
  return colour;
}

double cycle(double time, float period) {
  return period > 0 ? std::fmod(time, double(period)) / double(period) : 0;
}

std::array<float, 4> picture_over(const Frame &picture, float x, float y, const Frame &frame) {
  const auto place = [](float pixel, int picture_size, int frame_size) {
    return (pixel + 0.5f) * (float(picture_size) / float(frame_size)) - 0.5f;
  };
  return picture_at(picture, place(x, picture.width, frame.width),
                    place(y, picture.height, frame.height));
}

std::vector<Frame> chain(const std::vector<Frame> &frames, const glcl::chain::Description &chain,
                         const Frame &picture) {
  std::vector<Frame> results = frames;
  for (int iteration = 0; iteration < chain.iterations; iteration++)
    for (const Item &item : chain.items)
      for (int time = 0; time < item.times; time++) results = filtered(results, item, picture);
  return results;
}

Frame chain(const Frame &frame, const glcl::chain::Description &description, const Frame &picture) {
  return chain(std::vector<Frame>{frame}, description, picture).front();
}

}  // namespace reference
