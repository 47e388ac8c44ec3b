// SPDX-License-Identifier: LGPL-2.1-or-later
// Random pipelines of our elements for a given time, with memory watched, in one of two mixes;
// tests/random/random.sh sets the environment.
//
//   soak  one to three pipelines at once, as applications play them: what they start they wait for.
//         The process must not grow, nor the heap with each frame.
//   fuzz  one pipeline after the other, as hostile as an application can be: odd sizes, properties
//         at their limits and set while playing, stops at any moment, metas mapped late.
//
// The time is a row of rounds. Each pipeline has a driver that seeks, flushes, changes caps, cycles
// states and swaps elements, and a thread that sets properties, those of children too, and emits
// signals. Between rounds, with every pipeline gone, memory, file descriptors and threads are
// counted. In a part of the rounds calls of OpenCL fail, and what ends with an error then has done
// well. Round n of `--seed S` is round 1 of `--seed S+n-1`: all that it makes and does follows from
// its seed alone, apart from the timing of threads. A failure is reported with the command that
// repeats it.
//
// Failures are a crash, a call that does not return, a critical log line, an error message without
// a due cause, a gst-glcl element that outlives its pipeline, and growth.
//
// The program does not do the things that GStreamer 1.22 does not survive by itself, as `soak
// --elements gleffects` showed (pipelines without any gst-glcl element):
//   gltestsrc loses its segment at a second seek;
//   leaving PAUSED during negotiation takes the GL context from under an allocation query;
//   gldownload that passes textures on, and so does nothing, loses its GL context;
//   appsink fails at seeks and flushes while somebody holds one of its samples;
//   a tee with a seek through both branches, or a pause during negotiation, can stop;
//   a state change or an end of stream before the last state change is done can stop;
//   pattern=ball of videotestsrc writes past frames that are smaller than the ball.
// But stops of a fuzz come at any moment: the critical log lines and GL contexts that this costs
// beside GStreamer's own elements are counted, and where those abort, the program goes on with the
// next seed.
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
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "faults.h"
#include "fuzz.h"
#include "glcontexts.h"
#include "options.h"
#include "process.h"
#include "soak.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

Options options;
std::atomic<bool> failed{false};
std::atomic<uint64_t> all_frames{0}, all_pipelines{0}, all_maps{0}, all_settings{0}, all_signals{0},
    all_children{0}, all_swaps{0}, all_syncs{0}, all_errors{0}, all_gstreamer_faults{0};

namespace {

using Clock = std::chrono::steady_clock;

std::mutex mutex;  // of the next
std::vector<std::unique_ptr<Session>> sessions;
int seed_now = 0;
uint64_t all_faults = 0;

const char *mix() { return options.fuzz ? "fuzz" : "soak"; }

std::vector<std::string> all_arguments;
const Clock::time_point begin = Clock::now();

/// How to repeat the round.
std::string rerun_command() {
  return options.command + (options.one_display ? " --one-display" : "") +
         (options.any_error ? " --any-error" : "") + " --faults " + std::to_string(options.faults) +
         " --elements " + options.elements + " --seed " + std::to_string(seed_now) +
         " --runs 1 --verbose";
}

void describe_round() {
  std::fprintf(stderr, "again: %s\n", rerun_command().c_str());
  for (const auto &session : sessions)
    std::fprintf(stderr, "in: %s\nafter: %s\n", session->description().c_str(),
                 session->history().c_str());
}

[[noreturn]] void on_signal(int number) {
  std::signal(number, SIG_DFL);
  std::signal(SIGABRT, SIG_DFL);
  std::fprintf(stderr, "%s: signal %d\n", mix(), number);
  describe_round();
  print_stacks();
  std::abort();
}

/// A sanitizer reports crashes itself; before it ends the program, the round is printed.
void watch_for_crashes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_set_death_callback(describe_round);
  std::signal(SIGABRT, on_signal);
#else
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    std::signal(number, on_signal);
#endif
}

void watch(const std::atomic<bool> &stopped) {
  while (!stopped) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const std::lock_guard lock(mutex);
    for (const auto &session : sessions) {
      if (session->silence() < options.hang) continue;
      std::fprintf(stderr, "%s: nothing has happened for %d s\n", mix(), options.hang);
      std::raise(SIGABRT);
    }
  }
}

/// True if the innermost frames, below those that log, are of our plugin.
bool is_ours(void *const *stack, int depth) {
  int own = 0;  // of this program and of what logs
  for (int i = 0; i < depth && i < own + 4; i++) {
    Dl_info info;
    const char *name = dladdr(stack[i], &info) && info.dli_fname ? info.dli_fname : "";
    if (std::strstr(name, "libgstglcl")) return true;
    if (std::strstr(name, "libglib") || std::strstr(name, "libasan") ||
        std::strstr(name, "/random-pipelines"))
      own = i + 1;
  }
  return false;
}

/// Critical log lines that GStreamer 1.22 writes without any gst-glcl element.
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

