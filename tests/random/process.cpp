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

constexpr size_t least_in_piece = 3;  // samples
constexpr double least_excess = .5;   // MiB, since caches fill slowly

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

/// Numbers of a sample since the first one: frames x, pipelines z, and MiB of heap y.
struct Point {
  double x, z, y;
};

/// Sums over points, for a plane through y over x and z.
struct Sums {
  double n = 0, x = 0, z = 0, y = 0, xx = 0, xz = 0, zz = 0, xy = 0, zy = 0, yy = 0;

  Sums &operator+=(const Sums &other) {
    for (const auto member : members) this->*member += other.*member;
    return *this;
  }
  Sums operator-(const Sums &other) const {
    Sums difference = *this;
    for (const auto member : members) difference.*member -= other.*member;
    return difference;
  }
  static Sums of(const Point &p) {
    return {1, p.x, p.z, p.y, p.x * p.x, p.x * p.z, p.z * p.z, p.x * p.y, p.z * p.y, p.y * p.y};
  }
  /// The sums of products, about the means.
  Sums centred() const {
    return {n,
            0,
            0,
            0,
            xx - x * x / n,
            xz - x * z / n,
            zz - z * z / n,
            xy - x * y / n,
            zy - z * y / n,
            yy - y * y / n};
  }

 private:
  static constexpr double Sums::*members[] = {&Sums::n,  &Sums::x,  &Sums::z,  &Sums::y,
                                              &Sums::xx, &Sums::xz, &Sums::zz, &Sums::xy,
                                              &Sums::zy, &Sums::yy};
};

/// Growth in MiB per frame and per pipeline, and the squared differences that it leaves.
struct Slopes {
  double frame = 0, pipeline = 0, rest = std::numeric_limits<double>::max();
};

/// The plane through the sums about the means whose slopes are 0 to `most` and explain the heap
/// best: inside of these bounds, or on one of them.
Slopes plane(const Sums &s, const Slopes &most) {
  const auto clamped = [](double up, double down, double top) {
    return down > 0 ? std::clamp(up / down, 0., top) : 0;
  };
  Slopes best;
  const auto attempt = [&](double frame, double pipeline) {
    const double rest = s.yy - 2 * (frame * s.xy + pipeline * s.zy) + frame * frame * s.xx +
                        2 * frame * pipeline * s.xz + pipeline * pipeline * s.zz;
    if (rest < best.rest) best = {frame, pipeline, std::max(0., rest)};
  };
  for (const double frame : {0., most.frame})
    if (std::isfinite(frame)) attempt(frame, clamped(s.zy - frame * s.xz, s.zz, most.pipeline));
  for (const double pipeline : {0., most.pipeline})
    if (std::isfinite(pipeline))
      attempt(clamped(s.xy - pipeline * s.xz, s.xx, most.frame), pipeline);
  const double determinant = s.xx * s.zz - s.xz * s.xz;
  if (determinant > 1e-9 * s.xx * s.zz)
    attempt(clamped(s.xy * s.zz - s.zy * s.xz, determinant, most.frame),
            clamped(s.zy * s.xx - s.xy * s.xz, determinant, most.pipeline));
  return best;
}

/// The best of three pieces of planes with the same slopes, so that two steps do not count.
Slopes pieces(const std::vector<Sums> &sums, const Slopes &most) {
  Slopes best;
  const size_t count = sums.size() - 1;
  for (size_t one = least_in_piece; one + 2 * least_in_piece <= count; one++)
    for (size_t two = one + least_in_piece; two + least_in_piece <= count; two++) {
      Sums all = sums[one].centred();
      all += (sums[two] - sums[one]).centred();
      all += (sums.back() - sums[two]).centred();
      const Slopes slopes = plane(all, most);
      if (slopes.rest < best.rest) best = slopes;
    }
  return best;
}

/// True if another thread runs or waits for a processor or a disk, or a child process runs.
/// Compilers start linkers as children.
bool others_work() {
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) return true;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    std::string stat;
    std::getline(std::ifstream(task.path() / "stat"), stat);  // empty if the thread has ended
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= stat.size()) continue;
    const char state = stat[name_end + 2];
    if (state == 'R' || state == 'D') return true;
  }
  return false;
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
  for (double before = -1, now = used(); now - before > idle || others_work(); now = used()) {
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

void limit_arenas() { mallopt(M_ARENA_MAX, 2); }

Sample measure(std::chrono::steady_clock::time_point start, double frames, double pipelines) {
  wait_until_idle();
  malloc_trim(0);  // what the allocator keeps for later is no growth
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20),
          entries("/proc/self/fd"),
          entries("/proc/self/task"),
          frames,
          pipelines};
}

Growth::Growth(const std::vector<Sample> &samples, double seconds, const Bounds &bounds) {
  std::vector<Sample> judged;
  for (const Sample &s : samples)
    if (s.seconds >= seconds) judged.push_back(s);
  if (!judged.empty()) {
    minutes = (judged.back().seconds - judged.front().seconds) / 60;
    pipelines = judged.back().pipelines - judged.front().pipelines;
  }
  rss = rise(judged, &Sample::rss);
  heap = rise(judged, &Sample::heap);
  fds = rise(judged, &Sample::fds);
  threads = rise(judged, &Sample::threads);
  judge_heap(judged, bounds);
}

void Growth::judge_heap(const std::vector<Sample> &samples, const Bounds &bounds) {
  constexpr double unknowns = 7;  // three heights, two slopes, two places
  constexpr double infinite = std::numeric_limits<double>::infinity(), bytes = 1 << 20;
  if (samples.size() < 3 * least_in_piece) return;
  const Sample &first = samples.front(), &last = samples.back();
  std::vector<Sums> sums(1);
  for (const Sample &s : samples) {
    sums.push_back(sums.back());
    sums.back() +=
        Sums::of({s.frames - first.frames, s.pipelines - first.pipelines, s.heap - first.heap});
  }
  const Slopes free = pieces(sums, {infinite, infinite, 0});
  const Slopes bound = pieces(sums, {bounds.frame / bytes, bounds.pipeline / bytes, 0});
  heap_per_frame = free.frame * bytes;
  heap_per_pipeline = free.pipeline * bytes;
  const double excess = (free.frame - bound.frame) * (last.frames - first.frames) +
                        (free.pipeline - bound.pipeline) * (last.pipelines - first.pipelines);
  const double variance = free.rest / (static_cast<double>(samples.size()) - unknowns);
  leaks = excess > least_excess && bound.rest - free.rest > 9 * variance;
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
