// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the pipelines of a list again and again while OpenCL calls fail, many runs in a process, and
// compares each with a faultless run: a run that ends well must have given the same pixels, metas
// and messages, any other an error message that names the cause. A wrong message or meta is a fault
// even if an error follows. No run may leave anything behind.
//
//   runner table [--all | --sample N --seed S | --plan PLAN] [--first] [--run FRAMES] LIST [NAME…]
//   runner soak --frames N [--run FRAMES] [--one-in N] [--seed S] LIST [NAME…]
//
// `table` makes the first, a middle and the last call of each OpenCL function fail, or everything
// from some call on; all of them, or a sample of N for each pipeline; with --first in the first run
// of a process, which no later one may suffer from. `soak` lets calls fail at random until so many
// frames have come through, and counts descriptors, threads and memory. Pipelines run in a child
// process, so that a crash or a hang costs one run.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "child.h"
#include "worker.h"

using namespace runner;

namespace {

/// In the child: a line "begin PLAN" before each run and "end VERDICT" after it.
void work(const Scenario &scenario, size_t from) {
  g_setenv("GST_TRACERS", "leaks", TRUE);
  Worker worker(scenario, start_gstreamer());
  worker.prepare();
  const std::vector<std::string> plans = table(worker.calls());
  for (size_t i = from; i < plans.size(); i++) {
    std::printf("begin %s\n", plans[i].c_str());
    std::fflush(stdout);
    std::printf("end %s\n", worker.outcome(plans[i]).c_str());
    std::fflush(stdout);
  }
}

/// In a child for each run.
void work_first(const Scenario &scenario, const std::string &plan) {
  Worker worker(scenario, start_gstreamer());
  std::printf("begin %s\n", plan.c_str());
  std::fflush(stdout);
  std::printf("end %s\n", worker.first_outcome(plan).c_str());
}

struct Sample {
  double rss = 0, heap = 0;  // MiB
  int fds = 0, threads = 0;
};

Sample measure() {
  const auto entries = [](const char *folder) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
  };
  malloc_trim(0);
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20), entries("/proc/self/fd"),
          entries("/proc/self/task")};
}

/// In the child: rounds through all scenarios until enough frames have come through.
void soak(const std::vector<Scenario> &scenarios, size_t from) {
  GstGLDisplay *display = start_gstreamer();
  std::vector<Worker> workers;
  for (const Scenario &scenario : scenarios) workers.emplace_back(scenario, display);
  for (Worker &worker : workers) {
    worker.prepare();
    std::printf("alive\n");
    std::fflush(stdout);
  }
  for (Worker &worker : workers) worker.settle();
  Sample first = measure();
  uint64_t frames = 0;
  for (size_t i = from; frames < static_cast<uint64_t>(options.frames); i++) {
    Worker &worker = workers[i % workers.size()];
    const std::string plan =
        "random:" + std::to_string(options.seed + i) + ":" + std::to_string(options.one_in);
    std::printf("begin %s: %s\n", scenarios[i % workers.size()].name.c_str(), plan.c_str());
    std::fflush(stdout);
    std::printf("end %s\n", worker.outcome(plan).c_str());
    if (i - from == 10 * workers.size()) first = measure();  // after one-time allocations
    uint64_t faults = frames = 0;
    for (const Worker &one : workers) frames += one.frames(), faults += one.faults();
    if ((i - from) % 50 == 0 || frames >= static_cast<uint64_t>(options.frames)) {
      const Sample now = measure();
      std::printf("after %llu frames, %llu faults, %+.1f MiB (heap %+.1f), %+d fds, %+d threads\n",
                  static_cast<unsigned long long>(frames), static_cast<unsigned long long>(faults),
                  now.rss - first.rss, now.heap - first.heap, now.fds - first.fds,
                  now.threads - first.threads);
    }
    std::fflush(stdout);
  }
}

/// The faults to try in first runs.
std::vector<std::string> first_table(const Scenario &scenario) {
  Child child([&] {
    Run(scenario, start_gstreamer(), ~0u, false).play();
    for (const std::string &plan : table(counts())) std::printf("%s\n", plan.c_str());
  });
  std::vector<std::string> plans;
  for (std::string plan; child.next(plan);) plans.push_back(plan);
  child.end();
  return plans;
}

