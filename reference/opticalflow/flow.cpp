// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace reference {

namespace {

using glcl::opticalflow::Flow;
using Settings = Flow::Settings;

/// Some values per node, the edge repeated outside.
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

int half(int n) { return (n + 1) / 2; }

Plane<1> grey(const Frame &frame) {
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

Plane<1> halved(const Plane<1> &fine) {
  return Plane<1>(half(fine.width), half(fine.height)).fill([&](int x, int y) {
    const float taps[] = {1, 4, 6, 4, 1};
    float sum = 0;
    for (int j = -2; j <= 2; j++)
      for (int i = -2; i <= 2; i++)
        sum += taps[i + 2] * taps[j + 2] * fine.at(2 * x + i, 2 * y + j)[0];
    return Plane<1>::Value{sum / 256};
  });
}

/// What the solver needs to know of the channels.
template <int n>
struct Kind;

template <>
struct Kind<1> {
  static constexpr float limit = 10, half_sure = 16;
  static Plane<1> texels(const Plane<1> &grey) { return grey; }
  static Plane<1>::Value slope(const Plane<1> &p, int x, int y, int dx, int dy) {
    return {(8 * (p.at(x + dx, y + dy)[0] - p.at(x - dx, y - dy)[0]) -
             (p.at(x + 2 * dx, y + 2 * dy)[0] - p.at(x - 2 * dx, y - 2 * dy)[0])) /
            12};
  }
};

template <>
struct Kind<4> {
  static constexpr float limit = 127, half_sure = 400;
  static Plane<4> texels(const Plane<1> &grey) {
    return Plane<4>(grey.width, grey.height).fill([&](int x, int y) {
      const int sides[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};
      Plane<4>::Value result;
      for (int i = 0; i < 4; i++) {
        const auto [dx, dy] = sides[i];
        const float d = grey.at(x + dx, y + dy)[0] - grey.at(x - dx, y - dy)[0];
        result[i] = std::rint(127 * d / std::sqrt(d * d + 2.5f * 2.5f));
      }
      return result;
    });
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

Plane<2> median(const Plane<2> &in, int spacing) {
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

/// Gain and offset that give the later frame the light of the earlier one.
struct Light {
  float gain = 1, offset = 0;
};

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread(const Plane<1> &grey) {
  Spread result;
  for (const auto &v : grey.values) result.mean += v[0];
  result.mean /= static_cast<double>(grey.values.size());
  for (const auto &v : grey.values) result.deviation += std::pow(v[0] - result.mean, 2);
  result.deviation = std::sqrt(result.deviation / static_cast<double>(grey.values.size()));
  return result;
}

/// From what the previous and the current frame have.
Light light_change(const Spread &then, const Spread &now) {
  const auto beyond = [](double value, double tolerance) {
    return value - std::clamp(value, -tolerance, tolerance);
  };
  const double gain = std::exp(beyond(std::log((then.deviation + 1) / (now.deviation + 1)), 0.06));
  const double offset = now.mean + beyond(then.mean - now.mean, 1) - gain * now.mean;
  return {static_cast<float>(gain), static_cast<float>(offset)};
}

template <int n>
class Solver {
 public:
  Solver(const Settings &settings) : settings_(settings) {
    step_ = settings.window <= 15 ? 1 : settings.window <= 31 ? 2 : 4;
  }

  Field run(const Frame &before, const Frame &after) {
    const int most = Flow::most_levels(before.width, before.height);
    const int automatic = Flow::automatic_levels(before.width, before.height);
    const int levels = settings_.levels ? std::min(settings_.levels, most) : automatic;
    const int taken = std::max(levels, automatic);
    const auto from = pyramid(before, taken), to = pyramid(after, taken);
    Light light, back;
    if (n == 1) {
      light = light_change(spread(from[automatic - 1]), spread(to[automatic - 1]));
      back = {1 / light.gain, -light.offset / light.gain};
    }
    const Texels a = texels(from, levels), b = texels(to, levels);
    Field field = solve(a, b, light);
    if (settings_.check) {
      const Field backward = solve(b, a, back);
      for (int y = 0; y < field.height; y++)
        for (int x = 0; x < field.width; x++) {
          const float u = field.x(x, y), v = field.y(x, y);
          const int i = std::clamp(static_cast<int>(std::rint(x + u)), 0, field.width - 1);
          const int j = std::clamp(static_cast<int>(std::rint(y + v)), 0, field.height - 1);
          const float off = std::hypot(u + backward.x(i, j), v + backward.y(i, j));
          field.confidence[size_t(y) * field.width + x] *= std::clamp(1 - off, 0.0f, 1.0f);
        }
    }
    return field;
  }

 private:
  using Texels = std::vector<Plane<n>>;
  using Tensor = std::array<float, 3>;

  static std::vector<Plane<1>> pyramid(const Frame &frame, int levels) {
    std::vector<Plane<1>> result{grey(frame)};
    while (static_cast<int>(result.size()) < levels) result.push_back(halved(result.back()));
    return result;
  }

  static Texels texels(const std::vector<Plane<1>> &pyramid, int levels) {
    Texels result;
    for (int i = 0; i < levels; i++) result.push_back(Kind<n>::texels(pyramid[i]));
    return result;
  }

  Tensor tensor(const Plane<n> &plane, int x, int y) const {
    const auto gx = Kind<n>::slope(plane, x, y, 1, 0), gy = Kind<n>::slope(plane, x, y, 0, 1);
    const float xx = dot(gx, gx), yy = dot(gy, gy);
    const float vote = static_cast<float>(settings_.alpha) + 1e-3f * (xx + yy);
    return {xx + vote, dot(gx, gy), yy + vote};
  }

  Vector vote(const Plane<n> &before, const Plane<n> &after, int x, int y, Vector flow,
              const Light &light) const {
    const Tensor t = tensor(before, x, y);
    Vector result = {t[0] * flow[0] + t[1] * flow[1], t[1] * flow[0] + t[2] * flow[1]};
    const float to_x = x + flow[0], to_y = y + flow[1];
    if (to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) return result;
    auto change = bilinear(after, to_x, to_y);
    for (int k = 0; k < n; k++)
      change[k] = std::clamp(light.gain * change[k] + light.offset - before.at(x, y)[k],
                             -Kind<n>::limit, Kind<n>::limit);
    result[0] -= dot(Kind<n>::slope(before, x, y, 1, 0), change);
    result[1] -= dot(Kind<n>::slope(before, x, y, 0, 1), change);
    return result;
  }

  using Votes = std::array<float, 5>;  // the tensor's xx, xy, yy; along x and y

  /// The window's mean of what `texels` × `texels` texels around each node say, whose flow is in
  /// `flow`, nodes `spacing` texels apart. The nodes lie `step` texels apart.
  Plane<5> votes(const Plane<n> &before, const Plane<n> &after, const Light &light,
                 const Plane<2> &flow, double spacing, int step, int texels, int radius) const {
    const int apart = step / texels;
    Plane<5> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    nodes.fill([&](int x, int y) {
      Votes sum{};
      for (int i = 0; i < texels * texels; i++) {
        const int tx = std::min(x * step + i % texels * apart, before.width - 1);
        const int ty = std::min(y * step + i / texels * apart, before.height - 1);
        const Vector v = bilinear(flow, float(tx / spacing), float(ty / spacing));
        const Tensor t = tensor(before, tx, ty);
        const Vector b = vote(before, after, tx, ty, v, light);
        const Votes own{t[0], t[1], t[2], b[0], b[1]};
        for (int k = 0; k < 5; k++) sum[k] += own[k] / float(texels * texels);
      }
      return sum;
    });
    const double own = texels > 1 ? apart * apart / 4.0 : 0;
    const double variance = std::max(settings_.window * settings_.window / 36.0 - own, 1e-6);
    return window_mean(nodes, variance, step, std::min(radius, settings_.window / 2 / step));
  }

  Plane<2> warp(const Plane<5> &sums) const {
    return Plane<2>(sums.width, sums.height).fill([&](int x, int y) {
      const auto [xx, xy, yy, bx, by] = sums.at(x, y);
      const float scale = 1 / (xx * yy - xy * xy);
      return Vector{scale * (yy * bx - xy * by), scale * (xx * by - xy * bx)};
    });
  }

  Plane<2> smooth(const Plane<2> &flow) const { return median(flow, settings_.median / 2); }

  Field solve(const Texels &before, const Texels &after, const Light &light) const {
    Plane<2> flow(1, 1);
    int spacing = 1;  // of its nodes, texels
    for (size_t level = before.size(); level-- > 0;) {
      const int step = level ? 2 * step_ : 4 * step_;
      for (int i = level ? 0 : 1; i < settings_.warps; i++, spacing = step)
        flow = warp(votes(before[level], after[level], light, smooth(flow), spacing, step, 1,
                          level ? 3 : 1));
      if (level) {
        for (Vector &v : flow.values) v = {2 * v[0], 2 * v[1]};
        spacing *= 2;
      }
    }
    const Plane<5> sums = votes(before[0], after[0], light, smooth(flow), spacing, 2 * step_, 2, 3);
    return finish(smooth(warp(sums)), sums, before[0].width, before[0].height);
  }

  /// Nodes lie in the middle of the four texels that voted.
  Field finish(const Plane<2> &flow, const Plane<5> &sums, int width, int height) const {
    const float spacing = 2.0f * step_, first = step_ / 2.0f;
    Field field{width, height, {}, {}};
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const Vector v = bilinear(flow, (x - first) / spacing, (y - first) / spacing);
        field.vectors.insert(field.vectors.end(), {v[0], v[1]});
        const Votes s = sums.at(x / (2 * step_), y / (2 * step_));
        const float trace = (s[0] + s[2] - 2 * static_cast<float>(settings_.alpha)) / 1.002f;
        const float least = std::max((trace - std::hypot(s[0] - s[2], 2 * s[1])) / 2, 0.0f);
        const bool inside =
            x + v[0] >= 0 && y + v[1] >= 0 && x + v[0] <= width - 1 && y + v[1] <= height - 1;
        field.confidence.push_back(inside ? least / (least + Kind<n>::half_sure) : 0);
      }
    return field;
  }

  Settings settings_;
  int step_;
};

}  // namespace

Field flow(const Frame &before, const Frame &after, Flow::Channels channels,
           const Settings &settings) {
  return channels == Flow::Channels::census ? Solver<4>(settings).run(before, after)
                                            : Solver<1>(settings).run(before, after);
}

Field download(glcl::Queue &queue, const glcl::opticalflow::Field &field) {
  Field result{field.width, field.height, {}, {}};
  result.confidence.resize(size_t(field.width) * field.height);
  result.vectors.resize(2 * result.confidence.size());
  queue.cl().enqueueReadBuffer(field.vectors, CL_TRUE, 0, result.vectors.size() * sizeof(float),
                               result.vectors.data());
  queue.cl().enqueueReadBuffer(field.confidence, CL_TRUE, 0,
                               result.confidence.size() * sizeof(float), result.confidence.data());
  return result;
}

Field load_flo(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char tag[4] = {};
  int32_t size[2] = {};
  file.read(tag, 4).read(reinterpret_cast<char *>(size), 8);
  if (!file || std::string(tag, 4) != "PIEH" || size[0] < 1 || size[1] < 1)
    throw std::runtime_error(path + " is no .flo file");
  Field field{size[0], size[1], {}, {}};
  field.vectors.resize(2 * size_t(size[0]) * size[1]);
  file.read(reinterpret_cast<char *>(field.vectors.data()), field.vectors.size() * sizeof(float));
  if (!file) throw std::runtime_error(path + " is cut short");
  return field;
}

double end_point_error(const Field &field, const Field &truth) {
  double sum = 0;
  size_t known = 0;
  for (size_t i = 0; i < truth.vectors.size(); i += 2) {
    const float x = truth.vectors[i], y = truth.vectors[i + 1];
    if (!(std::abs(x) < 1e9f && std::abs(y) < 1e9f)) continue;
    sum += std::hypot(field.vectors[i] - x, field.vectors[i + 1] - y);
    known++;
  }
  return known ? sum / known : 0;
}

}  // namespace reference
