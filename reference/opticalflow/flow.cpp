// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "reference/noise/noise.h"
#include "reference/opticalflow/light.h"
#include "reference/opticalflow/planes.h"
#include "reference/opticalflow/refine.h"
#include "reference/opticalflow/seeds.h"
#include "reference/opticalflow/support.h"

namespace reference::opticalflow {

namespace {

using glcl::opticalflow::Candidates;
using glcl::opticalflow::Flow;
using Settings = Flow::Settings;

/// The taps by which a level of the pyramid has the frame's pixels in it, along an axis.
std::vector<double> level_filter(int level) {
  std::vector<double> taps{1 / 8.0, 6 / 8.0, 1 / 8.0};
  for (int apart = 1; level > 0; level--, apart *= 2) {
    std::vector<double> coarser(taps.size() + size_t(4) * apart);
    const double halving[] = {1, 4, 6, 4, 1};
    for (size_t i = 0; i < taps.size(); i++)
      for (int j = 0; j < 5; j++) coarser[i + size_t(j) * apart] += taps[i] * halving[j] / 16;
    taps = coarser;
  }
  return taps;
}

/// The covariance that white noise of variance 1 in the frame gives to texels of a level, `apart`
/// of them apart along an axis.
double noise_covariance(int level, int apart) {
  const std::vector<double> taps = level_filter(level);
  const size_t shift = size_t(apart) << level;
  double sum = 0;
  for (size_t i = shift; i < taps.size(); i++) sum += taps[i] * taps[i - shift];
  return sum;
}

template <int n>
class Solver {
 public:
  Solver(const Settings &settings, Flicker *flicker)
      : settings_(settings), flicker_(flicker ? *flicker : none_) {
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
      light = light_change(from[automatic - 1], to[automatic - 1]);
      back = {1 / light.gain, -light.offset / light.gain};
    }
    noise_ = settings_.noise < 0
                 ? noise(
                       glcl::noise::Noise::Texels::grey, before.width, before.height,
                       [&](int x, int y) { return from[0].at(x, y)[0]; },
                       [&](int x, int y) { return to[0].at(x, y)[0]; })
                 : even_noise(settings_.noise);
    if (settings_.noise < 0)
      flicker_.next();
    else
      flicker_ = {};
    if (settings_.noise != 0)
      light_change_ = std::abs(mean(from[automatic - 1]) - mean(to[automatic - 1]));
    for (int level = 0; level < taken; level++) gains_.push_back(gains(level));
    const Texels a = texels(from, levels), b = texels(to, levels);
    greys_ = &from, later_ = &to;
    Field field = solve(a, b, light);
    if constexpr (n == 4)
      if (settings_.refinement) refine(field, from, to, automatic);
    if (settings_.check) {
      greys_ = &to, later_ = &from;
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

  static double mean(const Plane<1> &plane) {
    double sum = 0;
    for (const auto &grey : plane.values) sum += grey[0];
    return sum / double(plane.values.size());
  }

  void refine(Field &field, const std::vector<Plane<1>> &from, const std::vector<Plane<1>> &to,
              int levels) const {
    std::vector<RefinementLevel> taken;
    for (int i = 0; i < std::min(levels, glcl::opticalflow::Refinement::levels); i++) {
      RefinementLevel level{from[i].width, from[i].height};
      level.sharpness = std::max(2.5f / std::sqrt(softness(i)), 0.4f);
      level.sharpness += far() * (1 - level.sharpness);
      level.smoothness = 0.2f * level.sharpness * (1 + 2 * far());
      level.before = Kind<n>::texels(from[i], softness(i)).values;
      level.after = Kind<n>::texels(to[i], softness(i)).values;
      for (const auto &grey : from[i].values) level.grey.push_back(grey[0]);
      taken.push_back(level);
    }
    std::vector<float> kept;
    const float spacing = 2.0f * static_cast<float>(step_);
    for (int y = 0; y < field.height; y++)
      for (int x = 0; x < field.width; x++)
        kept.push_back(support_->at(float(x) / spacing - 0.25f, float(y) / spacing - 0.25f));
    opticalflow::refine(field, settings_.refinement, taken, std::sqrt(noise_[0]), kept);
  }

  Texels texels(const std::vector<Plane<1>> &pyramid, int levels) const {
    Texels result;
    for (int i = 0; i < levels; i++) result.push_back(Kind<n>::texels(pyramid[i], softness(i)));
    return result;
  }

  /// What noise of variance 1 in the frame gives a level.
  struct Gains {
    float value =
        0;  // white noise: in grey its variance, of census that of opposite neighbours' difference
    float slope = 0;   // grey: the variance of a slope by that
    float coding = 0;  // coding noise: as value
  };
  static Gains gains(int level) {
    const double own = noise_covariance(level, 0);
    const double coding = 1.5 * std::pow(noise_covariance(0, 0), 2) * std::exp2(-1.2 * level);
    if (n == 4)
      return {static_cast<float>(2 * own * (own - noise_covariance(level, 2))), 0,
              static_cast<float>(2 * coding)};
    const double taps[] = {1 / 12.0, -8 / 12.0, 0, 8 / 12.0, -1 / 12.0};
    double slope = 0;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++)
        slope += taps[i] * taps[j] * noise_covariance(level, std::abs(i - j));
    return {static_cast<float>(own * own), static_cast<float>(slope / own),
            static_cast<float>(coding)};
  }

