// SPDX-License-Identifier: LGPL-2.1-or-later
// Random chains of our elements, one after the other, as hostile as an application can be: odd
// sizes, properties at their limits and set while playing, seeks, flushes, stops at any moment,
// caps that change, metas mapped late; tests/fuzz.sh sets the environment.
//
// Run n of `--seed S` is run 1 of `--seed S+n-1`: all that it makes and does follows from its seed
// alone, apart from the timing of threads. A run that fails is told with the command that repeats
// it.
//
// What fails: a crash, a call that does not return, a critical log line, an error message for no
// allowed cause (run.cpp lists them), an element of ours that outlives its pipeline, growth. What
// GStreamer 1.22 does not survive (tests/soak/main.cpp) is left out, but stops come at any moment:
// the critical log lines and GL contexts that this costs beside GStreamer's own elements are
// counted, and where those abort the program goes on with the next seed.
#include <dlfcn.h>
#include <execinfo.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "glcontexts.h"
#include "options.h"
#include "run.h"
#include "soak/faults.h"
#include "soak/process.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

Options options;
std::atomic<bool> failed{false};
std::atomic<uint64_t> all_frames{0}, all_maps{0}, all_settings{0}, all_signals{0}, all_children{0},
    all_swaps{0}, all_syncs{0}, all_errors{0}, all_strangers{0};

namespace {

using Clock = std::chrono::steady_clock;

std::mutex mutex;  // of the two below
Run *running = nullptr;
int seed_now = 0;

std::vector<std::string> all_arguments;
const Clock::time_point begin = Clock::now();

/// How to repeat the run.
std::string again() {
  return options.again + (options.one_display ? " --one-display" : "") +
         (options.any_error ? " --any-error" : "") + (options.faults ? " --faults" : "") +
         " --elements " + options.elements + " --seed " + std::to_string(seed_now) +
         " --runs 1 --verbose";
}

void describe_run() {
  std::fprintf(stderr, "again: %s\n", again().c_str());
  if (running)
    std::fprintf(stderr, "in: %s\nafter: %s\n", running->description().c_str(),
                 running->history().c_str());
}

[[noreturn]] void on_signal(int number) {
  std::signal(number, SIG_DFL);
  std::signal(SIGABRT, SIG_DFL);
  std::fprintf(stderr, "fuzz: signal %d\n", number);
  describe_run();
  print_stacks();
  std::abort();
}

/// A sanitizer reports crashes itself, and before it ends the program the run is told.
void watch_for_crashes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_set_death_callback(describe_run);
  std::signal(SIGABRT, on_signal);
#else
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    std::signal(number, on_signal);
#endif
}

void watch(const std::atomic<bool> &over) {
  while (!over) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const std::lock_guard lock(mutex);
    if (!running || running->silence() < options.hang) continue;
    std::fprintf(stderr, "fuzz: the last step has taken %d s\n", options.hang);
    std::raise(SIGABRT);
  }
}

/// Whether the innermost frames, below those that log, are of our plugin.
bool is_ours(void *const *stack, int depth) {
  int own = 0;  // of this program and of what logs
  for (int i = 0; i < depth && i < own + 4; i++) {
    Dl_info info;
    const char *name = dladdr(stack[i], &info) && info.dli_fname ? info.dli_fname : "";
    if (std::strstr(name, "libgstglcl")) return true;
    if (std::strstr(name, "libglib") || std::strstr(name, "libasan") || std::strstr(name, "/fuzz"))
      own = i + 1;
  }
  return false;
}

/// Critical log lines that GStreamer 1.22 writes without any element of ours.
bool is_known(const char *text) {
  static const char *const known[] = {
      // An element negotiates while its neighbours lose the GL context to a stop.
      "gst_gl_context_thread_add: assertion 'GST_IS_GL_CONTEXT (context)' failed",
      "gst_object_ref: assertion 'object != NULL' failed",
      // videotestsrc after a seek
      "gst_object_sync_values: assertion 'GST_CLOCK_TIME_IS_VALID (timestamp)' failed",
  };
  return std::any_of(std::begin(known), std::end(known),
                     [&](const char *line) { return std::strstr(text, line); });
}

/// What GStreamer's own GL filters write before they abort: asked for a pool while they stop, they
/// make one for no GL context.
bool is_fatal(const char *text) {
  return std::strstr(text,
                     "gst_gl_memory_allocator_get_default: assertion "
                     "'GST_IS_GL_CONTEXT (context)' failed");
}

/// Starts this program anew with the seed after this one, for the time that is left.
void start_over() {
  const int done = seed_now - options.seed + 1;
  std::printf("fuzz: GStreamer's own elements abort at seed %d; on with the next\n", seed_now);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  std::vector<std::string> arguments = all_arguments;
  for (const auto &[name, value] :
       {std::pair{"--seed", std::to_string(seed_now + 1)},
        {"--runs", std::to_string(options.runs - done)},
        {"--minutes", std::to_string(std::max(options.minutes - gone.count() / 60, 0.01))}}) {
    arguments.push_back(name);
    arguments.push_back(value);
  }
  std::vector<char *> pointers;
  for (std::string &argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
}

void on_log(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer) {
  if (!(level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))) return;
  void *stack[32];
  const int depth = backtrace(stack, 32);
  if (!is_ours(stack, depth) && is_fatal(text) && seed_now - options.seed + 1 < options.runs)
    start_over();
  if (!is_ours(stack, depth) && is_known(text)) {
    all_strangers++;
    return;
  }
  complain(std::string("critical: ") + (domain ? domain : "") + ": " + text);
  backtrace_symbols_fd(stack, depth, 2);
}

