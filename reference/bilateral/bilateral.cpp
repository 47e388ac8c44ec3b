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

/// The part of the mask's width or height at a pixel of a frame, px, from 0 on.
float mask_position(int pixel, int frame_size, int mask_size) {
  const float scale = static_cast<float>(mask_size) / static_cast<float>(frame_size);
  return std::clamp((static_cast<float>(pixel) + 0.5F) * scale - 0.5F, 0.0F,
                    static_cast<float>(mask_size - 1));
}

/// The mask at a pixel of a frame, 0..1.
float mask_at(const Area &area, const Codes &frame, int x, int y) {
  if (area.mask.empty()) return 1;
  const float across = mask_position(x, frame.width, area.mask_width),
              down = mask_position(y, frame.height, area.mask_height);
  const int left = static_cast<int>(across), top = static_cast<int>(down);
  const int right = std::min(left + 1, area.mask_width - 1),
            bottom = std::min(top + 1, area.mask_height - 1);
  const auto level = [&](int column, int row) {
    return static_cast<float>(area.mask[size_t(row) * area.mask_width + column]);
  };
  const auto row = [&](int at) {
    const float part = across - static_cast<float>(left);
    return level(left, at) + part * (level(right, at) - level(left, at));
  };
  return (row(top) + (down - static_cast<float>(top)) * (row(bottom) - row(top))) * (1.0F / 255.0F);
}

Codes mixed(const Codes &in, const Codes &filtered, double amount, double split, bool luma,
            const Area &area) {
  Codes out = in;
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      const uint16_t *from = in.at(x, y), *to = filtered.at(x, y);
      const auto change = [&](int c) { return int(to[c]) - from[c]; };
      const float part = static_cast<float>(amount) * mask_at(area, in, x, y);
      const float scaled = part * 0.01F;
      const float brighter = scaled * float(30 * change(0) + 59 * change(1) + 11 * change(2));
      for (int c = 0; c < 3; c++) {
        const float value = float(from[c]) + (luma ? brighter : part * float(change(c)));
        out.at(x, y)[c] =
            static_cast<uint16_t>(std::clamp(std::floor(value + 0.5F), 0.0F, float(in.full_scale)));
      }
    }
  show_split(in, out, split);
  const glcl::Rect region = glcl::clipped(area.region, in.width, in.height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++)
      if (x < region.x || y < region.y || x >= region.right() || y >= region.bottom())
        std::copy_n(in.at(x, y), 4, out.at(x, y));
  return out;
}

}  // namespace

Frame mixed(const Frame &in, const Frame &filtered, double amount, double split, bool luma,
            const Area &area) {
  return mixed(Codes(in), Codes(filtered), amount, split, luma, area).frame();
}

PlanarFrame deep_mixed(const PlanarFrame &in, const PlanarFrame &filtered, double amount,
                       double split, bool luma, const Area &area) {
  return mixed(Codes(in), Codes(filtered), amount, split, luma, area).planar_frame();
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