  float softness(size_t level) const {
    // By quarter octaves, so that one frame's is mostly the next one's.
    const float stepped =
        noise_[0] > 0.0625f ? std::exp2(std::rint(4 * std::log2(noise_[0])) / 4) : 0;
    return 2.5f * 2.5f + 36 * noise_correlation * gains_[level].value * stepped;
  }

  /// Variances of a channel's difference in time and of the slopes along an axis.
  struct ChannelNoise {
    float change, slope;
  };
  ChannelNoise channel_noise(size_t level, float share, float coding) const {
    const auto [value, slope, slow] = gains_[level];
    const float extra = slow * coding * noise_.back();
    if (n == 1) {
      const float all = value * share + extra;
      return {2 * all, slope * all};
    }
    const float all = noise_correlation * noise_[0],
                part = all > 0 ? std::min(share / all, 1.0f) : 1;
    const float change = 2 * 127 * 127 * (value * share + extra * part) / softness(level);
    return {change, change};
  }
  float limit(size_t level) const {
    if (n == 4) return Kind<n>::limit;
    const auto [value, slope, slow] = gains_[level];
    return std::max(Kind<n>::limit, 3 * std::sqrt(2 * (noise_correlation * value * noise_[0] +
                                                       slow * noise_.back())));
  }

  /// Of a channel's difference in time what may be an encoder's.
  float most_coded(size_t level) const {
    const float part = std::clamp(3.0f - std::sqrt(noise_[0]), 0.0f, 1.0f);
    const float changes = part * 2 * (n == 4 ? 1 : 8) * gains_[level].coding;
    return n == 4 ? 127 * 127 * changes / softness(level) : changes;
  }

