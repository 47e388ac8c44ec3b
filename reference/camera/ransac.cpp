// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ransac.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reference {

namespace {

constexpr float none = 1e9f;

uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

bool fits(const Similarity &motion, const CameraVector &v, float error) {
  return v[0] < none &&
         std::norm(vector_at(motion, {v[0], v[1]}) - Complex(v[2], v[3])) < error * error;
}

}  // namespace

Similarity through(const CameraVector &a, const CameraVector &b, bool translation) {
  const Complex offset(a[0] - b[0], a[1] - b[1]), change(a[2] - b[2], a[3] - b[3]);
  Complex turn = std::conj(offset) * change / std::max(std::norm(offset), 1.0f);
  if (translation || std::norm(offset) < 1 || std::norm(turn) > 0.25f) turn = 0;
  const Complex place = 0.5f * Complex(a[0] + b[0], a[1] + b[1]),
                v = 0.5f * Complex(a[2] + b[2], a[3] + b[3]);
  return similarity(v - turn * place, turn);
}

int Ransac::count(const Similarity &motion) const {
  return int(std::count_if(vectors_.begin(), vectors_.end(), [&](const CameraVector &v) {
    return fits(motion, v, settings_.max_error);
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
  const int rounds =
      (settings.max_iterations + settings.min_iterations - 1) / settings.min_iterations;
  inliers.assign(size_t(rounds) * settings.min_iterations, -1);
  for (int group = 0; group < settings.min_iterations; group++) {
    int own = 0;
    for (int round = 0; round < rounds; round++) {
      const int iteration = group + round * settings.min_iterations;
      own = std::max(own, inliers[size_t(iteration)] = count(drawn(iteration)));
      if (float(valid - own) < settings.converged * float(valid) || valid < 2) break;
    }
  }
  best = int(std::max_element(inliers.begin(), inliers.end()) - inliers.begin());
}

Similarity Ransac::fitted(int iteration, int *count) const {
  Similarity motion = drawn(iteration);
  *count = -1;
  for (int k = 0; k <= 3; k++) {
    std::complex<double> place, velocity, product;
    double square = 0;
    const int before = std::exchange(*count, 0);
    const auto each = [&](auto work) {
      for (const CameraVector &v : vectors_)
        if (fits(motion, v, settings_.max_error))
          work(std::complex<double>(v[0], v[1]), std::complex<double>(v[2], v[3]));
    };
    each([&](auto z, auto v) { place += z, velocity += v, ++*count; });
    if (k == 3 || !*count || *count == before) break;
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

double Ransac::reaches(const Similarity &motion) const {
  std::vector<CameraVector> inliers;
  for (const CameraVector &v : vectors_)
    if (fits(motion, v, settings_.max_error)) inliers.push_back(v);
  const auto mean = [&](auto of) {
    double sum = 0;
    for (const CameraVector &v : inliers) sum += of(v);
    return sum / std::max(double(inliers.size()), 1.0);
  };
  // Of two of x, y, vx, vy.
  const auto product = [&](size_t a, size_t b) {
    return mean([=](const CameraVector &v) { return double(v[a]) * v[b]; });
  };
  const auto covariance = [&](size_t a, size_t b) {
    return product(a, b) - mean([=](const CameraVector &v) { return v[a]; }) *
                               mean([=](const CameraVector &v) { return v[b]; });
  };
  const auto ramp = [](double value, double from, double to) {
    return std::clamp((value - from) / (to - from), 0.0, 1.0);
  };
  const double width = std::max(settings_.width, 1e-3f), height = std::max(settings_.height, 1e-3f);
  const double across = std::sqrt(12 * std::max({covariance(0, 0) / (width * width),
                                                 covariance(1, 1) / (height * height), 0.0}));
  const double uu = product(2, 2), vv = product(3, 3), uv = product(2, 3);
  const double along = std::sqrt(
      12 *
      std::max(covariance(0, 0) * uu + 2 * covariance(0, 1) * uv + covariance(1, 1) * vv, 0.0) /
      std::max(width * width * uu + height * height * vv, 1e-6));
  const double speed = std::min(std::sqrt(uu + vv), 1.0);
  const double sideways = settings_.directed ? speed * (1 - ramp(along, 0.35, 0.5)) : 0;
  return std::min(ramp(across, 0.6, 0.8), 1 - sideways);
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

}  // namespace reference
