// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

using Complex = std::complex<float>;

constexpr float none = 1e9f;

uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

Complex shift(const Similarity &m) { return {m.x, m.y}; }
Complex turn(const Similarity &m) { return {m.dilation, m.rotation}; }
Similarity similarity(Complex shift, Complex turn) {
  return {shift.real(), shift.imag(), turn.real(), turn.imag()};
}

bool fits(const Similarity &motion, const CameraVector &v, float error) {
  return v[0] < none &&
         std::norm(vector_at(motion, {v[0], v[1]}) - Complex(v[2], v[3])) < error * error;
}

}  // namespace

Complex vector_at(const Similarity &motion, Complex z) { return shift(motion) + turn(motion) * z; }

Similarity after(const Similarity &a, const Similarity &b) {
  return similarity(shift(a) + shift(b) + turn(b) * shift(a),
                    turn(a) + turn(b) + turn(a) * turn(b));
}

Similarity inverse(const Similarity &motion) {
  const Complex back = 1.0f / (1.0f + turn(motion));
  return similarity(-shift(motion) * back, back - 1.0f);
}

Similarity through(const CameraVector &a, const CameraVector &b, bool translation) {
  const Complex apart(a[0] - b[0], a[1] - b[1]), change(a[2] - b[2], a[3] - b[3]);
  Complex turn = std::conj(apart) * change / std::max(std::norm(apart), 1.0f);
  if (translation || std::norm(apart) < 1 || std::norm(turn) > 0.25f) turn = 0;
  const Complex place = 0.5f * Complex(a[0] + b[0], a[1] + b[1]),
                v = 0.5f * Complex(a[2] + b[2], a[3] + b[3]);
  return similarity(v - turn * place, turn);
}

int Ransac::count(const Similarity &motion) const {
  return int(std::count_if(vectors_.begin(), vectors_.end(), [&](const CameraVector &v) {
    return fits(motion, v, settings_.error);
  }));
}

Similarity Ransac::drawn(int iteration) const {
  if (!valid) return {};
  const auto next = [&](uint32_t number) {
    size_t at = mixed(settings_.seed ^ mixed(number)) % vectors_.size();
    while (vectors_[at][0] >= none) at = (at + 1) % vectors_.size();
    return vectors_[at];
  };
  return through(next(2 * uint32_t(iteration)), next(2 * uint32_t(iteration) + 1),
                 settings_.translation);
}

Ransac::Ransac(const std::vector<CameraVector> &vectors,
               const glcl::camera::Ransac::Settings &settings)
    : vectors_(vectors), settings_(settings) {
  for (const CameraVector &v : vectors) valid += v[0] < none;
  const int rounds = (settings.most + settings.least - 1) / settings.least;
  inliers.assign(size_t(rounds) * settings.least, -1);
  for (int group = 0; group < settings.least; group++) {
    int own = 0;
    for (int round = 0; round < rounds; round++) {
      const int iteration = group + round * settings.least;
      own = std::max(own, inliers[size_t(iteration)] = count(drawn(iteration)));
      if (float(valid - own) < settings.converged * float(valid) || valid < 2) break;
    }
  }
  best = int(std::max_element(inliers.begin(), inliers.end()) - inliers.begin());
}

Similarity Ransac::fitted(int iteration, int *count) const {
  Similarity motion = drawn(iteration);
  for (int k = 0; k <= 3; k++) {
    std::complex<double> place, velocity, product;
    double square = 0;
    *count = 0;
    const auto each = [&](auto work) {
      for (const CameraVector &v : vectors_)
        if (fits(motion, v, settings_.error))
          work(std::complex<double>(v[0], v[1]), std::complex<double>(v[2], v[3]));
    };
    each([&](auto z, auto v) { place += z, velocity += v, ++*count; });
    if (k == 3 || !*count) break;
    place /= *count, velocity /= *count;
    each([&](auto z, auto v) {
      product += std::conj(z - place) * (v - velocity);
      square += std::norm(z - place);
    });
    const std::complex<double> turn = settings_.translation || square < 1 ? 0 : product / square;
    motion = similarity(Complex(velocity - turn * place), Complex(turn));
  }
  return motion;
}

