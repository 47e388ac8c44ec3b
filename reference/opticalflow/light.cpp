// SPDX-License-Identifier: LGPL-2.1-or-later
#include "light.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

namespace {

struct Spread {
  double mean = 0, deviation = 0;
};

/// Of one of the two greys in each pair.
Spread spread(const std::vector<Vector> &pairs, int which) {
  Spread result;
  const auto count = static_cast<double>(pairs.size());
  for (const Vector &v : pairs) result.mean += v[which] / count;
  for (const Vector &v : pairs) result.deviation += std::pow(v[which] - result.mean, 2) / count;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

/// The mean difference, each cut at 4 levels, of greys of the previous and the current frame.
double difference(const std::vector<Vector> &pairs, const Light &light) {
  double sum = 0;
  for (const auto &[before, after] : pairs)
    sum += std::min(std::abs(light.gain * after + light.offset - before), 4.0f);
  return sum / static_cast<double>(pairs.size());
}

/// The light that gives the one the spread of the other.
Light whole_change(const Spread &then, const Spread &now) {
  const double ratio = (then.deviation + 0.1) / (now.deviation + 0.1);
  return {static_cast<float>(ratio), static_cast<float>(then.mean - ratio * now.mean)};
}

}  // namespace

Light light_change(const Plane<1> &previous, const Plane<1> &current) {
  std::vector<Vector> pairs;
  for (size_t i = 0; i < previous.values.size(); i++)
    pairs.push_back({previous.values[i][0], current.values[i][0]});
  const Spread then = spread(pairs, 0), now = spread(pairs, 1);
  const auto beyond = [](double value, double tolerance) {
    return value - std::clamp(value, -tolerance, tolerance);
  };
  const double gain = std::exp(beyond(std::log((then.deviation + 1) / (now.deviation + 1)), 0.06));
  const double offset = now.mean + beyond(then.mean - now.mean, 1) - gain * now.mean;
  const Light least{static_cast<float>(gain), static_cast<float>(offset)};
  const Light whole = whole_change(then, now);
  return difference(pairs, whole) < 0.8 * difference(pairs, least) ? whole : least;
}

float relight(const std::vector<Vector> &pairs, Light *light) {
  if (pairs.size() < 16) return -1;
  const Light fitted = whole_change(spread(pairs, 0), spread(pairs, 1));
  double left = difference(pairs, *light);
  if (difference(pairs, fitted) < 0.8 * left) {
    *light = fitted;
    left = difference(pairs, fitted);
  }
  return left <= 2 ? static_cast<float>(left) : -1;
}

}  // namespace reference::opticalflow
