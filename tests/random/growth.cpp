// SPDX-License-Identifier: LGPL-2.1-or-later
// A leak is growth; noise and caches that fill are not.
#include <cmath>
#include <functional>

#include "cases.h"
#include "process.h"
#include "random.h"

namespace {

/// Two minutes of rounds of random length at a rate, with this on the heap (MiB) after so many
/// seconds and frames, and the noise that is seen without any leak.
Growth growth(const std::function<double(double seconds, double frames)> &heap, double rate,
              int seed) {
  Random random({seed});
  std::vector<Sample> samples;
  double seconds = 0, frames = 0;
  while (seconds < 120) {
    const double length = random.real(1, 6);
    seconds += length;
    frames += length * rate * random.real(.5, 1.5);
    Sample sample;
    sample.seconds = seconds;
    sample.frames = frames;
    sample.heap = 60 + heap(seconds, frames) + random.real(-.1, .1);
    samples.push_back(sample);
  }
  return {samples, 40};
}

double mib(double bytes) { return bytes / (1 << 20); }

}  // namespace

TEST_EACH(a_leak_is_seen, 1, 101) {
  const double leak =
      growth([](double, double frames) { return mib(150 * frames); }, 400, __i__).heap_a_frame;
  ck_assert_msg(leak > 50 && leak < 170, "a leak of 150 bytes a frame is told as %g", leak);
}

TEST_EACH(other_growth_is_none, 1, 101) {
  const std::function<double(double, double)> all[] = {
      [](double, double) { return 0.; },
      // A program that is compiled late, and stays.
      [&](double seconds, double) { return seconds > 40 + __i__ % 80 ? 3. : 0.; },
      // Caches that fill.
      [](double seconds, double) { return -8 * std::exp(-seconds / 10); },
      // Memory that is dropped at last.
      [](double seconds, double) { return seconds > 100 ? -2. : 0.; },
      // Less than the bound.
      [](double, double frames) { return mib(20 * frames); }};
  for (const auto &heap : all)
    for (const double rate : {1, 20, 400}) {
      const double leak = growth(heap, rate, __i__).heap_a_frame;
      ck_assert_msg(leak < 50, "at %g frames/s, growth that is none is told as %g bytes a frame",
                    rate, leak);
    }
}

TEST(nothing_to_judge) {
  for (const size_t count : {0, 1, 3}) {
    const std::vector<Sample> samples(count);
    ck_assert(Growth(samples, 0).heap_a_frame == 0);
  }
  const std::vector<Sample> same(9);
  ck_assert(Growth(same, 0).heap_a_frame == 0);
}

TEST(one_high_sample) {
  std::vector<Sample> samples(6);
  for (size_t i = 0; i < samples.size(); i++) {
    samples[i].seconds = 4. * static_cast<double>(i);
    samples[i].heap = 60 + 4. * static_cast<double>(i);
  }
  ck_assert(std::abs(Growth(samples, 0).heap - 20) < 1e-9);
  for (Sample &sample : samples) sample.heap = 60;
  samples.back().heap = 120;  // a compiler is still at work
  ck_assert(Growth(samples, 0).heap == 0);
}
