// SPDX-License-Identifier: LGPL-2.1-or-later
#include "refine.h"

#include <algorithm>
#include <cmath>

#include "opticalflow/refine.h"

namespace reference::opticalflow {

namespace {

using glcl::opticalflow::Refinement;
using Channels = std::array<float, 4>;

struct Vector {
  float x = 0, y = 0;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y}; }
Vector operator*(float k, Vector v) { return {k * v.x, k * v.y}; }
float square(Vector v) { return v.x * v.x + v.y * v.y; }
Vector mix(Vector a, Vector b, float part) { return a + part * (b - a); }

/// The data term of a texel, see kernels/opticalflow/refine.cl.
struct Match {
  float xx = 1e-4f, xy = 0, yy = 1e-4f, quality = 0;
  Vector rhs;
};

class Refiner {
 public:
  explicit Refiner(const RefinementLevel &level)
      : width(level.width), height(level.height), level_(level) {}

  int width, height;
  std::vector<Vector> flow;

  size_t index(int x, int y) const {
    return size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1);
  }

  void step(bool shifted, int rounds) {
    match();
    relax(shifted, rounds);
    mean();
  }

  bool inside(float x, float y) const {
    return x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1;
  }
  Channels later(float x, float y) const {
    const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
    const float s = x - i, t = y - j;
    Channels result;
    for (int k = 0; k < 4; k++) {
      const auto at = [&](int x, int y) { return level_.after[index(x, y)][k]; };
      const float above = at(i, j) + s * (at(i + 1, j) - at(i, j));
      const float below = at(i, j + 1) + s * (at(i + 1, j + 1) - at(i, j + 1));
      result[k] = (above + t * (below - above)) / 127;
    }
    return result;
  }
  /// True if a texel and its target have census neighbours inside the frame.
  bool comparable(int x, int y, Vector v) const {
    return x >= 1 && y >= 1 && x <= width - 2 && y <= height - 2 && x + v.x >= 1 && y + v.y >= 1 &&
           x + v.x <= width - 2 && y + v.y <= height - 2;
  }
  Channels change(int x, int y, Vector v) const {
    Channels result = later(x + v.x, y + v.y);
    for (int k = 0; k < 4; k++) result[k] -= level_.before[index(x, y)][k] / 127;
    return result;
  }

 private:
  /// Texels; right and bottom are exclusive.
  struct Box {
    int left, top, right, bottom;
  };
  Box clipped(const Box &box) const {
    return {std::max(box.left, 0), std::max(box.top, 0), std::min(box.right, width),
            std::min(box.bottom, height)};
  }
  template <class Work>
  static void each(const Box &box, Work work) {
    for (int y = box.top; y < box.bottom; y++)
      for (int x = box.left; x < box.right; x++) work(x, y);
  }
  template <class Work>
  void each(Work work) const {
    each({0, 0, width, height}, work);
  }

  void match() {
    matches_.assign(flow.size(), {});
    each([&](int x, int y) {
      Match &m = matches_[index(x, y)];
      const Vector v = flow[index(x, y)];
      Vector data_gradient;
      if (comparable(x, y, v)) {
        Channels d = change(x, y, v);
        const float s = x + v.x - std::floor(x + v.x), t = y + v.y - std::floor(y + v.y);
        for (int k = 0; k < 4; k++) {
          const auto bend = [&](int dx, int dy) {
            return (level_.before[index(x + dx, y + dy)][k] +
                    level_.before[index(x - dx, y - dy)][k] - 2 * level_.before[index(x, y)][k]) /
                   127;
          };
          d[k] -= (s * (1 - s) * bend(1, 0) + t * (1 - t) * bend(0, 1)) / 2;
        }
        const auto slope = [&](int k, int dx, int dy) {
          const float own =
              (level_.before[index(x + dx, y + dy)][k] - level_.before[index(x - dx, y - dy)][k]) /
              127 / 2;
          const float other =
              (later(x + v.x + dx, y + v.y + dy)[k] - later(x + v.x - dx, y + v.y - dy)[k]) / 2;
          return (own + other) / 2;
        };
        const float robust = 0.6f * level_.sharpness;
        float squares = 0;
        for (int k = 0; k < 4; k++) {
          const float gx = slope(k, 1, 0), gy = slope(k, 0, 1);
          const float weight = 1 / std::sqrt(1 + d[k] * d[k] / (robust * robust));
          m.xx += weight * gx * gx, m.xy += weight * gx * gy, m.yy += weight * gy * gy;
          data_gradient = data_gradient + weight * d[k] * Vector{gx, gy};
          squares += d[k] * d[k];
        }
        m.quality = std::max(1 / (1 + squares / 0.1f), 0.02f);
      }
      m.rhs = Vector{m.xx * v.x + m.xy * v.y, m.xy * v.x + m.yy * v.y} - data_gradient;
    });
  }

