// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <type_traits>

namespace {

int entries(const char *folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

template <class Value>
double rise(const std::vector<Sample> &samples, Value Sample::*value) {
  if (samples.size() < 3) return 0;
  double t = 0, v = 0, tt = 0, tv = 0;
  for (const Sample &s : samples) t += s.seconds, v += s.*value;
  t /= static_cast<double>(samples.size()), v /= static_cast<double>(samples.size());
  for (const Sample &s : samples)
    tt += (s.seconds - t) * (s.seconds - t), tv += (s.seconds - t) * (s.*value - v);
  return tv / tt * (samples.back().seconds - samples.front().seconds);
}

}  // namespace

void print_stacks() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const std::string pid = std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("LD_PRELOAD");
    unsetenv("LD_LIBRARY_PATH");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execlp("gdb", "gdb", "-p", pid.c_str(), "-batch", "-nx", "-ex", "set debuginfod enabled off",
           "-ex", "thread apply all backtrace 40", nullptr);
    execlp("eu-stack", "eu-stack", "-p", pid.c_str(), nullptr);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
}

Sample measure(std::chrono::steady_clock::time_point start) {
  malloc_trim(0);  // what the allocator keeps for later is no growth
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20), entries("/proc/self/fd"),
          entries("/proc/self/task")};
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
