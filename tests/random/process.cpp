// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <thread>
#include <type_traits>

namespace {

int entries(const char *folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// The median of the slopes between all pairs, so that single samples count little: the memory of a
/// compiler that still runs is gone by the next one.
template <class Value>
double rise(const std::vector<Sample> &samples, Value Sample::*value) {
  if (samples.size() < 5) return 0;
  std::vector<double> slopes;
  for (size_t one = 0; one < samples.size(); one++)
    for (size_t two = one + 1; two < samples.size(); two++)
      slopes.push_back((samples[two].*value - samples[one].*value) /
                       (samples[two].seconds - samples[one].seconds));
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle * (samples.back().seconds - samples.front().seconds);
}

/// Sums over samples, for a straight line through their heap over their frames.
struct Sums {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

  Sums operator-(const Sums &other) const {
    return {n - other.n, x - other.x, y - other.y, xx - other.xx, xy - other.xy, yy - other.yy};
  }
  // About the mean.
  double spread() const { return xx - x * x / n; }
  double slant() const { return xy - x * y / n; }
  double height() const { return yy - y * y / n; }
};

/// The slope of three pieces of straight lines that fit best, so that two steps do not count; less
/// three times its standard error, so that noise does not count. Less than a quarter of a MiB in
/// all does not count either, since caches fill slowly.
double rise_a_frame(const std::vector<Sample> &samples) {
  constexpr size_t least = 3;     // samples in a piece
  constexpr double unknowns = 6;  // three heights, one slope, two places
  if (samples.size() < 3 * least) return 0;
  std::vector<Sums> sums(1);
  for (const Sample &s : samples) {
    const double x = s.frames - samples.front().frames, y = s.heap - samples.front().heap;
    const Sums &to = sums.back();
    sums.push_back({to.n + 1, to.x + x, to.y + y, to.xx + x * x, to.xy + x * y, to.yy + y * y});
  }
  double best = std::numeric_limits<double>::max(), slope = 0, error = 0;
  for (size_t one = least; one + 2 * least <= samples.size(); one++)
    for (size_t two = one + least; two + least <= samples.size(); two++) {
      const Sums pieces[] = {sums[one], sums[two] - sums[one], sums.back() - sums[two]};
      double spread = 0, slant = 0, height = 0;
      for (const Sums &piece : pieces)
        spread += piece.spread(), slant += piece.slant(), height += piece.height();
      if (spread <= 0 || height - slant * slant / spread >= best) continue;
      best = height - slant * slant / spread;
      slope = slant / spread;
      error = std::sqrt(std::max(0., best) / (sums.back().n - unknowns) / spread);
    }
  const double sure = slope - 3 * error;
  return sure * (samples.back().frames - samples.front().frames) < .25 ? 0 : sure * (1 << 20);
}

/// Waits, for a minute at most, until no thread works any more: a compiler without a waiting thread
/// goes on in the background, with some 100 MiB of heap.
void wait_until_idle() {
  constexpr std::chrono::milliseconds pause(100);
  constexpr double idle = 0.005;  // s of processor time in such a pause
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  for (double before = -1, now = used(); now - before > idle; now = used()) {
    if (std::chrono::steady_clock::now() > end) return;
    before = now;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

/// Prints the stacks of the process $1; those of drivers' idle threads are left out.
const char *const stacks = R"(
command -v gdb >/dev/null || exec eu-stack -p "$1"
gdb -p "$1" -batch -nx -ex 'set debuginfod enabled off' -ex 'thread apply all backtrace 80' 2>&1 |
  awk 'BEGIN { RS = ""; ORS = "\n\n" }
       !/util_queue_thread_func|lp_cs_tpool_worker|mpmc::Receiver|llvmpipe-[0-9]/ { print }'
)";

void print_stacks() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const std::string pid = std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("LD_PRELOAD");
    unsetenv("LD_LIBRARY_PATH");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execlp("sh", "sh", "-c", stacks, "stacks", pid.c_str(), nullptr);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
}

Sample measure(std::chrono::steady_clock::time_point start, double frames) {
  wait_until_idle();
  malloc_trim(0);  // what the allocator keeps for later is no growth
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20),
          entries("/proc/self/fd"),
          entries("/proc/self/task"),
          frames};
}

Growth::Growth(const std::vector<Sample> &samples, double seconds) {
  std::vector<Sample> judged;
  for (const Sample &s : samples)
    if (s.seconds >= seconds) judged.push_back(s);
  if (!judged.empty()) minutes = (judged.back().seconds - judged.front().seconds) / 60;
  rss = rise(judged, &Sample::rss);
  heap = rise(judged, &Sample::heap);
  fds = rise(judged, &Sample::fds);
  threads = rise(judged, &Sample::threads);
  heap_a_frame = rise_a_frame(judged);
}

bool parse(int argc, char **argv, const std::vector<Option> &options) {
  for (int i = 1; i < argc; i++) {
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option &one) { return one.name == argv[i]; });
    if (option == options.end()) return false;
    if (bool *const *flag = std::get_if<bool *>(&option->value)) {
      **flag = true;
      continue;
    }
    if (++i == argc) return false;
    std::visit(
        [&](auto *value) {
          if constexpr (std::is_same_v<decltype(value), std::string *>)
            *value = argv[i];
          else
            std::istringstream(argv[i]) >> *value;
        },
        option->value);
  }
  return true;
}