/// True for the line that GStreamer's own GL filters write before they abort: asked for a pool
/// while they stop, they make one for no GL context.
bool is_fatal(const char *text) {
  return std::strstr(text,
                     "gst_gl_memory_allocator_get_default: assertion "
                     "'GST_IS_GL_CONTEXT (context)' failed");
}

/// Starts this program anew with the seed after this one, for the time that is left.
void start_over() {
  const int done = seed_now - options.seed + 1;
  std::printf("random-pipelines: GStreamer's own elements abort at seed %d; on with the next\n",
              seed_now);
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  std::vector<std::string> arguments = all_arguments;
  for (const auto &[name, value] :
       {std::pair{"--seed", std::to_string(seed_now + 1)},
        {"--runs", std::to_string(options.runs - done)},
        {"--minutes", std::to_string(std::max(options.minutes - elapsed.count() / 60, 0.01))}}) {
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
  const bool from_gstreamer = options.fuzz && !is_ours(stack, depth);
  if (from_gstreamer && is_fatal(text) && seed_now - options.seed + 1 < options.runs) start_over();
  if (from_gstreamer && is_known(text)) {
    all_gstreamer_faults++;
    return;
  }
  report_failure(std::string("critical: ") + (domain ? domain : "") + ": " + text);
  backtrace_symbols_fd(stack, depth, 2);
}

/// GStreamer loses a GL context in one of some thirty runs; a gst-glcl element that kept them would
/// lose many more.
bool loses_too_many(size_t lost, size_t runs) { return lost > 3 + runs / 10; }

/// MiB that a lost GL context keeps: its OpenCL context loads PoCL's library of built-in functions
/// when it first compiles a program, perhaps many rounds later, and keeps it until it ends.
constexpr double kept_by_lost = 110;

unsigned long long number(uint64_t count) { return count; }

/// Seconds at the beginning that are not judged: caches fill.
double warm_up(double all) { return std::min(180.0, all / 3); }

/// Why the rounds tested too little; empty if they tested enough. How often a planned call is
/// reached depends on the machine's speed, so one failed call is enough.
const char *shortcoming(size_t rounds) {
  if (rounds < (options.fuzz ? 10 : 15)) return all_frames || options.fuzz ? "" : "no frame came";
  if (!all_frames) return "no frame came";
  if (options.faults && !all_faults) return "no OpenCL call failed";
  return options.fuzz || all_swaps ? "" : "no element was swapped";
}

bool verdict(const std::vector<Sample> &samples, size_t rounds, size_t lost) {
  const double all = samples.empty() ? 0 : samples.back().seconds;
  const Growth growth(samples, warm_up(options.fuzz ? all : options.minutes * 60),
                      {options.limit_per_frame, options.limit_per_pipeline * 1e3});
  const double limit = options.limit + growth.minutes * options.limit_per_minute +
                       kept_by_lost * static_cast<double>(lost);
  const double heap_limit =
      options.heap_limit + growth.pipelines * options.limit_per_pipeline * 1e3 / (1 << 20);
  const double most_fds =
      16.0 * static_cast<double>(1 + lost);  // a lost context keeps its dma-bufs
  const char *fault = shortcoming(rounds);
  if (failed)
    fault = "a failure above";
  else if (loses_too_many(lost, rounds))
    fault = "too many GL contexts lost";
  else if (!growth.within(limit, heap_limit, most_fds))
    fault = "growth";
  std::printf(
      "%s: seeds %d to %d, %.1f min, %llu pipelines, %llu frames, %llu settings, %llu of children, "
      "%llu signals, "
      "%llu swaps, %llu in sync handlers, %llu faults, %llu maps, %llu errors as due, %llu faults "
      "of GStreamer's own, %zu GL contexts lost; in %.1f min after the warm-up %+.1f MiB (bound "
      "%.1f; heap %+.1f, bound %.0f; %.0f bytes a frame, bound %.0f; %.1f kB a pipeline, bound "
      "%.0f), %+.1f fds, %+.1f threads: "
      "%s%s\n",
      mix(), options.seed, options.seed + static_cast<int>(rounds) - 1, all / 60,
      number(all_pipelines), number(all_frames), number(all_settings), number(all_children),
      number(all_signals), number(all_swaps), number(all_syncs), number(all_faults),
      number(all_maps), number(all_errors), number(all_gstreamer_faults), lost, growth.minutes,
      growth.rss, limit, growth.heap, heap_limit, growth.heap_per_frame, options.limit_per_frame,
      growth.heap_per_pipeline / 1e3, options.limit_per_pipeline, growth.fds, growth.threads,
      *fault ? "FAILED: " : "passed", fault);
  return !*fault;
}

/// Runs the pipelines of one round to their end.
void run_round(GstGLDisplay *display) {
  Random random({seed_now, 3});
  const bool faulty = !random.chance(100 - options.faults);
  if (options.faults) all_faults = plan_faults(faulty ? &random : nullptr);
  const bool error_expected = faulty || options.any_error;
  for (int i = 0, count = options.fuzz ? 1 : random.between(1, options.max_pipelines); i < count;
       i++) {
    std::unique_ptr<Session> session;
    if (options.fuzz)
      session = std::make_unique<Fuzz>(seed_now, display, error_expected);
    else
      session = std::make_unique<Soak>(seed_now, i, display, error_expected);
    all_pipelines++;
    const std::lock_guard lock(mutex);
    sessions.push_back(std::move(session));
  }
  std::vector<std::thread> threads;
  for (const auto &session : sessions) threads.emplace_back(&Session::drive, session.get());
  for (std::thread &thread : threads) thread.join();
  if (options.faults) all_faults = plan_faults(nullptr);
  const std::lock_guard lock(mutex);
  sessions.clear();
}

/// The limits of a fuzz.
Options fuzz_options() {
  Options options;
  options.fuzz = true;
  options.hang = 120, options.print_interval = 30;
  options.limit = 96, options.heap_limit = 32;
  options.limit_per_minute = 0, options.limit_per_frame = options.limit_per_pipeline = 1e9;
  return options;
}

}  // namespace