  /// Where noise lets a node go from `flow` to `solution`. `side`: the lattice's shorter one.
  Vector trusted(Vector flow, Vector solution, const Tensor &t, size_t level, float share,
                 float rest, double spread, int side) const {
    const auto part = [](float times) { return std::clamp(times - 1, 0.0f, 1.0f); };
    const float still = std::clamp(2 - std::hypot(flow[0], flow[1]) / 0.1f, 0.0f, 1.0f);
    const float edge = 1 + 12.0f / static_cast<float>(side);
    const ChannelNoise noise = channel_noise(level, share, still);
    if (noise.slope <= 0) return solution;
    const float change = std::max(noise.change, std::min(0.7f * rest / n, most_coded(level)));
    const float slope = noise.slope * (1 + still * (change / noise.change - 1));
    const Vector step{solution[0] - flow[0], solution[1] - flow[1]};
    const float middle = (t[0] + t[2]) / 2, apart = std::hypot((t[0] - t[2]) / 2, t[1]);
    const float least = 1 + static_cast<float>(std::sqrt(2 * spread)) * (0.5f + still * (6 - 0.5f));
    const float large = part((middle + apart) / (least * edge * slope));
    const float small = part((middle - apart) / (least * edge * slope));
    const float mean = (large + small) / 2;
    const float turn = apart > 1e-6f * middle ? (large - small) / 2 / apart : 0;
    const float xx = mean + turn * (t[0] - t[2]) / 2, yy = mean - turn * (t[0] - t[2]) / 2;
    const Vector taken{xx * step[0] + turn * t[1] * step[1], turn * t[1] * step[0] + yy * step[1]};
    const float explained =
        t[0] * taken[0] * taken[0] + 2 * t[1] * taken[0] * taken[1] + t[2] * taken[1] * taken[1];
    const float evidence = part(explained / (14 * edge * change * static_cast<float>(spread)));
    const float share_taken = 1 - still * (1 - evidence);
    return {flow[0] + share_taken * taken[0], flow[1] + share_taken * taken[1]};
  }

  Tensor tensor(const Plane<n> &plane, int x, int y) const {
    const auto gx = Kind<n>::slope(plane, x, y, 1, 0), gy = Kind<n>::slope(plane, x, y, 0, 1);
    const float xx = dot(gx, gx), yy = dot(gy, gy);
    const float vote = static_cast<float>(settings_.alpha) + 1e-3f * (xx + yy);
    return {xx + vote, dot(gx, gy), yy + vote};
  }

  Vector vote(const Plane<n> &before, const Plane<n> &after, int x, int y, Vector flow,
              const Light &light, float limit) const {
    const Tensor t = tensor(before, x, y);
    Vector result = {t[0] * flow[0] + t[1] * flow[1], t[1] * flow[0] + t[2] * flow[1]};
    const float to_x = x + flow[0], to_y = y + flow[1];
    if (to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) return result;
    auto change = bilinear(after, to_x, to_y);
    for (int k = 0; k < n; k++)
      change[k] =
          std::clamp(light.gain * change[k] + light.offset - before.at(x, y)[k], -limit, limit);
    result[0] -= dot(Kind<n>::slope(before, x, y, 1, 0), change);
    result[1] -= dot(Kind<n>::slope(before, x, y, 0, 1), change);
    return result;
  }

  using Votes = std::array<float, 5>;  // the tensor's xx, xy, yy; along x and y

  /// What the nodes of a lattice get from the texels around, and the flow that they start from.
  struct Sums {
    Plane<5> votes;
    Plane<2> start;
  };

  /// The window's mean of what `texels` × `texels` texels around each node say, whose flow is in
  /// `flow`, nodes `spacing` texels apart. The nodes lie `step` texels apart.
  Sums votes(const Plane<n> &before, const Plane<n> &after, const Light &light,
             const Plane<2> &flow, double spacing, int step, int texels, int radius,
             float limit) const {
    const int apart = step / texels;
    Plane<5> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    Plane<2> start(nodes.width, nodes.height);
    nodes.fill([&](int x, int y) {
      Votes sum{};
      Vector &mean = start.values[size_t(y) * start.width + x];
      for (int i = 0; i < texels * texels; i++) {
        const int tx = std::min(x * step + i % texels * apart, before.width - 1);
        const int ty = std::min(y * step + i / texels * apart, before.height - 1);
        const Vector v = bilinear(flow, float(tx / spacing), float(ty / spacing));
        const Tensor t = tensor(before, tx, ty);
        const Vector b = vote(before, after, tx, ty, v, light, limit);
        const Votes own{t[0], t[1], t[2], b[0], b[1]};
        for (int k = 0; k < 5; k++) sum[k] += own[k] / float(texels * texels);
        for (int k = 0; k < 2; k++) mean[k] += v[k] / float(texels * texels);
      }
      return sum;
    });
    const double own = texels > 1 ? apart * apart / 4.0 : 0;
    return {window_mean(nodes, variance(own), step, reach(step, radius)), start};
  }

