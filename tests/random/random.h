// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <initializer_list>
#include <random>
#include <vector>

/// Random numbers: the same again for the same seeds.
class Random {
 public:
  explicit Random(std::initializer_list<int> seeds) {
    std::seed_seq seed(seeds);
    engine_.seed(seed);
  }
  /// 0 … n - 1
  int below(int n) { return static_cast<int>(engine_() % n); }
  int between(int from, int to) { return from + below(to - from + 1); }
  bool chance(int percent) { return below(100) < percent; }
  double real(double from, double to) { return from + (to - from) * (engine_() % 10001) / 10000; }
  template <class T>
  const T &of(const std::vector<T> &all) {
    return all[below(static_cast<int>(all.size()))];
  }

 private:
  std::mt19937_64 engine_;
};
