// SPDX-License-Identifier: LGPL-2.1-or-later
// Random pipelines of our elements for a given time, with memory watched; tests/soak.sh sets the
// environment.
//
// The time is a row of rounds. A round runs one to three pipelines at once: each has a driver
// thread that seeks, flushes, changes caps and cycles states, and a second one that sets and reads
// properties, those of
// children too, and emits signals; a fresh element takes the place of another one. Between rounds,
// with every pipeline gone, memory, file descriptors and threads are counted. In a part of the
// rounds calls of OpenCL fail, and what ends with an error then has done well. What round n makes
// and does follows from the seed and n alone, apart from the timing of threads: `--seed S
// --first-round N` repeats it.
//
// What GStreamer 1.22 does not survive by itself is left out, as `--elements gleffects` showed
// (pipelines without any element of ours):
//   gltestsrc loses its segment at a second seek;
//   leaving PAUSED during negotiation takes the GL context from under an allocation query;
//   gldownload that passes textures on, and so does nothing, loses its GL context;
//   appsink fails at seeks and flushes while somebody holds one of its samples;
//   a tee with a seek through both branches, or a pause during negotiation, can stop;
//   a state change or an end of stream before the last state change is done can stop;
//   pattern=ball of videotestsrc writes past frames that are smaller than the ball.
#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "faults.h"
#include "pipeline.h"
#include "process.h"

Options options;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Seconds of the whole run, of which the first are not judged: caches fill.
double run_time() { return options.minutes * 60; }
double warm_up() { return std::min(180.0, run_time() / 3); }

std::atomic<int> round_now{0};

unsigned long long number(uint64_t count) { return count; }

std::mutex live_mutex;
std::list<Pipeline *> live;

[[noreturn]] void on_signal(int number) {
  std::signal(number, SIG_DFL);
  std::signal(SIGABRT, SIG_DFL);
  std::fprintf(stderr, "soak: signal %d in round %d, seed %d\n", number, round_now.load(),
               options.seed);
  for (Pipeline *pipeline : live)
    std::fprintf(stderr, "in: %s\nafter: %s\n", pipeline->description().c_str(),
                 pipeline->history().c_str());
  print_stacks();
  std::abort();
}

void watch(const std::atomic<bool> &over) {
  while (!over) {
    std::this_thread::sleep_for(milliseconds(500));
    const std::lock_guard lock(live_mutex);
    for (Pipeline *pipeline : live) {
      if (pipeline->silence() < options.hang) continue;
      std::fprintf(stderr, "soak: no frame for %d s\n", options.hang);
      std::raise(SIGABRT);
    }
  }
}

/// Calls of OpenCL that failed so far.
uint64_t all_faults = 0;

/// Runs the pipelines of one round to their end. Gives their number.
int run_round(int round, GstGLDisplay *display) {
  Random random({options.seed, round, -1, 0});
  const bool faulty = random.chance(options.faults);
  if (options.faults) all_faults = plan_faults(faulty ? &random : nullptr);
  const int count = random.between(1, options.at_once);
  std::list<Pipeline> pipelines;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    Pipeline &pipeline = pipelines.emplace_back(
        round, i, random.chance(60) || options.one_display ? display : nullptr, faulty);
    const std::lock_guard lock(live_mutex);
    live.push_back(&pipeline);
  }
  for (Pipeline &pipeline : pipelines) {
    threads.emplace_back(&Pipeline::drive, &pipeline);
    threads.emplace_back(&Pipeline::tinker, &pipeline);
  }
  for (std::thread &thread : threads) thread.join();
  if (options.faults) all_faults = plan_faults(nullptr);
  const std::lock_guard lock(live_mutex);
  live.clear();
  return count;
}

/// Whether calls failed and elements were swapped, in a run long enough.
bool was_hostile(size_t rounds) {
  constexpr size_t enough = 15;
  return rounds < enough || ((!options.faults || all_faults) && all_swaps);
}