/// Runs `main (from)` in child processes. Each continues where the last one ended, until one comes
/// to the end or `runs` were made. Returns the number of failed ones.
int supervise(const std::string &name, const std::function<void(size_t from)> &main,
              size_t runs = 0) {
  std::map<std::string, int> ends;
  int bad = 0, repeated = 0;
  size_t done = 0;
  while (!runs || done < runs) {
    const size_t before = done;
    Child child([&] { main(before); });
    std::string line, plan;
    while (child.next(line)) {
      if (line.rfind("begin ", 0) == 0) {
        plan = line.substr(6);
      } else if (line.rfind("end ", 0) == 0) {
        const std::string verdict = line.substr(4);
        done++;
        if (verdict.rfind("BAD", 0) == 0) {
          bad++;
          std::printf("%s: %s: %s\n", name.c_str(), plan.c_str(), verdict.c_str());
        } else {
          ends[verdict]++;
        }
        plan.clear();
      } else if (line != "alive" && line.rfind("Bail out!", 0) != 0) {
        std::printf("%s: %s\n", name.c_str(), line.c_str());
      }
    }
    const std::string end = child.end();
    if (end.empty() && !runs) break;
    if (end.empty()) continue;
    // GStreamer aborts in the race that the worker knows, or complains of it.
    if (line.find("gst_gl_buffer_pool_set_config") != std::string::npos && repeated++ < 5) continue;
    repeated = 0;
    bad++;
    std::printf("%s: %s: BAD %s\n", name.c_str(), plan.c_str(), end.c_str());
    std::fflush(stdout);
    if (plan.empty()) break;  // not by a fault
    done++;
  }
  std::string text;
  for (const auto &[verdict, count] : ends) text += ", " + std::to_string(count) + " " + verdict;
  std::printf("%s: %zu runs%s%s\n", name.c_str(), done, text.c_str(),
              bad ? (", " + std::to_string(bad) + " BAD").c_str() : "");
  std::fflush(stdout);
  return bad;
}

int try_first(const Scenario &scenario) {
  const std::vector<std::string> plans = first_table(scenario);
  if (plans.empty()) return 1;
  return supervise(
      scenario.name + " at first", [&](size_t from) { work_first(scenario, plans[from]); },
      plans.size());
}

bool parse(int argc, char **argv, const char **list) {
  if (argc < 3) return false;
  options.soak = !std::strcmp(argv[1], "soak");
  if (options.soak) options.run = 100;
  for (int i = 2; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--all") {
      options.all = true;
    } else if (word == "--first") {
      options.first = true;
    } else if (word.rfind("--", 0) != 0) {
      if (*list)
        options.names.push_back(word);
      else
        *list = argv[i];
    } else if (i + 1 == argc) {  // NOLINT(bugprone-branch-clone): it guards the rest
      return false;
    } else if (word == "--sample") {
      options.sample = std::atoi(argv[++i]);
    } else if (word == "--seed") {
      options.seed = static_cast<unsigned>(std::atol(argv[++i]));
    } else if (word == "--frames") {
      options.frames = std::atol(argv[++i]);
    } else if (word == "--plan") {
      options.plan = argv[++i];
    } else if (word == "--run") {
      options.run = std::atoi(argv[++i]);
    } else if (word == "--one-in") {
      options.one_in = std::atoi(argv[++i]);
    } else {
      return false;
    }
  }
  return *list;
}

}  // namespace

int main(int argc, char **argv) {
  const char *list = nullptr;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (!parse(argc, argv, &list)) {
    std::fprintf(
        stderr,
        "runner table [--all | --sample N --seed S | --plan PLAN] [--first] [--run FRAMES]\n"
        "             LIST [NAME…]\n"
        "runner soak --frames N [--run FRAMES] [--one-in N] [--seed S] LIST [NAME…]\n");
    return 2;
  }
  const std::vector<Scenario> scenarios = read_list(list);
  if (scenarios.empty()) {
    std::fprintf(stderr, "runner: %s has no such pipeline\n", list);
    return 2;
  }
  int bad = 0;
  if (options.soak)
    bad = supervise("soak", [&](size_t from) { soak(scenarios, from); });
  else
    for (const Scenario &scenario : scenarios)
      bad += options.first ? try_first(scenario)
                           : supervise(scenario.name, [&](size_t from) { work(scenario, from); });
  return bad ? 1 : 0;
}
