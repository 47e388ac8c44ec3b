// SPDX-License-Identifier: LGPL-2.1-or-later
// A leak is growth; noise, caches that fill and a driver's builds are not.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>

#include "cases.h"
#include "options.h"
#include "process.h"
#include "random.h"

namespace {

const Bounds bounds{Options().limit_per_frame, Options().limit_per_pipeline * 1e3};

/// MiB on the heap after these seconds, frames and pipelines.
using Heap = std::function<double(double seconds, double frames, double pipelines)>;

/// Two minutes of rounds, each with one to three pipelines of random length at a rate of frames per
/// second, with this on the heap beside the noise that is seen without any leak.
Growth growth(const Heap &heap, double rate, int seed) {
  Random random({seed});
  std::vector<Sample> samples;
  double seconds = 0, frames = 0, pipelines = 0;
  while (seconds < 120) {
    const double length = random.real(1, 6);
    const int count = random.between(1, 3);
    seconds += length;
    frames += length * rate * count * random.real(.5, 1.5);
    pipelines += count;
    Sample sample;
    sample.seconds = seconds;
    sample.frames = frames;
    sample.pipelines = pipelines;
    sample.heap = 60 + heap(seconds, frames, pipelines) + random.real(-.1, .1);
    samples.push_back(sample);
  }
  return {samples, 40, bounds};
}

double mib(double bytes) { return bytes / (1 << 20); }

}  // namespace

TEST_EACH(a_leak_per_frame_is_seen, 1, 101) {
  for (const double builds : {0., 4e3}) {
    const Growth seen =
        growth([&](double, double frames,
                   double pipelines) { return mib(150 * frames + builds * pipelines); },
               400, __i__);
    ck_assert_msg(seen.leaks && seen.heap_per_frame < 180, "150 bytes a frame are reported as %g",
                  seen.heap_per_frame);
  }
}

TEST_EACH(a_leak_per_pipeline_is_seen, 1, 101) {
  for (const double rate : {1, 20, 400}) {
    const Growth seen = growth(
        [](double, double, double pipelines) { return mib(200e3 * pipelines); }, rate, __i__);
    ck_assert_msg(seen.leaks, "at %g frames/s, 200 kB a pipeline are reported as %g", rate,
                  seen.heap_per_pipeline);
  }
}

TEST_EACH(other_growth_does_not_count, 1, 101) {
  const Heap all[] = {
      [](double, double, double) { return 0.; },
      // A program that is compiled late, and stays.
      [&](double seconds, double, double) { return seconds > 40 + __i__ % 80 ? 3. : 0.; },
      // Caches that fill.
      [](double seconds, double, double) { return -8 * std::exp(-seconds / 10); },
      // Memory that is dropped at last.
      [](double seconds, double, double) { return seconds > 100 ? -2. : 0.; },
      // Less than the bounds.
      [](double, double frames, double pipelines) { return mib(20 * frames + 4e3 * pipelines); }};
  for (const Heap &heap : all)
    for (const double rate : {1, 20, 400}) {
      const Growth seen = growth(heap, rate, __i__);
      ck_assert_msg(!seen.leaks, "at %g frames/s, %g bytes a frame and %g a pipeline are reported",
                    rate, seen.heap_per_frame, seen.heap_per_pipeline);
    }
}

// Frames and pipelines can't be separated, and no growth within both bounds is enough.
TEST(rounds_that_are_all_alike) {
  std::vector<Sample> samples(20);
  for (size_t i = 0; i < samples.size(); i++) {
    const auto number = static_cast<double>(i);
    samples[i].seconds = number;
    samples[i].frames = 1000 * number;
    samples[i].pipelines = number;
    samples[i].heap = 60 + mib(200 * samples[i].frames);
  }
  const Growth seen(samples, 0, bounds);
  ck_assert(seen.leaks);
}

TEST(nothing_to_judge) {
  for (const size_t count : {0, 1, 3}) {
    const std::vector<Sample> samples(count);
    ck_assert(Growth(samples, 0, bounds).heap_per_frame == 0);
  }
  const std::vector<Sample> same(9);
  ck_assert(Growth(same, 0, bounds).heap_per_frame == 0 &&
            Growth(same, 0, bounds).heap_per_pipeline == 0);
}

TEST(one_high_sample) {
  std::vector<Sample> samples(6);
  for (size_t i = 0; i < samples.size(); i++) {
    samples[i].seconds = 4. * static_cast<double>(i);
    samples[i].heap = 60 + 4. * static_cast<double>(i);
  }
  ck_assert(std::abs(Growth(samples, 0, bounds).heap - 20) < 1e-9);
  for (Sample &sample : samples) sample.heap = 60;
  samples.back().heap = 120;  // a compiler is still at work
  ck_assert(Growth(samples, 0, bounds).heap == 0);
}

// A linker of a compiler, which uses no time of this process.
TEST(a_child_is_waited_for) {
  const pid_t child = fork();
  if (child == 0) {
    usleep(600000);
    _exit(0);
  }
  measure(std::chrono::steady_clock::now());
  ck_assert_msg(waitpid(child, nullptr, WNOHANG) == child, "it still runs");
}
