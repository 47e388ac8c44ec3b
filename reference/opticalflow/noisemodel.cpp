// SPDX-License-Identifier: LGPL-2.1-or-later
#include "noisemodel.h"

#include <algorithm>
#include <cmath>

namespace reference::opticalflow {

namespace {

/// The filter from the frame to a level of the pyramid, along an axis.
std::vector<double> level_filter(int level) {
  std::vector<double> taps{1 / 8.0, 6 / 8.0, 1 / 8.0};
  for (int distance = 1; level > 0; level--, distance *= 2) {
    std::vector<double> coarser(taps.size() + size_t(4) * distance);
    const double halving[] = {1, 4, 6, 4, 1};
    for (size_t i = 0; i < taps.size(); i++)
      for (int j = 0; j < 5; j++) coarser[i + size_t(j) * distance] += taps[i] * halving[j] / 16;
    taps = coarser;
  }
  return taps;
}

/// The covariance of texels of a level, `distance` texels apart along an axis, by white noise of
/// variance 1 in the frame.
double noise_covariance(int level, int distance) {
  const std::vector<double> taps = level_filter(level);
  const size_t shift = size_t(distance) << level;
  double sum = 0;
  for (size_t i = shift; i < taps.size(); i++) sum += taps[i] * taps[i - shift];
  return sum;
}

}  // namespace

template <int n>
typename NoiseModel<n>::Gains NoiseModel<n>::gains(int level) {
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

template <int n>
NoiseModel<n>::NoiseModel(const NoiseTable &noise, int levels) : noise_(noise) {
  for (int level = 0; level < levels; level++) gains_.push_back(gains(level));
}

template <int n>
float NoiseModel<n>::share(const typename Plane<n>::Value &texel, float grey) const {
  return noise_correlation * ChannelTraits<n>::noise_share(texel) * noise_at(noise_, grey);
}

template <int n>
float NoiseModel<n>::denoising() const {
  return std::clamp(std::sqrt(noise_[0]) - 1, 0.0f, 1.0f);
}

template <int n>
float NoiseModel<n>::softness(size_t level) const {
  // Steps of a quarter octave, so that it rarely changes from frame to frame.
  const float quantized =
      noise_[0] > 0.0625f ? std::exp2(std::rint(4 * std::log2(noise_[0])) / 4) : 0;
  return 2.5f * 2.5f + 36 * noise_correlation * gains_[level].value * quantized;
}

template <int n>
typename NoiseModel<n>::ChannelNoise NoiseModel<n>::channel(size_t level, float noise_share,
                                                            float coding) const {
  const auto [value, slope, slow] = gains_[level];
  const float extra = slow * coding * noise_.back();
  if (n == 1) {
    const float all = value * noise_share + extra;
    return {2 * all, slope * all};
  }
  const float all = noise_correlation * noise_[0],
              part = all > 0 ? std::min(noise_share / all, 1.0f) : 1;
  const float change = 2 * 127 * 127 * (value * noise_share + extra * part) / softness(level);
  return {change, change};
}
template <int n>
float NoiseModel<n>::limit(size_t level) const {
  if (n == 4) return ChannelTraits<n>::limit;
  const auto [value, slope, slow] = gains_[level];
  return std::max(
      ChannelTraits<n>::limit,
      3 * std::sqrt(2 * (noise_correlation * value * noise_[0] + slow * noise_.back())));
}

template <int n>
float NoiseModel<n>::most_coding(size_t level) const {
  const float part = std::clamp(3.0f - std::sqrt(noise_[0]), 0.0f, 1.0f);
  const float changes = part * 2 * (n == 4 ? 1 : 8) * gains_[level].coding;
  return n == 4 ? 127 * 127 * changes / softness(level) : changes;
}

template <int n>
Vector NoiseModel<n>::limited(Vector flow, Vector solution, const Tensor &t, size_t level,
                              float noise_share, float residual, double spread, int side) const {
  const auto part = [](float times) { return std::clamp(times - 1, 0.0f, 1.0f); };
  const float static_weight = std::clamp(2 - std::hypot(flow[0], flow[1]) / 0.1f, 0.0f, 1.0f);
  const float edge = 1 + 12.0f / static_cast<float>(side);
  const ChannelNoise noise = channel(level, noise_share, static_weight);
  if (noise.slope <= 0) return solution;
  const float change = std::max(noise.change, std::min(0.7f * residual / n, most_coding(level)));
  const float slope = noise.slope * (1 + static_weight * (change / noise.change - 1));
  const Vector step{solution[0] - flow[0], solution[1] - flow[1]};
  const float middle = (t[0] + t[2]) / 2, root = std::hypot((t[0] - t[2]) / 2, t[1]);
  const float bound =
      1 + static_cast<float>(std::sqrt(2 * spread)) * (0.5f + static_weight * (6 - 0.5f));
  const float large_weight = part((middle + root) / (bound * edge * slope));
  const float small_weight = part((middle - root) / (bound * edge * slope));
  const float mean = (large_weight + small_weight) / 2;
  const float anisotropy = root > 1e-6f * middle ? (large_weight - small_weight) / 2 / root : 0;
  const float xx = mean + anisotropy * (t[0] - t[2]) / 2,
              yy = mean - anisotropy * (t[0] - t[2]) / 2;
  const Vector shrunk_step{xx * step[0] + anisotropy * t[1] * step[1],
                           anisotropy * t[1] * step[0] + yy * step[1]};
  const float explained = t[0] * shrunk_step[0] * shrunk_step[0] +
                          2 * t[1] * shrunk_step[0] * shrunk_step[1] +
                          t[2] * shrunk_step[1] * shrunk_step[1];
  const float significance = part(explained / (14 * edge * change * static_cast<float>(spread)));
  const float share_taken = 1 - static_weight * (1 - significance);
  return {flow[0] + share_taken * shrunk_step[0], flow[1] + share_taken * shrunk_step[1]};
}

template class NoiseModel<1>;
template class NoiseModel<4>;

}  // namespace reference::opticalflow
