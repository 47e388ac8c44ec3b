// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "codes.h"

namespace reference {

namespace {

using glcl::bilateral::BilateralFilter;
using Weights = std::array<double, 3>;  // of R, G, B

double gaussian(double square, double sigma) { return std::exp(-square / (2 * sigma * sigma)); }

/// The range weights of the difference between two pixels.
Weights range_weights(const uint16_t *p, const uint16_t *q, double full_scale,
                      BilateralFilter::Weight weight, double sigma) {
  const double d[3] = {(q[0] - p[0]) / full_scale, (q[1] - p[1]) / full_scale,
                       (q[2] - p[2]) / full_scale};
  switch (weight) {
    case BilateralFilter::Weight::intensity: {
      const double difference = (30 * d[0] + 59 * d[1] + 11 * d[2]) / 100;
      const double w = gaussian(difference * difference, sigma);
      return {w, w, w};
    }
    case BilateralFilter::Weight::color: {
      const double w = gaussian(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], sigma);
      return {w, w, w};
    }
    case BilateralFilter::Weight::per_channel:
      break;
  }
  return {gaussian(d[0] * d[0], sigma), gaussian(d[1] * d[1], sigma), gaussian(d[2] * d[2], sigma)};
}

/// The weights of one axis; the space weight is the product of two of them.
std::vector<double> space_weights(int radius, double sigma) {
  std::vector<double> weights;
  for (int d = -radius; d <= radius; d++) weights.push_back(gaussian(d * d, sigma));
  return weights;
}

void filter_pixel(const Codes &in, Codes &out, int x, int y, const std::vector<double> &space,
                  const BilateralFilter::Settings &settings) {
  const int radius = static_cast<int>(space.size()) / 2;
  const double sigma = std::max(settings.sigma_range, in.full_scale > 255 ? 4e-9 : 1e-6);
  const uint16_t *p = in.at(x, y);
  Weights sum{}, weight{};
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      const uint16_t *q =
          in.at(std::clamp(x + dx, 0, in.width - 1), std::clamp(y + dy, 0, in.height - 1));
      const Weights w = range_weights(p, q, in.full_scale, settings.weight, sigma);
      for (int c = 0; c < 3; c++) {
        sum[c] += space[dx + radius] * space[dy + radius] * w[c] * q[c];
        weight[c] += space[dx + radius] * space[dy + radius] * w[c];
      }
    }
  for (int c = 0; c < 3; c++)
    out.at(x, y)[c] = static_cast<uint16_t>(std::floor(sum[c] / weight[c] + 0.5));
}

Codes filter(const Codes &in, const BilateralFilter::Settings &settings) {
  const std::vector<double> space =
      space_weights(BilateralFilter::radius(settings), settings.sigma_space);
  Codes from = in, out = in;
  for (int i = 0; i < settings.iterations; i++) {
    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) filter_pixel(from, out, x, y, space, settings);
    from = out;
  }
  show_split(in, out, settings.split);
  return out;
}

Codes mixed(const Codes &in, const Codes &filtered, double amount, double split, bool luma) {
  Codes out = in;
  const auto part = static_cast<float>(amount);
  for (size_t i = 0; i < in.values.size(); i += 4) {
    const auto change = [&](size_t c) { return int(filtered.values[i + c]) - in.values[i + c]; };
    const float scaled = part * 0.01F;
    const float brighter = scaled * float(30 * change(0) + 59 * change(1) + 11 * change(2));
    for (size_t c = 0; c < 3; c++) {
      const float more = luma ? brighter : part * float(change(c));
      const float value = float(in.values[i + c]) + more;
      out.values[i + c] =
          static_cast<uint16_t>(std::clamp(std::floor(value + 0.5F), 0.0F, float(in.full_scale)));
    }
  }
  show_split(in, out, split);
  return out;
}

}  // namespace

Frame mixed(const Frame &in, const Frame &filtered, double amount, double split, bool luma) {
  return mixed(Codes(in), Codes(filtered), amount, split, luma).frame();
}

PlanarFrame deep_mixed(const PlanarFrame &in, const PlanarFrame &filtered, double amount,
                       double split, bool luma) {
  return mixed(Codes(in), Codes(filtered), amount, split, luma).planar_frame();
}

void show_split(const Frame &in, Frame &out, double split) {
  Codes codes(out);
  show_split(Codes(in), codes, split);
  out = codes.frame();
}

Frame bilateral(const Frame &in, const BilateralFilter::Settings &settings) {
  return filter(Codes(in), settings).frame();
}

PlanarFrame deep_bilateral(const PlanarFrame &in, const BilateralFilter::Settings &settings) {
  return filter(Codes(in), settings).planar_frame();
}

}  // namespace reference