bool verdict(const std::vector<Sample> &samples, int pipelines) {
  const Growth growth(samples, warm_up());
  const double limit = options.limit + growth.minutes * options.limit_a_minute;
  const bool good = !failed && all_frames > 0 && was_hostile(samples.size()) &&
                    growth.within(limit, options.heap_limit) &&
                    growth.heap_a_frame <= options.limit_a_frame;
  std::printf(
      "soak: seed %d, %.1f min, %zu rounds, %d pipelines, %llu frames, %llu swaps, %llu signals, "
      "%llu settings of children, %llu in sync handlers, %llu faults, %llu errors as due; in %.1f "
      "min after the warm-up "
      "%+.1f MiB (bound %.1f; heap %+.1f, bound %.0f; %.0f bytes a frame, bound %.0f), %+.1f fds, "
      "%+.1f threads: %s\n",
      options.seed, samples.empty() ? 0 : samples.back().seconds / 60, samples.size(), pipelines,
      number(all_frames), number(all_swaps), number(all_signals), number(all_children),
      number(all_syncs), number(all_faults), number(all_errors), growth.minutes, growth.rss, limit,
      growth.heap, options.heap_limit, growth.heap_a_frame, options.limit_a_frame, growth.fds,
      growth.threads, good ? "passed" : "FAILED");
  return good;
}

}  // namespace

int main(int argc, char **argv) {
  const std::vector<Option> known{{"--minutes", &options.minutes},
                                  {"--seed", &options.seed},
                                  {"--first-round", &options.first_round},
                                  {"--at-once", &options.at_once},
                                  {"--hang", &options.hang},
                                  {"--every", &options.every},
                                  {"--limit", &options.limit},
                                  {"--limit-a-frame", &options.limit_a_frame},
                                  {"--leak", &options.leak},
                                  {"--faults", &options.faults},
                                  {"--picture", &options.picture},
                                  {"--elements", &options.elements},
                                  {"--one-display", &options.one_display},
                                  {"--verbose", &options.verbose}};
  if (!parse(argc, argv, known) || options.minutes <= 0 || options.at_once < 1) {
    std::fprintf(stderr,
                 "soak [--minutes M] [--seed S] [--first-round N] [--at-once PIPELINES]\n"
                 "     [--hang SECONDS] [--every SECONDS] [--limit MIB]\n"
                 "     [--limit-a-frame BYTES] [--leak BYTES] [--faults PERCENT] [--picture FILE]\n"
                 "     [--elements A,B] [--one-display] [--verbose]\n");
    return 2;
  }
  if (!options.seed) options.seed = static_cast<int>(std::random_device()() % 1000000 + 1);
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    std::signal(number, on_signal);
  g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
  gst_init(nullptr, nullptr);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("soak: seed %d, %.2f min, warm-up %.0f s\n", options.seed, options.minutes,
              warm_up());

  std::atomic<bool> over{false};
  std::thread watcher(watch, std::cref(over));
  const auto start = Clock::now();
  std::vector<Sample> samples;
  GstGLDisplay *display = gst_gl_display_new();
  int pipelines = 0;
  double told = 0;
  for (int round = options.first_round; !failed; round++) {
    round_now = round;
    pipelines += run_round(round, display);
    samples.push_back(measure(start, static_cast<double>(all_frames)));
    const Sample &now = samples.back();
    if (now.seconds - told >= options.every) {
      told = now.seconds;
      std::printf(
          "%6.1f min %6d pipelines %8llu frames %7.1f MiB, heap %7.2f MiB %4d fds %3d threads\n",
          now.seconds / 60, pipelines, static_cast<unsigned long long>(all_frames.load()), now.rss,
          now.heap, now.fds, now.threads);
    }
    if (now.seconds >= run_time()) break;
  }
  gst_object_unref(display);
  over = true;
  watcher.join();
  return verdict(samples, pipelines) ? 0 : 1;
}