std::vector<CameraVector> block_vectors(const Texel &luma, int width, int height,
                                        const std::vector<glcl::motion::Vector> &vectors, int cell,
                                        int columns, float noise) {
  const int rows = int(vectors.size()) / columns, step = std::max(16 / cell, 1);
  const int taken = std::min({step, 2 * columns - 1, 2 * rows - 1});
  std::vector<CameraVector> list;
  for (int j = 0; j < std::max(rows / step, 1); j++)
    for (int i = 0; i < std::max(columns / step, 1); i++) {
      const int column = i * taken + taken / 2, row = j * taken + taken / 2;
      const auto v = vectors[size_t(row) * columns + column];
      const int mx = column * cell + cell / 2, my = row * cell + cell / 2;
      double xx = 0, yy = 0, xy = 0;
      for (int y = my - 8; y < my + 8; y += 2)
        for (int x = mx - 8; x < mx + 8; x += 2) {
          const double right = 0.5 * (luma(x + 1, y) - luma(x - 1, y)),
                       down = 0.5 * (luma(x, y + 1) - luma(x, y - 1));
          xx += right * right, yy += down * down, xy += right * down;
        }
      const double weakest =
          (0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy)) / 64;
      if (weakest >= 3 + noise && mx < width && my < height)
        list.push_back({float(mx) - float(width) / 2 - float(v.x) / 4,
                        float(my) - float(height) / 2 - float(v.y) / 4, float(v.x) / 4,
                        float(v.y) / 4});
      else
        list.push_back({none, none, 0, 0});
    }
  return list;
}

std::vector<float> shrunk(const Texel &luma, const glcl::camera::Frame &frame) {
  const int n = int(frame.shrink);
  std::vector<float> small;
  for (int y = 0; y < frame.size.s[1]; y++)
    for (int x = 0; x < frame.size.s[0]; x++) {
      int sum = 0;
      for (int j = -n; j < 2 * n; j++)
        for (int i = -n; i < 2 * n; i++)
          sum += (i >= 0 && i < n ? 2 : 1) * (j >= 0 && j < n ? 2 : 1) *
                 int(luma(x * n + i, y * n + j));
      small.push_back(float(sum) / float(16 * n * n));
    }
  return small;
}

namespace {

/// A picture between its pixels; none outside.
struct Sampler {
  const std::vector<float> &levels;
  int width, height;