  /// Of the window, less what a node has by itself; and the nodes that it reaches.
  double variance(double own = 0) const {
    return std::max(settings_.window * settings_.window / 36.0 - own, 1e-6);
  }
  int reach(int step, int radius) const { return std::min(radius, settings_.window / 2 / step); }

  /// The lattice of a level's warps, the last one of the finest apart.
  int lattice_step(size_t level) const { return level ? 2 * step_ : 4 * step_; }
  static int lattice_radius(size_t level) { return level ? 3 : 1; }

  /// The window's mean of the texels' shares in the noise, on that lattice.
  Plane<1> shares(const Plane<n> &before, size_t level) const {
    const int step = lattice_step(level);
    Plane<1> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    nodes.fill([&](int x, int y) {
      return Plane<1>::Value{noise_correlation *
                             Kind<n>::noise_share(before.at(x * step, y * step)) *
                             noise_at(noise_, (*greys_)[level].at(x * step, y * step)[0])};
    });
    return window_mean(nodes, variance(), step, reach(step, lattice_radius(level)));
  }

  /// The window's mean of the squared change of what stands still, less what motion could explain
  /// of it.
  Plane<1> rests(const Plane<n> &before, const Plane<n> &after, size_t level,
                 const Light &light) const {
    const int step = lattice_step(level);
    Plane<6> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    nodes.fill([&](int x, int y) {
      x *= step, y *= step;
      auto change = after.at(x, y);
      for (int k = 0; k < n; k++)
        change[k] = std::clamp(light.gain * change[k] + light.offset - before.at(x, y)[k],
                               -limit(level), limit(level));
      const Tensor t = tensor(before, x, y);
      return Plane<6>::Value{t[0],
                             t[1],
                             t[2],
                             dot(Kind<n>::slope(before, x, y, 1, 0), change),
                             dot(Kind<n>::slope(before, x, y, 0, 1), change),
                             dot(change, change)};
    });
    const Plane<6> means = window_mean(nodes, variance(), step, reach(step, lattice_radius(level)));
    return Plane<1>(nodes.width, nodes.height).fill([&](int x, int y) {
      const auto [xx, xy, yy, bx, by, all] = means.at(x, y);
      const float explained =
          (yy * bx * bx - 2 * xy * bx * by + xx * by * by) / (xx * yy - xy * xy);
      return Plane<1>::Value{std::max(all - explained, 0.0f)};
    });
  }

  /// What holds the nodes of a level's lattice back.
  struct Held {
    Plane<1> shares, rests;
  };

  /// `apart`: nodes from one of those of `held` to the next; `relaxation`: how many times as far
  /// the step goes.
  Plane<2> warp(const Sums &sums, size_t level, const Held &held, int apart, double spread,
                float relaxation = 1) const {
    return Plane<2>(sums.votes.width, sums.votes.height).fill([&](int x, int y) {
      const auto [xx, xy, yy, bx, by] = sums.votes.at(x, y);
      const float scale = 1 / (xx * yy - xy * xy);
      const Vector &start = sums.start.at(x, y);
      const Vector end{scale * (yy * bx - xy * by), scale * (xx * by - xy * bx)};
      return trusted(start, mix(start, end, relaxation), {xx, xy, yy}, level,
                     held.shares.at(x / apart, y / apart)[0],
                     held.rests.at(x / apart, y / apart)[0], spread,
                     std::min(sums.votes.width, sums.votes.height));
    });
  }

  /// How far smoothing reaches, by the noise.
  float far() const { return std::clamp(std::sqrt(noise_[0]) - 1, 0.0f, 1.0f); }

