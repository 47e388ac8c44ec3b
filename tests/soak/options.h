// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>

#include <random>
#include <string>
#include <vector>

struct Options {
  double minutes = 1;
  gint64 seed = 0;  // 0: of the clock
  int first_round = 0;
  int at_once = 3;
  int hang = 60;               // s
  int every = 60;              // s
  double limit = 48;           // MiB; the resident memory of two equal runs differs by half of it
  double heap_limit = 16;      // MiB of what is allocated, which says more
  double limit_a_minute = .5;  // MiB
  std::string elements = "glclinvert,glclbilateral,glclhistogram,glclmotion,glopenclflow";
  bool verbose = false;
  bool one_display = false;
};

extern Options options;

/// Random numbers of one thread of a round: the same again for the same seed.
class Random {
 public:
  Random(int round, int pipeline, int thread) {
    std::seed_seq seed{static_cast<int>(options.seed), round, pipeline, thread};
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
