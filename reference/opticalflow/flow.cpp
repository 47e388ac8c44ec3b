// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "reference/noise/noise.h"
#include "reference/opticalflow/brightness.h"
#include "reference/opticalflow/candidates.h"
#include "reference/opticalflow/noisemodel.h"
#include "reference/opticalflow/planes.h"
#include "reference/opticalflow/refine.h"
#include "reference/opticalflow/verification.h"

namespace reference::opticalflow {

namespace {

using glcl::opticalflow::Candidates;
using glcl::opticalflow::Flow;
using Settings = Flow::Settings;

template <int n>
class Solver {
 public:
  Solver(const Settings &settings, Flicker *flicker)
      : settings_(settings), flicker_(flicker ? *flicker : none_) {
    step_ = settings.window <= 15 ? 1 : settings.window <= 31 ? 2 : 4;
  }

  Field run(const Frame &before, const Frame &after) {
    const int highest = Flow::most_levels(before.width, before.height);
    const int automatic = Flow::automatic_levels(before.width, before.height);
    const int levels = settings_.levels ? std::min(settings_.levels, highest) : automatic;
    const int levels_made = std::max(levels, automatic);
    const auto from = pyramid(before, levels_made), to = pyramid(after, levels_made);
    Brightness brightness, back;
    if (n == 1) {
      brightness = brightness_change(from[automatic - 1], to[automatic - 1]);
      back = {1 / brightness.gain, -brightness.offset / brightness.gain};
    }
    const NoiseTable table =
        settings_.noise < 0 ? noise(
                                  glcl::noise::Noise::Texels::grey, before.width, before.height,
                                  [&](int x, int y) { return from[0].at(x, y)[0]; },
                                  [&](int x, int y) { return to[0].at(x, y)[0]; })
                            : even_noise(settings_.noise);
    noise_ = NoiseModel<n>(table, levels_made);
    if (settings_.noise < 0)
      flicker_.next();
    else
      flicker_ = {};
    if (settings_.noise != 0)
      brightness_change_ = std::abs(mean(from[automatic - 1]) - mean(to[automatic - 1]));
    const Texels a = texels(from, levels), b = texels(to, levels);
    grey_before_ = &from, grey_after_ = &to;
    Field field = solve(a, b, brightness);
    if constexpr (n == 4)
      if (settings_.refinement) refine(field, from, to, automatic);
    if (settings_.check) {
      grey_before_ = &to, grey_after_ = &from;
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
    std::vector<RefinementLevel> refined_levels;
    for (int i = 0; i < std::min(levels, glcl::opticalflow::Refinement::levels); i++) {
      RefinementLevel level{from[i].width, from[i].height};
      level.sharpness = std::max(2.5f / std::sqrt(noise_.softness(i)), 0.4f);
      level.sharpness += noise_.denoising() * (1 - level.sharpness);
      level.smoothness = 0.2f * level.sharpness * (1 + 2 * noise_.denoising());
      level.before = ChannelTraits<n>::texels(from[i], noise_.softness(i)).values;
      level.after = ChannelTraits<n>::texels(to[i], noise_.softness(i)).values;
      for (const auto &grey : from[i].values) level.grey.push_back(grey[0]);
      refined_levels.push_back(level);
    }
    std::vector<float> keep_factors;
    const float spacing = 2.0f * static_cast<float>(step_);
    for (int y = 0; y < field.height; y++)
      for (int x = 0; x < field.width; x++)
        keep_factors.push_back(
            verification_->keep_factor(float(x) / spacing - 0.25f, float(y) / spacing - 0.25f));
    opticalflow::refine(field, settings_.refinement, refined_levels, std::sqrt(noise_.white()),
                        keep_factors);
  }

  Texels texels(const std::vector<Plane<1>> &pyramid, int levels) const {
    Texels result;
    for (int i = 0; i < levels; i++)
      result.push_back(ChannelTraits<n>::texels(pyramid[i], noise_.softness(i)));
    return result;
  }

  Tensor tensor(const Plane<n> &plane, int x, int y) const {
    const auto gx = ChannelTraits<n>::slope(plane, x, y, 1, 0),
               gy = ChannelTraits<n>::slope(plane, x, y, 0, 1);
    const float xx = dot(gx, gx), yy = dot(gy, gy);
    const float regularisation = static_cast<float>(settings_.alpha) + 1e-3f * (xx + yy);
    return {xx + regularisation, dot(gx, gy), yy + regularisation};
  }

  Vector rhs(const Plane<n> &before, const Plane<n> &after, int x, int y, Vector flow,
             const Brightness &brightness, float limit) const {
    const Tensor t = tensor(before, x, y);
    Vector result = {t[0] * flow[0] + t[1] * flow[1], t[1] * flow[0] + t[2] * flow[1]};
    const float to_x = x + flow[0], to_y = y + flow[1];
    if (to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) return result;
    auto change = bilinear(after, to_x, to_y);
    for (int k = 0; k < n; k++)
      change[k] = std::clamp(brightness.gain * change[k] + brightness.offset - before.at(x, y)[k],
                             -limit, limit);
    result[0] -= dot(ChannelTraits<n>::slope(before, x, y, 1, 0), change);
    result[1] -= dot(ChannelTraits<n>::slope(before, x, y, 0, 1), change);
    return result;
  }

  using Equations = std::array<float, 5>;  // the tensor's xx, xy, yy; right-hand sides

  /// The equations of the nodes of a lattice, and the flow that they start from.
  struct Sums {
    Plane<5> equations;
    Plane<2> start;
  };

  /// The mean over the window of the equations of `texels` × `texels` texels per node. Nodes of
  /// `flow` are `spacing` texels apart, nodes of the result `step` texels.
  Sums equations(const Plane<n> &before, const Plane<n> &after, const Brightness &brightness,
                 const Plane<2> &flow, double spacing, int step, int texels, int radius,
                 float limit) const {
    const int distance = step / texels;
    Plane<5> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    Plane<2> start(nodes.width, nodes.height);
    nodes.fill([&](int x, int y) {
      Equations sum{};
      Vector &mean = start.values[size_t(y) * start.width + x];
      for (int i = 0; i < texels * texels; i++) {
        const int tx = std::min(x * step + i % texels * distance, before.width - 1);
        const int ty = std::min(y * step + i / texels * distance, before.height - 1);
        const Vector v = bilinear(flow, float(tx / spacing), float(ty / spacing));
        const Tensor t = tensor(before, tx, ty);
        const Vector b = rhs(before, after, tx, ty, v, brightness, limit);
        const Equations own{t[0], t[1], t[2], b[0], b[1]};
        for (int k = 0; k < 5; k++) sum[k] += own[k] / float(texels * texels);
        for (int k = 0; k < 2; k++) mean[k] += v[k] / float(texels * texels);
      }
      return sum;
    });
    const double own = texels > 1 ? distance * distance / 4.0 : 0;
    return {window_mean(nodes, variance(own), step, reach(step, radius)), start};
  }

  /// The variance of the window, less that of a node itself; and its radius in nodes.
  double variance(double own = 0) const {
    return std::max(settings_.window * settings_.window / 36.0 - own, 1e-6);
  }
  int reach(int step, int radius) const { return std::min(radius, settings_.window / 2 / step); }

  /// The lattice for the warps of a level, except the last one of the finest level.
  int lattice_step(size_t level) const { return level ? 2 * step_ : 4 * step_; }
  static int lattice_radius(size_t level) { return level ? 3 : 1; }

  /// The mean over the window of the texels' noise, on that lattice.
  Plane<1> shares(const Plane<n> &before, size_t level) const {
    const int step = lattice_step(level);
    Plane<1> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    nodes.fill([&](int x, int y) {
      return Plane<1>::Value{noise_.share(before.at(x * step, y * step),
                                          (*grey_before_)[level].at(x * step, y * step)[0])};
    });
    return window_mean(nodes, variance(), step, reach(step, lattice_radius(level)));
  }

  /// The mean over the window of the squared difference without motion, less the part that motion
  /// could explain.
  Plane<1> residuals(const Plane<n> &before, const Plane<n> &after, size_t level,
                     const Brightness &brightness) const {
    const int step = lattice_step(level);
    Plane<6> nodes((before.width + step - 1) / step, (before.height + step - 1) / step);
    nodes.fill([&](int x, int y) {
      x *= step, y *= step;
      auto change = after.at(x, y);
      for (int k = 0; k < n; k++)
        change[k] = std::clamp(brightness.gain * change[k] + brightness.offset - before.at(x, y)[k],
                               -noise_.limit(level), noise_.limit(level));
      const Tensor t = tensor(before, x, y);
      return Plane<6>::Value{t[0],
                             t[1],
                             t[2],
                             dot(ChannelTraits<n>::slope(before, x, y, 1, 0), change),
                             dot(ChannelTraits<n>::slope(before, x, y, 0, 1), change),
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

  /// The noise and the residual of a level's lattice, which limit steps.
  struct NoiseBounds {
    Plane<1> shares, residuals;
  };

  /// `distance`: nodes per node of `noise_bounds`. `relaxation`: factor of the step.
  Plane<2> warp(const Sums &sums, size_t level, const NoiseBounds &noise_bounds, int distance,
                double spread, float relaxation = 1) const {
    return Plane<2>(sums.equations.width, sums.equations.height).fill([&](int x, int y) {
      const auto [xx, xy, yy, bx, by] = sums.equations.at(x, y);
      const float scale = 1 / (xx * yy - xy * xy);
      const Vector &start = sums.start.at(x, y);
      const Vector end{scale * (yy * bx - xy * by), scale * (xx * by - xy * bx)};
      return noise_.limited(start, mix(start, end, relaxation), {xx, xy, yy}, level,
                            noise_bounds.shares.at(x / distance, y / distance)[0],
                            noise_bounds.residuals.at(x / distance, y / distance)[0], spread,
                            std::min(sums.equations.width, sums.equations.height));
    });
  }

  /// The weight of smoothing by noise.

  Plane<2> smooth(const Plane<2> &flow) const {
    const float denoising = noise_.denoising();
    const Plane<2> near = median(flow, settings_.median / 2);
    const Plane<2> wide = median(flow, settings_.median / 2 * 2);
    return Plane<2>(flow.width, flow.height).fill([&](int x, int y) {
      return mix(near.at(x, y), wide.at(x, y), denoising);
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
    float total = 0;
    int leaving = 0;  // texels whose target is outside the frame
    int count = 0;    // all texels
  };
  /// The cost of a flow: how badly the texels around (x, y) match along it.
  Cost cost(const Plane<n> &before, const Plane<n> &after, const Brightness &brightness, int x,
            int y, Vector flow, float limit, float leaving_cost) const {
    Cost sum;
    for (int j = -6; j <= 6; j += 2)
      for (int i = -6; i <= 6; i += 2) {
        const int from_x = x + i, from_y = y + j;
        if (from_x < 0 || from_y < 0 || from_x >= before.width || from_y >= before.height) continue;
        sum.count++;
        const float to_x = from_x + flow[0], to_y = from_y + flow[1];
        if (to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) {
          sum.total += leaving_cost, sum.leaving++;
          continue;
        }
        auto change = bilinear(after, to_x, to_y);
        for (int k = 0; k < n; k++)
          change[k] = std::clamp(
              brightness.gain * change[k] + brightness.offset - before.at(from_x, from_y)[k],
              -limit, limit);
        sum.total += dot(change, change);
      }
    return sum;
  }

  /// Replaces flow by candidates that are better.
  Plane<2> with_candidates(const CandidateMotions &modes, float residual, const Plane<n> &before,
                           const Plane<n> &after, size_t level, const Brightness &brightness,
                           const Plane<2> &flow, int spacing) const {
    const int matched =
        Candidates::matched_level((*grey_before_)[0].width, (*grey_before_)[0].height);
    const auto unit = static_cast<float>(std::exp2(matched - static_cast<int>(level)));
    float change = noise_.channel(level, noise_correlation * noise_.white(), 1).change;
    if (residual >= 0) change = std::min(change, 1.5707963f * residual * residual);
    const float flat_cost = n == 4 ? 400 : 0.25f, leaving_cost = flat_cost + n * change;
    return Plane<2>(flow.width, flow.height).fill([&](int column, int row) {
      const Vector own = flow.at(column, row);
      const int x = std::min(column * spacing, before.width - 1);
      const int y = std::min(row * spacing, before.height - 1);
      std::vector<Vector> others;
      for (const Vector &mode : modes.around(float(x) / unit, float(y) / unit)) {
        const Vector v{unit * mode[0], unit * mode[1]};
        const auto within = [&](const Vector &w, float highest) {
          return std::abs(v[0] - w[0]) < highest && std::abs(v[1] - w[1]) < highest;
        };
        if (!within(own, 1.5f)) others.push_back(v);
      }
      Cost best_cost{1e30f, 0, 0};
      Vector best = own;
      for (size_t i = 0; i < others.size(); i++) {
        const bool level_brightness =
            std::any_of(others.begin(), others.begin() + ptrdiff_t(i), [&](auto &w) {
              return std::abs(w[0] - others[i][0]) < 0.25f && std::abs(w[1] - others[i][1]) < 0.25f;
            });
        if (level_brightness) continue;
        const Cost c =
            cost(before, after, brightness, x, y, others[i], noise_.limit(level), leaving_cost);
        if (c.total < best_cost.total) best_cost = c, best = others[i];
      }
      if (others.empty()) return own;
      const Cost own_cost = cost(before, after, brightness, x, y, own, noise_.limit(level),
                                 std::max(5 * leaving_cost, contrast(before, x, y)));
      const bool noisy = noise_.present();
      const float coding_noise = noisy ? float(own_cost.count) * n * noise_.most_coding(level) : 0;
      const float static_cost =
          std::hypot(own[0], own[1]) < 0.1f ? 0.2f * std::min(own_cost.total, coding_noise) : 0;
      const bool better = best_cost.total + float(own_cost.count) * flat_cost + static_cost <
                              0.4f * own_cost.total ||
                          2 * std::min(best_cost.leaving, own_cost.leaving) > own_cost.count;
      return better ? best : own;
    });
  }

  NoiseBounds noise_bounds(const Texels &before, const Texels &after, size_t level,
                           const Brightness &brightness) const {
    return {shares(before[level], level),
            residuals(before[level], after[level], level, brightness)};
  }

  Field solve(const Texels &before, const Texels &after, const Brightness &brightness) {
    Plane<2> flow(1, 1);
    int spacing = 1;  // texels between its nodes
    const int chosen = Candidates::selection_level(before[0].width, before[0].height);
    std::unique_ptr<CandidateMotions> modes;
    Brightness matched_brightness = brightness;
    float residual = -1;
    if (chosen + 1 < static_cast<int>(before.size())) {
      const int matched = Candidates::matched_level(before[0].width, before[0].height);
      const Plane<1> &from = (*grey_before_)[matched], &to = (*grey_after_)[matched];
      modes = std::make_unique<CandidateMotions>(
          from.width, from.height, [&](int x, int y) { return from.at(x, y)[0]; },
          [&](int x, int y) { return to.at(x, y)[0]; });
      if (n == 1) residual = fit_brightness(modes->pairs(), &matched_brightness);
    }
    for (size_t level = before.size(); level-- > 0;) {
      const int step = lattice_step(level), radius = lattice_radius(level);
      const NoiseBounds noise_bounds = this->noise_bounds(before, after, level, brightness);
      const Brightness &level_brightness =
          static_cast<int>(level) > chosen ? brightness : matched_brightness;
      if (modes && static_cast<int>(level) == chosen)
        flow = with_candidates(*modes, residual, before[level], after[level], level,
                               level_brightness, flow, spacing);
      for (int i = 0; i < settings_.warps; i++, spacing = step)
        flow = warp(equations(before[level], after[level], level_brightness, smooth(flow), spacing,
                              step, 1, radius, noise_.limit(level)),
                    level, noise_bounds, 1, spread(variance(), step, reach(step, radius)), 1.4f);
      if (level) {
        for (Vector &v : flow.values) v = {2 * v[0], 2 * v[1]};
        spacing *= 2;
      }
    }
    const Sums sums = equations(before[0], after[0], matched_brightness, smooth(flow), spacing,
                                2 * step_, 2, 3, noise_.limit(0));
    const NoiseBounds noise_bounds = this->noise_bounds(before, after, 0, brightness);
    // The mean of four texels has less noise than one of them.
    const double dense_spread =
        0.4 * spread(variance(step_ * step_ / 4.0), 2 * step_, reach(2 * step_, 3));
    const Plane<2> solved = warp(sums, 0, noise_bounds, 2, dense_spread);
    const RowRatios rows = row_ratios(brightness);
    Plane<1> confidence = node_confidence(sums.equations, noise_bounds.shares);
    const std::vector<Change> nodes =
        changes(before[0], after[0], matched_brightness, solved, confidence, rows, brightness);
    verification_ = std::make_unique<Verification>(
        nodes, solved.width, solved.height, n == 4, rows.rolling, std::sqrt(noise_.white()),
        brightness_change_, settings_.noise == 0, flicker_);
    for (size_t i = 0; i < nodes.size(); i++) confidence.values[i][0] *= 1 - nodes[i].overlay;
    return finish(solved, confidence, before[0].width, before[0].height);
  }

  /// The confidence of nodes by their texture.
  Plane<1> node_confidence(const Plane<5> &sums, const Plane<1> &shares) const {
    return Plane<1>(sums.width, sums.height).fill([&](int x, int y) {
      const Equations s = sums.at(x, y);
      const float noise = noise_.channel(0, shares.at(x / 2, y / 2)[0], 0).slope;
      const float trace = (s[0] + s[2] - 2 * static_cast<float>(settings_.alpha)) / 1.002f;
      const float strength =
          std::max((trace - std::hypot(s[0] - s[2], 2 * s[1])) / 2 - noise, 0.0f);
      return Plane<1>::Value{strength / (strength + ChannelTraits<n>::half_confidence + noise)};
    });
  }

  RowRatios row_ratios(const Brightness &brightness) const {
    Plane<1> later = (*grey_after_)[0];
    later.fill([&](int x, int y) {
      return Plane<1>::Value{brightness.gain * (*grey_after_)[0].at(x, y)[0] + brightness.offset};
    });
    return {(*grey_before_)[0], later};
  }

  /// `rows` refer to brightness `row_ratios`.
  std::vector<Change> changes(const Plane<n> &before, const Plane<n> &after,
                              const Brightness &brightness, const Plane<2> &flow,
                              const Plane<1> &confidence, const RowRatios &rows,
                              const Brightness &row_ratios) const {
    std::vector<Change> changes;
    using Texel = typename Plane<n>::Value;
    const auto change = [&](float x, float y, int own_x, int own_y) {
      Texel change = bilinear(after, x, y);
      for (int k = 0; k < n; k++)
        change[k] =
            std::clamp(brightness.gain * change[k] + brightness.offset - before.at(own_x, own_y)[k],
                       -noise_.limit(0), noise_.limit(0));
      return change;
    };
    // The part of the noise variance that interpolation leaves.
    const auto interpolated_noise = [](float place) {
      const float part = place - std::floor(place);
      return 1 - 2 * (1 - (n == 4 ? 0.16f : 0.32f)) * part * (1 - part);
    };
    for (int row = 0; row < flow.height; row++)
      for (int column = 0; column < flow.width; column++) {
        const int x = std::min(2 * step_ * column, before.width - 1);
        const int y = std::min(2 * step_ * row, before.height - 1);
        const Vector v = flow.at(column, row);
        const float to_x = x + v[0], to_y = y + v[1];
        const float grey = (*grey_before_)[0].at(x, y)[0],
                    grey_difference =
                        brightness.gain * (*grey_after_)[0].at(x, y)[0] + brightness.offset - grey,
                    noise = 2 * 0.35254f * noise_.of_grey(grey),
                    row_change = brightness.gain / row_ratios.gain *
                                     ((1 + rows.ratios[size_t(y / 2)]) * grey - row_ratios.offset) +
                                 brightness.offset - grey;
        Change node;
        node.grey_level = grey;
        const bool noisy = settings_.noise != 0;
        if (noisy) {
          node.row_residual = (grey_difference - row_change) * (grey_difference - row_change);
          node.row_noise = noise + 0.09f * row_change * row_change;
        }
        if (!noisy || to_x < 0 || to_y < 0 || to_x > before.width - 1 || to_y > before.height - 1) {
          changes.push_back(node);
          continue;
        }
        const float noise_share = noise_.share(before.at(x, y), (*grey_before_)[0].at(x, y)[0]);
        const Texel frame_difference = change(float(x), float(y), x, y),
                    displaced_difference = change(to_x, to_y, x, y);
        const float explained = n * noise_.channel(0, noise_share, 0).change;
        node.frame_square = dot(frame_difference, frame_difference),
        node.displaced_square = dot(displaced_difference, displaced_difference);
        node.noise = explained,
        node.displaced_noise =
            explained * (1 + interpolated_noise(to_x) * interpolated_noise(to_y)) / 2;
        if (n == 1)
          node.frame_difference = frame_difference[0],
          node.displaced_difference = displaced_difference[0];
        node.grey_difference = grey_difference, node.grey_noise = noise;
        if (n == 4) {
          node.displaced_grey = brightness.gain * bilinear((*grey_after_)[0], to_x, to_y)[0] +
                                brightness.offset - grey;
          node.displaced_grey_noise =
              noise * (1 + interpolated_noise(to_x) * interpolated_noise(to_y)) / 2;
        }
        node.overlay = static_overlay(x, y, v, brightness, noise);
        node.flow = v, node.confidence = confidence.at(column, row)[0], node.inside = true;
        changes.push_back(node);
      }
    return changes;
  }

  /// Degree to which one of four texels is a static overlay over moving flow, 0..1.
  float static_overlay(int x, int y, const Vector &v, const Brightness &brightness,
                       float noise) const {
    const Plane<1> &before = (*grey_before_)[0], &later = (*grey_after_)[0];
    float highest = 0;
    for (int i = 0; i < 4; i++) {
      const int u = std::min(x + i % 2 * step_, before.width - 1),
                w = std::min(y + i / 2 * step_, before.height - 1);
      const auto change = [&](float to_x, float to_y) {
        return brightness.gain * bilinear(later, std::clamp(to_x, 0.0f, float(before.width - 1)),
                                          std::clamp(to_y, 0.0f, float(before.height - 1)))[0] +
               brightness.offset - before.at(u, w)[0];
      };
      const float frame_difference = change(float(u), float(w)),
                  displaced_difference = change(float(u) + v[0], float(w) + v[1]);
      highest = std::max(highest, displaced_difference * displaced_difference /
                                      (frame_difference * frame_difference + 2.25f * noise + 4));
    }
    return std::clamp((highest - 2) / 2, 0.0f, 1.0f) *
           std::clamp((v[0] * v[0] + v[1] * v[1] - 0.1f) / 0.2f, 0.0f, 1.0f);
  }

  /// The confidence by the bending of the flow around a node: 1 for a plane, a half at 1 px.
  static float smoothness(const Plane<2> &flow, int x, int y) {
    float highest = 0;
    for (const auto &[dx, dy] : {std::array{4, 0}, {0, 4}, {4, 4}, {4, -4}}) {
      const Vector a = flow.at(x - dx, y - dy), b = flow.at(x, y), c = flow.at(x + dx, y + dy);
      highest = std::max(highest, std::hypot(a[0] - 2 * b[0] + c[0], a[1] - 2 * b[1] + c[1]));
    }
    return 1 / (1 + highest * highest);
  }

  /// A node is the centre of the four texels that it sums.
  Field finish(const Plane<2> &solved, const Plane<1> &node_confidence, int width,
               int height) const {
    const float spacing = 2.0f * step_, first = step_ / 2.0f;
    Plane<2> smoothed = smooth(solved);
    smoothed.fill([&](int x, int y) {
      return verification_->toward_single_motion(smoothed.at(x, y), noise_.denoising(), float(x),
                                                 float(y));
    });
    Plane<2> flow = smoothed;
    flow.fill([&](int x, int y) {
      const float keep_factor = verification_->keep_factor(float(x), float(y));
      return Vector{keep_factor * smoothed.at(x, y)[0], keep_factor * smoothed.at(x, y)[1]};
    });
    Field field{width, height, {}, {}};
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const Vector v = bilinear(flow, (x - first) / spacing, (y - first) / spacing);
        field.vectors.insert(field.vectors.end(), {v[0], v[1]});
        const bool inside =
            x + v[0] >= 0 && y + v[1] >= 0 && x + v[0] <= width - 1 && y + v[1] <= height - 1;
        const int column = x / (2 * step_), row = y / (2 * step_);
        const Vector &w = smoothed.at(column, row);
        const float rejected = 1 - verification_->keep_factor(float(column), float(row));
        const float confidence =
            smoothness(solved, column, row) * node_confidence.at(column, row)[0];
        field.confidence.push_back(
            inside ? confidence / (1 + 4 * rejected * rejected * (w[0] * w[0] + w[1] * w[1])) : 0);
      }
    return field;
  }

  Settings settings_;
  Flicker none_;
  Flicker &flicker_;
  int step_;
  NoiseModel<n> noise_;
  double brightness_change_ = 0;                        // of the mean grey, levels; 0 with noise=0
  const std::vector<Plane<1>> *grey_before_ = nullptr;  // of the frame where the flow starts
  const std::vector<Plane<1>> *grey_after_ = nullptr;   // of the frame where it ends
  std::unique_ptr<Verification> verification_;          // of the last flow
};

}  // namespace

Field flow(const Frame &before, const Frame &after, Flow::Channels channels,
           const Settings &settings, Flicker *flicker) {
  return channels == Flow::Channels::census ? Solver<4>(settings, flicker).run(before, after)
                                            : Solver<1>(settings, flicker).run(before, after);
}

}  // namespace reference::opticalflow