  /// The smoothness weight of two neighbours.
  float smoothness_weight(size_t a, size_t b) const {
    const float edge = 0.12f + 0.88f * std::exp(-std::abs(level_.grey[a] - level_.grey[b]) / 8);
    return level_.smoothness * std::round(255 * edge) / 255 /
           std::sqrt(square(flow[a] - flow[b]) + 0.05f * 0.05f);
  }

  /// Processes tile by tile; the flow around a tile stays as it was.
  void relax(bool shifted, int rounds) {
    const std::vector<Vector> start = flow;
    std::vector<Vector> result(flow.size());
    right_.resize(flow.size()), below_.resize(flow.size());
    constexpr int halo = glcl::opticalflow::REFINE_HALO;
    constexpr int wide = glcl::opticalflow::REFINE_X - 2 * halo,
                  high = glcl::opticalflow::REFINE_Y - 2 * halo;
    for (int top = shifted ? -high / 2 : 0; top < height; top += high)
      for (int left = shifted ? -wide / 2 : 0; left < width; left += wide) {
        const Box box = clipped({left - halo, top - halo, left + wide + halo, top + high + halo});
        for (int i = 0; i < rounds; i++) round(box);
        each(clipped({left, top, left + wide, top + high}),
             [&](int x, int y) { result[index(x, y)] = flow[index(x, y)]; });
        each(box, [&](int x, int y) { flow[index(x, y)] = start[index(x, y)]; });
      }
    flow = result;
  }

  void round(const Box &box) {
    each(clipped({box.left - 1, box.top - 1, box.right, box.bottom}), [&](int x, int y) {
      const size_t i = index(x, y);
      right_[i] = x + 1 < width ? smoothness_weight(i, i + 1) : 0;
      below_[i] = y + 1 < height ? smoothness_weight(i, i + width) : 0;
    });
    for (int i = 0; i < 2 * glcl::opticalflow::REFINE_SWEEPS; i++)
      each(box, [&](int x, int y) {
        if ((x + y + i) % 2) return;
        const size_t at = index(x, y);
        const size_t neighbours[] = {index(x - 1, y), at + 1, index(x, y - 1), at + width};
        const float weights[] = {x ? right_[at - 1] : 0, right_[at], y ? below_[at - width] : 0,
                                 below_[at]};
        const Match &m = matches_[at];
        Vector sum = m.rhs;
        float all = 0;
        for (int k = 0; k < 4; k++) {
          all += weights[k];
          if (weights[k] > 0) sum = sum + weights[k] * flow[neighbours[k]];
        }
        const float xx = m.xx + all, yy = m.yy + all, scale = 1 / (xx * yy - m.xy * m.xy);
        const Vector solution{scale * (yy * sum.x - m.xy * sum.y),
                              scale * (xx * sum.y - m.xy * sum.x)};
        flow[at] = mix(flow[at], solution, 1.9f);
      });
  }

