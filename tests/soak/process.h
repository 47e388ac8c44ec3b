// SPDX-License-Identifier: LGPL-2.1-or-later
// What a test asks of its own process.
#pragma once

#include <chrono>
#include <vector>

/// The stacks of all threads on stderr, where a debugger is at hand.
void print_stacks();

struct Sample {
  double seconds = 0, rss = 0, heap = 0;  // s, MiB in memory, MiB allocated
  int fds = 0, threads = 0;
};

/// What the process holds now, `seconds` after `start`.
Sample measure(std::chrono::steady_clock::time_point start);

/// What a straight line through the samples rises from the first to the last.
template <class Value>
double growth(const std::vector<Sample> &samples, Value value) {
  if (samples.size() < 3) return 0;
  double t = 0, v = 0, tt = 0, tv = 0;
  for (const Sample &s : samples) t += s.seconds, v += value(s);
  t /= static_cast<double>(samples.size()), v /= static_cast<double>(samples.size());
  for (const Sample &s : samples)
    tt += (s.seconds - t) * (s.seconds - t), tv += (s.seconds - t) * (value(s) - v);
  return tv / tt * (samples.back().seconds - samples.front().seconds);
}