void report_failure(const std::string &what) {
  failed = true;
  std::fprintf(stderr, "%s: %s\n", mix(), what.c_str());
  describe_round();
}

int main(int argc, char **argv) {
  limit_arenas();
  all_arguments.assign(argv, argv + argc);
  const std::string chosen = argc > 1 ? argv[1] : "";
  if (chosen == "fuzz") options = fuzz_options();
  const std::vector<Option> allowed{{"--minutes", &options.minutes},
                                    {"--seed", &options.seed},
                                    {"--runs", &options.runs},
                                    {"--at-once", &options.max_pipelines},
                                    {"--hang", &options.hang},
                                    {"--play", &options.play},
                                    {"--every", &options.print_interval},
                                    {"--limit", &options.limit},
                                    {"--heap-limit", &options.heap_limit},
                                    {"--limit-a-frame", &options.limit_per_frame},
                                    {"--limit-a-pipeline", &options.limit_per_pipeline},
                                    {"--leak", &options.leak},
                                    {"--leak-a-pipeline", &options.leak_per_pipeline},
                                    {"--faults", &options.faults},
                                    {"--elements", &options.elements},
                                    {"--any-error", &options.any_error},
                                    {"--picture", &options.picture},
                                    {"--one-display", &options.one_display},
                                    {"--again", &options.command},
                                    {"--verbose", &options.verbose}};
  if ((chosen != "fuzz" && chosen != "soak") || !parse(argc - 1, argv + 1, allowed) ||
      options.minutes <= 0 || options.max_pipelines < 1) {
    std::fprintf(
        stderr,
        "random-pipelines soak|fuzz [--minutes M] [--seed S] [--runs N] [--at-once PIPELINES]\n"
        "     [--hang SECONDS] [--play SECONDS] [--every SECONDS] [--limit MIB]\n"
        "     [--heap-limit MIB]\n"
        "     [--limit-a-frame BYTES] [--limit-a-pipeline KB] [--leak BYTES]\n"
        "     [--leak-a-pipeline BYTES] [--faults PERCENT] [--elements A,B]\n"
        "     [--any-error] [--picture FILE] [--one-display] [--again COMMAND] [--verbose]\n");
    return 2;
  }
  if (!options.seed) options.seed = static_cast<int>(std::random_device()() % 1000000 + 1);
  watch_for_crashes();
  g_log_set_default_handler(on_log, nullptr);
  gst_init(nullptr, nullptr);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("%s: from seed %d on, %.2f min\n", mix(), options.seed, options.minutes);

  std::atomic<bool> stopped{false};
  std::thread watcher(watch, std::cref(stopped));
  std::vector<Sample> samples;
  GstGLDisplay *display = gst_gl_display_new();
  double printed = 0;
  size_t rounds = 0, context_threads = 0, lost = 0;
  while (!failed && rounds < static_cast<size_t>(options.runs)) {
    seed_now = options.seed + static_cast<int>(rounds++);
    run_round(display);
    const size_t now_live = options.fuzz ? threads_of_gl_contexts(context_threads) : 0;
    if (now_live > context_threads) {
      lost++;
      samples.clear();  // contexts that GStreamer lost are not our growth
    }
    context_threads = now_live;
    samples.push_back(
        measure(begin, static_cast<double>(all_frames), static_cast<double>(all_pipelines)));
    const Sample &now = samples.back();
    if (now.seconds - printed >= options.print_interval) {
      printed = now.seconds;
      std::printf(
          "%6.1f min %6zu rounds %6llu pipelines %8llu frames %7.1f MiB, heap %7.2f MiB %4d fds "
          "%3d threads\n",
          now.seconds / 60, rounds, number(all_pipelines), number(all_frames), now.rss, now.heap,
          now.fds, now.threads);
    }
    if (now.seconds >= options.minutes * 60) break;
  }
  gst_object_unref(display);
  stopped = true;
  watcher.join();
  return verdict(samples, rounds, lost) ? 0 : 1;
}