  Plane<2> smooth(const Plane<2> &flow) const {
    const float far = this->far();
    const Plane<2> near = median(flow, settings_.median / 2);
    const Plane<2> wide = median(flow, settings_.median / 2 * 2);
    return Plane<2>(flow.width, flow.height).fill([&](int x, int y) {
      return mix(near.at(x, y), wide.at(x, y), far);
    });
  }

  /// The variance of the texels around (x, y).
  static float contrast(const Plane<n> &before, int x, int y) {
    typename Plane<n>::Value sum{};
    float squares = 0, count = 0;
    for (int j = -6; j <= 6; j += 2)
      for (int i = -6; i <= 6; i += 2) {
        if (x + i < 0 || y + j < 0 || x + i >= before.width || y + j >= before.height) continue;
        const auto &texel = before.at(x + i, y + j);
        for (int k = 0; k < n; k++) sum[k] += texel[k];
        squares += dot(texel, texel), count++;
      }
    return (squares - dot(sum, sum) / count) / count;
  }

  struct Cost {
    float all = 0;
    int left = 0;   // texels that leave the frame
    int count = 0;  // and of all within it
  };
  /// How badly the texels around (x, y) match where a flow leads them.
  Cost cost(const Plane<n> &before, const Plane<n> &after, const Light &light, int x, int y,
            Vector flow, float limit, float unknown) const {
    Cost sum;
    for (int j = -6; j <= 6; j += 2)
      for (int i = -6; i <= 6; i += 2) {
        const int from_x = x + i, from_y = y + j;
        if (from_x < 0 || from_y < 0 || from_x >= before.width || from_y >= before.height) continue;
        sum.count++;
        const float to_x = from_x + flow[0], to_y = from_y + flow[1];
        if (to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) {
          sum.all += unknown, sum.left++;
          continue;
        }
        auto change = bilinear(after, to_x, to_y);
        for (int k = 0; k < n; k++)
          change[k] = std::clamp(
              light.gain * change[k] + light.offset - before.at(from_x, from_y)[k], -limit, limit);
        sum.all += dot(change, change);
      }
    return sum;
  }

  /// The flow with motions by matches of single pixels in it where they are better.
  Plane<2> seeded(const Modes &modes, float left, const Plane<n> &before, const Plane<n> &after,
                  size_t level, const Light &light, const Plane<2> &flow, int spacing) const {
    const int matched = Candidates::matched_level((*greys_)[0].width, (*greys_)[0].height);
    const auto unit = static_cast<float>(std::exp2(matched - static_cast<int>(level)));
    float change = channel_noise(level, noise_correlation * noise_[0], 1).change;
    if (left >= 0) change = std::min(change, 1.5707963f * left * left);
    const float flat = n == 4 ? 400 : 0.25f, unknown = flat + n * change;
    return Plane<2>(flow.width, flow.height).fill([&](int column, int row) {
      const Vector own = flow.at(column, row);
      const int x = std::min(column * spacing, before.width - 1);
      const int y = std::min(row * spacing, before.height - 1);
      std::vector<Vector> others;
      for (const Vector &mode : modes.around(float(x) / unit, float(y) / unit)) {
        const Vector v{unit * mode[0], unit * mode[1]};
        const auto within = [&](const Vector &w, float most) {
          return std::abs(v[0] - w[0]) < most && std::abs(v[1] - w[1]) < most;
        };
        if (!within(own, 1.5f)) others.push_back(v);
      }
      Cost least{1e30f, 0, 0};
      Vector best = own;
      for (size_t i = 0; i < others.size(); i++) {
        const bool known = std::any_of(others.begin(), others.begin() + ptrdiff_t(i), [&](auto &w) {
          return std::abs(w[0] - others[i][0]) < 0.25f && std::abs(w[1] - others[i][1]) < 0.25f;
        });
        if (known) continue;
        const Cost c = cost(before, after, light, x, y, others[i], limit(level), unknown);
        if (c.all < least.all) least = c, best = others[i];
      }
      if (others.empty()) return own;
      const Cost now = cost(before, after, light, x, y, own, limit(level),
                            std::max(5 * unknown, contrast(before, x, y)));
      const bool noisy = noise_[0] > 0 || noise_.back() > 0;
      const float coded = noisy ? float(now.count) * n * most_coded(level) : 0;
      const float kept = std::hypot(own[0], own[1]) < 0.1f ? 0.2f * std::min(now.all, coded) : 0;
      const bool better = least.all + float(now.count) * flat + kept < 0.4f * now.all ||
                          2 * std::min(least.left, now.left) > now.count;
      return better ? best : own;
    });
  }

