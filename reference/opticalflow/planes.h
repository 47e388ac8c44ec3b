// SPDX-License-Identifier: LGPL-2.1-or-later
// Planes of texels and of vectors, with the operations of the solver.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/frames.h"

namespace reference::opticalflow {

/// Some values per node. The edge repeats outside.
template <int n>
struct Plane {
  using Value = std::array<float, n>;

  Plane(int w, int h) : width(w), height(h), values(size_t(w) * h) {}

  const Value &at(int x, int y) const {
    return values[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  template <class Function>
  Plane &fill(Function function) {
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) values[size_t(y) * width + x] = function(x, y);
    return *this;
  }

  int width, height;
  std::vector<Value> values;
};

using Vector = std::array<float, 2>;

inline int half(int n) { return (n + 1) / 2; }

inline Plane<1> grey(const Frame &frame) {
  Plane<1> raw(frame.width, frame.height), smooth(frame.width, frame.height);
  raw.fill([&](int x, int y) {
    const uint8_t *p = frame.at(x, y);
    return Plane<1>::Value{(p[0] + p[1] + p[2]) / 3.0f};
  });
  return smooth.fill([&](int x, int y) {
    float sum = 0;
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) sum += (i ? 1 : 6) * (j ? 1 : 6) * raw.at(x + i, y + j)[0];
    return Plane<1>::Value{sum / 64};
  });
}

inline Plane<1> halved(const Plane<1> &fine) {
  return Plane<1>(half(fine.width), half(fine.height)).fill([&](int x, int y) {
    const float taps[] = {1, 4, 6, 4, 1};
    float sum = 0;
    for (int j = -2; j <= 2; j++)
      for (int i = -2; i <= 2; i++)
        sum += taps[i + 2] * taps[j + 2] * fine.at(2 * x + i, 2 * y + j)[0];
    return Plane<1>::Value{sum / 256};
  });
}

/// Properties of the channels for the solver.
template <int n>
struct ChannelTraits;

template <>
struct ChannelTraits<1> {
  static constexpr float limit = 10, half_confidence = 5;
  static Plane<1> texels(const Plane<1> &grey, float) { return grey; }
  static float noise_share(const Plane<1>::Value &) { return 1; }
  static Plane<1>::Value slope(const Plane<1> &p, int x, int y, int dx, int dy) {
    return {(8 * (p.at(x + dx, y + dy)[0] - p.at(x - dx, y - dy)[0]) -
             (p.at(x + 2 * dx, y + 2 * dy)[0] - p.at(x - 2 * dx, y - 2 * dy)[0])) /
            12};
  }
};

template <>
struct ChannelTraits<4> {
  static constexpr float limit = 127, half_confidence = 120;
  static Plane<4> texels(const Plane<1> &grey, float softness) {
    return Plane<4>(grey.width, grey.height).fill([&](int x, int y) {
      const int sides[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};
      Plane<4>::Value result;
      for (int i = 0; i < 4; i++) {
        const auto [dx, dy] = sides[i];
        const float d = grey.at(x + dx, y + dy)[0] - grey.at(x - dx, y - dy)[0];
        result[i] = std::rint(127 * d / std::sqrt(d * d + softness));
      }
      return result;
    });
  }
  /// The squared slope of the census curve, averaged over the channels.
  static float noise_share(const Plane<4>::Value &texel) {
    float sum = 0;
    for (float c : texel) sum += std::pow(1 - c * c / (127 * 127), 3.0f) / 4;
    return sum;
  }
  static Plane<4>::Value slope(const Plane<4> &p, int x, int y, int dx, int dy) {
    Plane<4>::Value result;
    for (int i = 0; i < 4; i++) result[i] = (p.at(x + dx, y + dy)[i] - p.at(x - dx, y - dy)[i]) / 2;
    return result;
  }
};

template <size_t n>
float dot(const std::array<float, n> &a, const std::array<float, n> &b) {
  float sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

template <size_t n>
std::array<float, n> mix(const std::array<float, n> &a, const std::array<float, n> &b, float part) {
  std::array<float, n> result;
  for (size_t i = 0; i < n; i++) result[i] = a[i] + part * (b[i] - a[i]);
  return result;
}

template <int n>
typename Plane<n>::Value bilinear(const Plane<n> &plane, float x, float y) {
  const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
  return mix(mix(plane.at(i, j), plane.at(i + 1, j), x - i),
             mix(plane.at(i, j + 1), plane.at(i + 1, j + 1), x - i), y - j);
}

/// The weighted mean of nodes `step` texels apart, along y and then along x.
template <int n>
Plane<n> window_mean(const Plane<n> &in, double variance, int step, int radius) {
  std::vector<float> taps;
  double sum = 0;
  for (int i = -radius; i <= radius; i++) {
    taps.push_back(static_cast<float>(std::exp(-0.5 * (i * step) * (i * step) / variance)));
    sum += taps.back();
  }
  const auto pass = [&](const Plane<n> &from, int dx, int dy) {
    return Plane<n>(from.width, from.height).fill([&](int x, int y) {
      typename Plane<n>::Value mean{};
      for (int i = -radius; i <= radius; i++)
        for (int k = 0; k < n; k++)
          mean[k] += taps[i + radius] / float(sum) * from.at(x + i * dx, y + i * dy)[k];
      return mean;
    });
  };
  return pass(pass(in, 0, 1), 1, 0);
}

/// The sum of the squared weights of the window.
inline double spread(double variance, int step, int radius) {
  double sum = 0, squares = 0;
  for (int i = -radius; i <= radius; i++) {
    const double tap = std::exp(-0.5 * (i * step) * (i * step) / variance);
    sum += tap, squares += tap * tap;
  }
  return std::pow(squares / (sum * sum), 2);
}

inline Plane<2> median(const Plane<2> &in, int spacing) {
  return Plane<2>(in.width, in.height).fill([&](int x, int y) {
    Vector result;
    for (int k = 0; k < 2; k++) {
      std::array<float, 9> v;
      for (int i = 0; i < 9; i++)
        v[i] = in.at(x + (i % 3 - 1) * spacing, y + (i / 3 - 1) * spacing)[k];
      std::nth_element(v.begin(), v.begin() + 4, v.end());
      result[k] = v[4];
    }
    return result;
  });
}

}  // namespace reference::opticalflow