  bool inside(double x, double y) const {
    return x >= -0.01 && y >= -0.01 && x <= width - 0.99 && y <= height - 0.99;
  }
  double pixel(int x, int y) const {
    return levels[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  double at(double x, double y) const {
    const int left = std::clamp(int(std::floor(x)), 0, std::max(width - 2, 0)),
              top = std::clamp(int(std::floor(y)), 0, std::max(height - 2, 0));
    const double u = std::clamp(x - left, 0.0, 1.0), v = std::clamp(y - top, 0.0, 1.0);
    return (1 - v) * ((1 - u) * pixel(left, top) + u * pixel(left + 1, top)) +
           v * ((1 - u) * pixel(left, top + 1) + u * pixel(left + 1, top + 1));
  }
};

double weight(double rest, double scatter) {
  const double part = 1 / (1 + rest * rest / (scatter * scatter));
  return part * part;
}

/// Solves matrix · x = right by Gauss.
std::array<double, 6> solved(std::array<std::array<double, 7>, 6> m) {
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++)
      if (i != k) {
        const double part = m[i][k] / m[k][k];
        for (int j = k; j < 7; j++) m[i][j] -= part * m[k][j];
      }
  std::array<double, 6> x{};
  for (int i = 0; i < 6; i++) x[i] = m[i][6] / m[i][i];
  return x;
}

}  // namespace

void align(const std::vector<float> &small, const std::vector<float> &picture,
           const std::vector<bool> &known, const glcl::camera::Frame &frame,
           glcl::camera::Compensation compensation, bool first, glcl::camera::State &state) {
  using glcl::camera::Compensation;
  const bool moves = compensation != Compensation::none && state.sure,
             turns = moves && compensation == Compensation::first_order_flow;
  const int width = frame.size.s[0], height = frame.size.s[1];
  const int rows = int(std::ceil(double(width) * height / 140000));
  const Sampler current{small, width, height};
  const auto in_small = [&](Similarity m) { return m.x /= frame.shrink, m.y /= frame.shrink, m; };
  Similarity motion = after(state.from_frame, moves ? in_small(state.vectors) : Similarity{});
  double gain = 1, offset = 0;
  constexpr double scatter[] = {16, 10, 8}, light = 1.0 / 64;
  for (int step = 0; step < 3 && !first; step++) {
    std::array<std::array<double, 7>, 6> m{};
    double weights = 0, other[2]{};
    const Similarity others[] = {state.from_frame, after(state.from_frame, in_small(state.step))};
    for (int y = 0; y < height; y += rows)
      for (int x = 0; x < width; x++) {
        const size_t at = size_t(y) * width + x;
        const std::complex<float> z(float(x) - frame.centre.s[0], float(y) - frame.centre.s[1]),
            centre(frame.centre.s[0], frame.centre.s[1]);
        const std::complex<float> p = z + vector_at(motion, z) + centre;
        if (!known[at] || !current.inside(p.real(), p.imag())) continue;
        const int nx = int(std::lrint(p.real())), ny = int(std::lrint(p.imag()));
        const double gx = 0.5 * (current.pixel(nx + 1, ny) - current.pixel(nx - 1, ny)),
                     gy = 0.5 * (current.pixel(nx, ny + 1) - current.pixel(nx, ny - 1));
        const double level = picture[at],
                     rest = gain * level + offset - current.at(p.real(), p.imag());
        const double w = weight(rest, scatter[step]), u = z.real() / frame.radius,
                     v = z.imag() / frame.radius;
        const double d[] = {gx, gy, gx * u + gy * v, gy * u - gx * v, -light * (level - 128), -1};
        for (int i = 0; i < 6; i++) {
          for (int j = 0; j < 6; j++) m[i][j] += w * d[i] * d[j];
          m[i][6] += w * d[i] * rest;
        }
        weights += w;
        for (int k = 0; k < 2 && step == 0; k++) {
          const std::complex<float> q = z + vector_at(others[k], z) + centre;
          if (current.inside(q.real(), q.imag()))
            other[k] += weight(level - current.at(q.real(), q.imag()), 16);
        }
      }
    if (step == 0 && moves && std::max(other[0], other[1]) > weights) {
      motion = others[other[0] >= other[1] ? 0 : 1];
      continue;
    }
    for (int i = 0; i < 6; i++) {
      m[i][i] += 0.01 * weights + 1e-3;
      if ((i < 2 && !moves) || (i >= 2 && i < 4 && !turns)) {
        for (int j = 0; j < 6; j++) m[i][j] = m[j][i] = 0;
        m[i][i] = 1, m[i][6] = 0;
      }
    }
    const std::array<double, 6> found = solved(m);
    motion.x += float(found[0]), motion.y += float(found[1]);
    motion.dilation += float(found[2]) / frame.radius,
        motion.rotation += float(found[3]) / frame.radius;
    gain += light * found[4];
    offset += found[5] - 128 * light * found[4];
  }
  const Similarity still{};
  const bool likely = std::abs(motion.dilation) < 0.5f && std::abs(motion.rotation) < 0.5f &&
                      gain > 0.25 && gain < 4;
  if (first || state.cut || !likely) {
    state.fit = {still, 1, 0, {}};
    state.step = state.from_picture = state.from_frame = still;
    std::fill_n(state.path, 4, 0.0f);
    state.frames = 0, state.fresh = 1;
  } else {
    state.fit = {motion, float(gain), float(offset), {}};
    state.step = after(inverse(state.from_frame), motion);
    state.step.x *= frame.shrink, state.step.y *= frame.shrink;
    const std::complex<float> grown = 1.0f + turn(state.step),
                              path = grown * std::complex<float>(state.path[0], state.path[1]) +
                                     shift(state.step);
    state.path[0] = path.real(), state.path[1] = path.imag();
    state.path[2] += std::log(std::abs(grown)), state.path[3] += std::arg(grown);
    if (std::abs(turn(motion)) * frame.radius < 0.5f) {
      state.from_picture = {-std::rint(motion.x), -std::rint(motion.y), 0, 0};
      state.from_frame = after(state.from_picture, motion);
    } else {
      state.from_picture = inverse(motion);
      state.from_frame = still;
    }
    state.frames++, state.fresh = 0;
  }
  state.cut = 0;
}

}  // namespace reference