  void mean() {
    std::vector<Vector> result(flow.size());
    each([&](int x, int y) {
      std::array<float, 9> weights;
      std::array<Vector, 9> flows;
      for (int i = 0; i < 9; i++) {
        const int dx = i % 3 - 1, dy = i / 3 - 1;
        const size_t other = index(x + 4 * dx, y + 4 * dy);
        const float differ = (level_.grey[other] - level_.grey[index(x, y)]) / 14;
        const float distance = static_cast<float>(dx * dx + dy * dy) / 4;
        weights[i] = matches_[other].quality * std::exp(-(differ * differ + distance) / 2) + 1e-6f;
        flows[i] = flow[other];
      }
      Vector centre = flows[4];
      for (int step = 0; step < 3; step++) {
        float sum = 0;
        Vector mean;
        for (int i = 0; i < 9; i++) {
          if (step == 0 && i == 4) continue;
          const float weight = weights[i] / std::sqrt(square(flows[i] - centre) + 0.1f * 0.1f);
          sum += weight, mean = mean + weight * flows[i];
        }
        centre = 1 / sum * mean;
      }
      result[index(x, y)] = centre;
    });
    flow = result;
  }

  const RefinementLevel &level_;
  std::vector<Match> matches_;
  std::vector<float> right_, below_;  // smoothness weights of a round
};

/// `ratio` texels of `flow` lie between two of the result.
std::vector<Vector> resampled(const std::vector<Vector> &flow, int width, int height, float ratio,
                              const RefinementLevel &to) {
  std::vector<Vector> result;
  for (int y = 0; y < to.height; y++)
    for (int x = 0; x < to.width; x++) {
      const float px = std::min(ratio * static_cast<float>(x), static_cast<float>(width - 1));
      const float py = std::min(ratio * static_cast<float>(y), static_cast<float>(height - 1));
      const int i = static_cast<int>(px), j = static_cast<int>(py);
      const auto at = [&](int x, int y) {
        return flow[size_t(std::min(y, height - 1)) * width + std::min(x, width - 1)];
      };
      const float s = px - i, t = py - j;
      result.push_back(
          1 / ratio *
          mix(mix(at(i, j), at(i + 1, j), s), mix(at(i, j + 1), at(i + 1, j + 1), s), t));
    }
  return result;
}

}  // namespace

void refine(Field &field, int steps, const std::vector<RefinementLevel> &levels, float noise,
            const std::vector<float> &keep_factors) {
  std::vector<Vector> flow;
  for (size_t i = 0; i < field.confidence.size(); i++)
    flow.push_back({field.vectors[2 * i], field.vectors[2 * i + 1]});
  const std::vector<Vector> start = flow;
  int width = field.width, height = field.height;
  const int coarsest = std::min<int>(Refinement::levels, static_cast<int>(levels.size())) - 1;
  for (int level = coarsest; level >= 0; level--) {
    const float ratio = level == coarsest ? static_cast<float>(1 << level) : 0.5f;
    Refiner refiner(levels[level]);
    refiner.flow = resampled(flow, width, height, ratio, levels[level]);
    for (int i = 0; i < steps; i++)
      refiner.step(i % 2, level == coarsest ? Refinement::coarsest_rounds : Refinement::rounds);
    flow = refiner.flow, width = refiner.width, height = refiner.height;
    if (level) continue;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const size_t i = refiner.index(x, y);
        const float static_weight = std::clamp(2 * noise - 1.5f, 0.0f, 1.0f) *
                                    std::clamp(2 - std::sqrt(square(start[i])) / 0.05f, 0.0f, 1.0f);
        const Vector v = keep_factors[i] * mix(flow[i], start[i], static_weight);
        float squares = 0;
        for (float d : refiner.change(x, y, v)) squares += d * d;
        field.vectors[2 * i] = v.x, field.vectors[2 * i + 1] = v.y;
        field.confidence[i] *= refiner.inside(x + v.x, y + v.y) ? 1 / (1 + squares * squares) : 0;
      }
  }
}

}  // namespace reference::opticalflow