  Held held(const Texels &before, const Texels &after, size_t level, const Light &light) const {
    return {shares(before[level], level), rests(before[level], after[level], level, light)};
  }

  Field solve(const Texels &before, const Texels &after, const Light &light) {
    Plane<2> flow(1, 1);
    int spacing = 1;  // of its nodes, texels
    const int chosen = Candidates::chosen_level(before[0].width, before[0].height);
    std::unique_ptr<Modes> modes;
    Light relit = light;
    float left = -1;
    if (chosen + 1 < static_cast<int>(before.size())) {
      const int matched = Candidates::matched_level(before[0].width, before[0].height);
      const Plane<1> &from = (*greys_)[matched], &to = (*later_)[matched];
      modes = std::make_unique<Modes>(
          from.width, from.height, [&](int x, int y) { return from.at(x, y)[0]; },
          [&](int x, int y) { return to.at(x, y)[0]; });
      if (n == 1) left = relight(modes->pairs(), &relit);
    }
    for (size_t level = before.size(); level-- > 0;) {
      const int step = lattice_step(level), radius = lattice_radius(level);
      const Held held = this->held(before, after, level, light);
      const Light &known = static_cast<int>(level) > chosen ? light : relit;
      if (modes && static_cast<int>(level) == chosen)
        flow = seeded(*modes, left, before[level], after[level], level, known, flow, spacing);
      for (int i = 0; i < settings_.warps; i++, spacing = step)
        flow = warp(votes(before[level], after[level], known, smooth(flow), spacing, step, 1,
                          radius, limit(level)),
                    level, held, 1, spread(variance(), step, reach(step, radius)), 1.4f);
      if (level) {
        for (Vector &v : flow.values) v = {2 * v[0], 2 * v[1]};
        spacing *= 2;
      }
    }
    const Sums sums =
        votes(before[0], after[0], relit, smooth(flow), spacing, 2 * step_, 2, 3, limit(0));
    const Held held = this->held(before, after, 0, light);
    // The mean of four texels has less noise than one of them.
    const double less = 0.4 * spread(variance(step_ * step_ / 4.0), 2 * step_, reach(2 * step_, 3));
    const Plane<2> solved = warp(sums, 0, held, 2, less);
    const RowLight rows = row_light(light);
    Plane<1> sure = certain(sums.votes, held.shares);
    const std::vector<Change> nodes =
        changes(before[0], after[0], relit, solved, sure, rows, light);
    support_ = std::make_unique<Support>(nodes, solved.width, solved.height, n == 4, rows.rolls,
                                         std::sqrt(noise_[0]), light_change_, settings_.noise == 0,
                                         flicker_);
    for (size_t i = 0; i < nodes.size(); i++) sure.values[i][0] *= 1 - nodes[i].picture;
    return finish(solved, sure, before[0].width, before[0].height);
  }

