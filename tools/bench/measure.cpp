// SPDX-License-Identifier: LGPL-2.1-or-later
#include "measure.h"

#include <algorithm>
#include <chrono>

namespace glcl::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Time of one run by events, ns; adds the times of the kernels to `kernels`.
double event_time(Queue &queue, const Run &run, std::map<std::string, double> &kernels) {
  run.enqueue(queue);
  queue.cl().finish();  // transfers have no event here
  std::map<std::string, Timing> timings;
  queue.collect(timings);
  double sum = 0;
  for (const auto &[name, timing] : timings) {
    sum += static_cast<double>(timing.sum);
    kernels[name] += static_cast<double>(timing.sum);
  }
  return sum;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double wall_time(const std::function<void()> &work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start) * 1e6;
}

Times measure(const std::shared_ptr<Context> &context, const Run &run, double seconds) {
  constexpr int least = 3, most = 200;
  Queue timed(context, true), plain(context);
  for (int i = 0; i < 2; i++) run.enqueue(plain);  // drivers finish compiling at the first launch
  plain.cl().finish();
  context->finish_programs();

  Times times;
  std::vector<double> events, wall;
  const auto start = Clock::now();
  while (events.size() < least || (seconds_since(start) < seconds / 2 && events.size() < most))
    events.push_back(event_time(timed, run, times.kernels) / 1e3);

  // Runs in a row that take about a twentieth of the time, at most 32.
  const double once = std::max(seconds_since(start) / static_cast<double>(events.size()), 1e-6);
  const int row = static_cast<int>(std::clamp(seconds / 20 / once, 1.0, 32.0));
  const auto second_half = Clock::now();
  while (wall.size() < least || (seconds_since(second_half) < seconds / 2 && wall.size() < most)) {
    const auto begin = Clock::now();
    for (int i = 0; i < row; i++) run.enqueue(plain);
    plain.cl().finish();
    wall.push_back(seconds_since(begin) * 1e6 / row);
  }
  for (auto &[name, time] : times.kernels) time /= 1e3 * static_cast<double>(events.size());
  times.events = median(events);
  times.wall = median(wall);
  times.runs = static_cast<int>(events.size() + wall.size() * row);
  return times;
}

}  // namespace glcl::bench
