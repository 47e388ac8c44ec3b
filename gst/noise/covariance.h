// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>
#include <cstdlib>
#include <vector>

namespace glcl::noise {

/// The covariance of filtered white noise between texels, by their distance along an axis.
class Covariance {
 public:
  /// For texels at this distance; 1 at 0 before any filter.
  double operator()(int spacing) const {
    const auto i = size_t(std::abs(spacing));
    return i < values_.size() ? values_[i] : 0;
  }
  /// Filters the texels by an odd number of taps and keeps every `step`-th.
  void filter(const std::vector<double> &taps, int step = 1) {
    const int count = static_cast<int>(taps.size());
    std::vector<double> result(size_t(count) + values_.size());
    for (int k = 0; k < static_cast<int>(result.size()); k++)
      for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) result[k] += taps[i] * taps[j] * (*this)(step * k + i - j);
    values_ = result;
  }
  /// The variance of the texels after a filter with these taps.
  double variance(const std::vector<double> &taps) const {
    const int count = static_cast<int>(taps.size());
    double sum = 0;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) sum += taps[i] * taps[j] * (*this)(i - j);
    return sum;
  }

 private:
  std::vector<double> values_{1};
};

}  // namespace glcl::noise