  /// How sure nodes are by their texture.
  Plane<1> certain(const Plane<5> &sums, const Plane<1> &shares) const {
    return Plane<1>(sums.width, sums.height).fill([&](int x, int y) {
      const Votes s = sums.at(x, y);
      const float noise = channel_noise(0, shares.at(x / 2, y / 2)[0], 0).slope;
      const float trace = (s[0] + s[2] - 2 * static_cast<float>(settings_.alpha)) / 1.002f;
      const float least = std::max((trace - std::hypot(s[0] - s[2], 2 * s[1])) / 2 - noise, 0.0f);
      return Plane<1>::Value{least / (least + Kind<n>::half_sure + noise)};
    });
  }

  RowLight row_light(const Light &light) const {
    Plane<1> later = (*later_)[0];
    later.fill([&](int x, int y) {
      return Plane<1>::Value{light.gain * (*later_)[0].at(x, y)[0] + light.offset};
    });
    return {(*greys_)[0], later};
  }

  /// `rows` were found in the light `row_light`.
  std::vector<Change> changes(const Plane<n> &before, const Plane<n> &after, const Light &light,
                              const Plane<2> &flow, const Plane<1> &sure, const RowLight &rows,
                              const Light &row_light) const {
    std::vector<Change> changes;
    using Texel = typename Plane<n>::Value;
    const auto change = [&](float x, float y, int own_x, int own_y) {
      Texel change = bilinear(after, x, y);
      for (int k = 0; k < n; k++)
        change[k] = std::clamp(light.gain * change[k] + light.offset - before.at(own_x, own_y)[k],
                               -limit(0), limit(0));
      return change;
    };
    // What of the variance of noise is left between texels.
    const auto kept = [](float place) {
      const float part = place - std::floor(place);
      return 1 - 2 * (1 - (n == 4 ? 0.16f : 0.32f)) * part * (1 - part);
    };
    for (int row = 0; row < flow.height; row++)
      for (int column = 0; column < flow.width; column++) {
        const int x = std::min(2 * step_ * column, before.width - 1);
        const int y = std::min(2 * step_ * row, before.height - 1);
        const Vector v = flow.at(column, row);
        const float to_x = x + v[0], to_y = y + v[1];
        const float grey = (*greys_)[0].at(x, y)[0],
                    risen = light.gain * (*later_)[0].at(x, y)[0] + light.offset - grey,
                    noise = 2 * 0.35254f * noise_correlation * noise_at(noise_, grey),
                    of_row = light.gain / row_light.gain *
                                 ((1 + rows.ratios[size_t(y / 2)]) * grey - row_light.offset) +
                             light.offset - grey;
        Change node;
        node.level = grey;
        const bool noisy = settings_.noise != 0;
        if (noisy) {
          node.unlit = (risen - of_row) * (risen - of_row);
          node.unlit_noise = noise + 0.09f * of_row * of_row;
        }
        if (!noisy || to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) {
          changes.push_back(node);
          continue;
        }
        const float share = noise_correlation * Kind<n>::noise_share(before.at(x, y)) *
                            noise_at(noise_, (*greys_)[0].at(x, y)[0]);
        const Texel still = change(float(x), float(y), x, y), moved = change(to_x, to_y, x, y);
        const float explained = n * channel_noise(0, share, 0).change;
        node.still = dot(still, still), node.moved = dot(moved, moved);
        node.noise = explained, node.moved_noise = explained * (1 + kept(to_x) * kept(to_y)) / 2;
        if (n == 1) node.still_level = still[0], node.moved_level = moved[0];
        node.grey = risen, node.grey_noise = noise;
        if (n == 4) {
          node.went = light.gain * bilinear((*later_)[0], to_x, to_y)[0] + light.offset - grey;
          node.went_noise = noise * (1 + kept(to_x) * kept(to_y)) / 2;
        }
        node.picture = of_the_picture(x, y, v, light, noise);
        node.flow = v, node.sure = sure.at(column, row)[0], node.inside = true;
        changes.push_back(node);
      }
    return changes;
  }

