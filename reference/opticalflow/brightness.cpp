// SPDX-License-Identifier: LGPL-2.1-or-later
#include "brightness.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

namespace {

struct Spread {
  double mean = 0, deviation = 0;
};

/// `which`: the first or the second grey of each pair.
Spread spread(const std::vector<Vector> &pairs, int which) {
  Spread result;
  const auto count = static_cast<double>(pairs.size());
  for (const Vector &v : pairs) result.mean += v[which] / count;
  for (const Vector &v : pairs) result.deviation += std::pow(v[which] - result.mean, 2) / count;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

/// The mean difference between the frames. Single differences count as 4 levels at most.
double difference(const std::vector<Vector> &pairs, const Brightness &brightness) {
  double sum = 0;
  for (const auto &[before, after] : pairs)
    sum += std::min(std::abs(brightness.gain * after + brightness.offset - before), 4.0f);
  return sum / static_cast<double>(pairs.size());
}

/// The brightness that converts one spread to the other.
Brightness full_change(const Spread &from, const Spread &to) {
  const double ratio = (from.deviation + 0.1) / (to.deviation + 0.1);
  return {static_cast<float>(ratio), static_cast<float>(from.mean - ratio * to.mean)};
}

}  // namespace

Brightness brightness_change(const Plane<1> &previous, const Plane<1> &current) {
  std::vector<Vector> pairs;
  for (size_t i = 0; i < previous.values.size(); i++)
    pairs.push_back({previous.values[i][0], current.values[i][0]});
  const Spread from = spread(pairs, 0), to = spread(pairs, 1);
  const auto beyond = [](double value, double tolerance) {
    return value - std::clamp(value, -tolerance, tolerance);
  };
  const double gain = std::exp(beyond(std::log((from.deviation + 1) / (to.deviation + 1)), 0.06));
  const double offset = to.mean + beyond(from.mean - to.mean, 1) - gain * to.mean;
  const Brightness tolerant{static_cast<float>(gain), static_cast<float>(offset)};
  const Brightness full = full_change(from, to);
  return difference(pairs, full) < 0.8 * difference(pairs, tolerant) ? full : tolerant;
}

float fit_brightness(const std::vector<Vector> &pairs, Brightness *brightness) {
  if (pairs.size() < 16) return -1;
  const Brightness fitted = full_change(spread(pairs, 0), spread(pairs, 1));
  double residual = difference(pairs, *brightness);
  if (difference(pairs, fitted) < 0.8 * residual) {
    *brightness = fitted;
    residual = difference(pairs, fitted);
  }
  return residual <= 2 ? static_cast<float>(residual) : -1;
}

}  // namespace reference::opticalflow
