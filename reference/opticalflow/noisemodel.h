// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <vector>

#include "planes.h"
#include "reference/noise/noise.h"

namespace reference::opticalflow {

/// The noise of frames in the channels of each level of the pyramid: grey (n = 1) or census (4).
template <int n>
class NoiseModel {
 public:
  using Tensor = std::array<float, 3>;

  NoiseModel() = default;
  NoiseModel(const NoiseTable &noise, int levels);

  /// Variance of the white noise of frames, in levels².
  float white() const { return noise_[0]; }
  bool present() const { return noise_[0] > 0 || noise_.back() > 0; }
  /// The variance of pixels of a grey, and of a texel with that grey.
  float of_grey(float grey) const { return noise_correlation * noise_at(noise_, grey); }
  float share(const typename Plane<n>::Value &texel, float grey) const;
  /// How far fine structure is mistrusted, 0 to 1.
  float denoising() const;
  /// Of the census of a level.
  float softness(size_t level) const;
  /// The largest difference of a channel that counts.
  float limit(size_t level) const;
  /// The largest difference in time of a channel that an encoder may cause.
  float most_coding(size_t level) const;

  /// Variances of a channel's difference in time, and of the slopes along an axis.
  struct ChannelNoise {
    float change, slope;
  };
  ChannelNoise channel(size_t level, float noise_share, float coding) const;

  /// The part of the step from `flow` to `solution` that noise permits. `side`: the shorter one of
  /// the lattice.
  Vector limited(Vector flow, Vector solution, const Tensor &t, size_t level, float noise_share,
                 float residual, double spread, int side) const;

 private:
  /// The response of a level to noise of variance 1 in the frame.
  struct Gains {
    float value = 0;   // white noise: in grey its variance, in census that of the difference of
                       // opposite neighbours
    float slope = 0;   // grey: variance of a slope, relative to value
    float coding = 0;  // compression noise, as value
  };
  static Gains gains(int level);

  NoiseTable noise_{};
  std::vector<Gains> gains_;  // by level
};

}  // namespace reference::opticalflow