/// GStreamer loses a GL context in one of some thirty runs; an element of ours that kept them would
/// lose many more.
bool loses_too_many(size_t lost, size_t runs) { return lost > 3 + runs / 10; }

bool verdict(const std::vector<Sample> &samples, size_t runs, uint64_t faults, size_t lost) {
  const double all = samples.empty() ? 0 : samples.back().seconds;
  const Growth growth(samples, std::min(180.0, all / 3));  // caches fill at first
  const bool good = !failed &&
                    (runs < 10 || (all_frames > 0 && (!options.faults || faults >= runs / 4))) &&
                    !loses_too_many(lost, runs) && growth.within(options.limit, options.heap_limit);
  std::printf(
      "fuzz: seeds %d to %d, %.1f min, %llu frames, %llu settings, %llu of children, %llu signals, "
      "%llu swaps, %llu in sync handlers, %llu faults, %llu maps, %llu errors as due, "
      "%llu faults of GStreamer's own, %zu GL contexts lost; %+.1f MiB (bound %.0f), "
      "heap "
      "%+.1f MiB (bound "
      "%.0f), "
      "%+.1f fds, %+.1f threads: %s\n",
      options.seed, options.seed + static_cast<int>(runs) - 1, all / 60,
      static_cast<unsigned long long>(all_frames), static_cast<unsigned long long>(all_settings),
      static_cast<unsigned long long>(all_children), static_cast<unsigned long long>(all_signals),
      static_cast<unsigned long long>(all_swaps), static_cast<unsigned long long>(all_syncs),
      static_cast<unsigned long long>(faults), static_cast<unsigned long long>(all_maps),
      static_cast<unsigned long long>(all_errors), static_cast<unsigned long long>(all_strangers),
      lost, growth.rss, options.limit, growth.heap, options.heap_limit, growth.fds, growth.threads,
      good ? "passed" : "FAILED");
  return good;
}

}  // namespace

void complain(const std::string &what) {
  failed = true;
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  describe_run();
}

int main(int argc, char **argv) {
  all_arguments.assign(argv, argv + argc);
  const std::vector<Option> allowed{{"--minutes", &options.minutes},
                                    {"--seed", &options.seed},
                                    {"--runs", &options.runs},
                                    {"--hang", &options.hang},
                                    {"--every", &options.every},
                                    {"--limit", &options.limit},
                                    {"--heap-limit", &options.heap_limit},
                                    {"--elements", &options.elements},
                                    {"--any-error", &options.any_error},
                                    {"--faults", &options.faults},
                                    {"--picture", &options.picture},
                                    {"--one-display", &options.one_display},
                                    {"--again", &options.again},
                                    {"--verbose", &options.verbose}};
  if (!parse(argc, argv, allowed) || options.minutes <= 0) {
    std::fprintf(
        stderr,
        "fuzz [--minutes M] [--seed S] [--runs N] [--hang SECONDS] [--every SECONDS]\n"
        "     [--limit MIB] [--heap-limit MIB] [--elements A,B] [--any-error] "
        "[--faults]\n     [--picture FILE] [--one-display] [--again COMMAND] [--verbose]\n");
    return 2;
  }
  if (!options.seed) options.seed = static_cast<int>(std::random_device()() % 1000000 + 1);
  watch_for_crashes();
  g_log_set_default_handler(on_log, nullptr);
  gst_init(nullptr, nullptr);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("fuzz: from seed %d on, %.2f min\n", options.seed, options.minutes);

  std::atomic<bool> over{false};
  std::thread watcher(watch, std::cref(over));
  const auto start = Clock::now();
  std::vector<Sample> samples;
  GstGLDisplay *display = gst_gl_display_new();
  double told = 0;
  size_t runs = 0, known = 0, lost = 0;
  uint64_t faults = 0;
  options.any_error = options.any_error || options.faults;
  while (!failed && runs < static_cast<size_t>(options.runs)) {
    {
      Random random({options.seed + static_cast<int>(runs), 3});
      if (options.faults) faults = plan_faults(random.chance(10) ? nullptr : &random);
      Run run(options.seed + static_cast<int>(runs), display);
      std::unique_lock lock(mutex);
      seed_now = options.seed + static_cast<int>(runs);
      running = &run;
      lock.unlock();
      run.drive();
      lock.lock();
      running = nullptr;
    }
    runs++;
    const size_t left = threads_of_gl_contexts(known);
    if (left > known) {
      lost++;
      samples.clear();  // what GStreamer lost is no growth of ours
    }
    known = left;
    samples.push_back(measure(start));
    const Sample &now = samples.back();
    if (now.seconds - told >= options.every) {
      told = now.seconds;
      std::printf(
          "%6.1f min %6zu runs %8llu frames %7.1f MiB, heap %6.1f MiB %4d fds %3d threads\n",
          now.seconds / 60, runs, static_cast<unsigned long long>(all_frames), now.rss, now.heap,
          now.fds, now.threads);
    }
    if (now.seconds >= options.minutes * 60) break;
  }
  gst_object_unref(display);
  over = true;
  watcher.join();
  return verdict(samples, runs, faults, lost) ? 0 : 1;
}