  /// Whether one of four texels stands still in the picture while the flow goes on, 0..1.
  float of_the_picture(int x, int y, const Vector &v, const Light &light, float noise) const {
    const Plane<1> &then = (*greys_)[0], &later = (*later_)[0];
    float most = 0;
    for (int i = 0; i < 4; i++) {
      const int u = std::min(x + i % 2 * step_, then.width - 1),
                w = std::min(y + i / 2 * step_, then.height - 1);
      const auto change = [&](float to_x, float to_y) {
        return light.gain * bilinear(later, std::clamp(to_x, 0.0f, float(then.width - 1)),
                                     std::clamp(to_y, 0.0f, float(then.height - 1)))[0] +
               light.offset - then.at(u, w)[0];
      };
      const float still = change(float(u), float(w)),
                  moved = change(float(u) + v[0], float(w) + v[1]);
      most = std::max(most, moved * moved / (still * still + 2.25f * noise + 4));
    }
    return std::clamp((most - 2) / 2, 0.0f, 1.0f) *
           std::clamp((v[0] * v[0] + v[1] * v[1] - 0.1f) / 0.2f, 0.0f, 1.0f);
  }

  /// How far the flow is from a plane around a node: 1 where it is one, a half at 1 px.
  static float smoothness(const Plane<2> &flow, int x, int y) {
    float most = 0;
    for (const auto &[dx, dy] : {std::array{4, 0}, {0, 4}, {4, 4}, {4, -4}}) {
      const Vector a = flow.at(x - dx, y - dy), b = flow.at(x, y), c = flow.at(x + dx, y + dy);
      most = std::max(most, std::hypot(a[0] - 2 * b[0] + c[0], a[1] - 2 * b[1] + c[1]));
    }
    return 1 / (1 + most * most);
  }

  /// Nodes lie in the middle of the four texels that voted.
  Field finish(const Plane<2> &solved, const Plane<1> &certain, int width, int height) const {
    const float spacing = 2.0f * step_, first = step_ / 2.0f;
    Plane<2> whole = smooth(solved);
    whole.fill([&](int x, int y) {
      return support_->with_all(whole.at(x, y), far(), float(x), float(y));
    });
    Plane<2> flow = whole;
    flow.fill([&](int x, int y) {
      const float kept = support_->at(float(x), float(y));
      return Vector{kept * whole.at(x, y)[0], kept * whole.at(x, y)[1]};
    });
    Field field{width, height, {}, {}};
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const Vector v = bilinear(flow, (x - first) / spacing, (y - first) / spacing);
        field.vectors.insert(field.vectors.end(), {v[0], v[1]});
        const bool inside =
            x + v[0] >= 0 && y + v[1] >= 0 && x + v[0] <= width - 1 && y + v[1] <= height - 1;
        const int column = x / (2 * step_), row = y / (2 * step_);
        const Vector &w = whole.at(column, row);
        const float lost = 1 - support_->at(float(column), float(row));
        const float sure = smoothness(solved, column, row) * certain.at(column, row)[0];
        field.confidence.push_back(
            inside ? sure / (1 + 4 * lost * lost * (w[0] * w[0] + w[1] * w[1])) : 0);
      }
    return field;
  }

  Settings settings_;
  Flicker none_;
  Flicker &flicker_;
  int step_;
  NoiseTable noise_{};
  double light_change_ = 0;                       // of the mean grey, levels; 0 with noise=0
  std::vector<Gains> gains_;                      // by level
  const std::vector<Plane<1>> *greys_ = nullptr;  // of the frame that the flow begins at
  const std::vector<Plane<1>> *later_ = nullptr;  // and of that to which it leads
  std::unique_ptr<Support> support_;              // of the last flow
};

}  // namespace

Field flow(const Frame &before, const Frame &after, Flow::Channels channels,
           const Settings &settings, Flicker *flicker) {
  return channels == Flow::Channels::census ? Solver<4>(settings, flicker).run(before, after)
                                            : Solver<1>(settings, flicker).run(before, after);
}

}  // namespace reference::opticalflow
