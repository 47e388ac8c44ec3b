// SPDX-License-Identifier: LGPL-2.1-or-later
// Questions of a test to its own process.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

/// The stacks of all threads on stderr, where a debugger is at hand.
void print_stacks();

struct Sample {
  double seconds = 0, rss = 0, heap = 0;  // s, MiB in memory, MiB allocated
  int fds = 0, threads = 0;
  double frames = 0, pipelines = 0;  // so far
};

/// Gives the allocator two arenas for all threads; call it first. With one for each thread, the
/// allocator alone grows by 80 MiB in 17 minutes.
void limit_arenas();

/// The memory, descriptors and threads of the process now, after so many frames and pipelines.
Sample measure(std::chrono::steady_clock::time_point start, double frames = 0,
               double pipelines = 0);

/// Bytes that a frame and a pipeline may leave on the heap.
struct Bounds {
  double frame, pipeline;
};

/// The rise of the samples from the first to the last, on straight lines through them; 0 where they
/// are few.
struct Growth {
  double minutes = 0, pipelines = 0, rss = 0, heap = 0, fds = 0, threads = 0;
  /// Bytes on the heap that explain the samples best; two steps, as of caches, do not count.
  double heap_per_frame = 0, heap_per_pipeline = 0;
  /// True if no growth within the bounds explains the samples, up to three times their noise.
  bool leaks = false;

  /// Of the samples from `seconds` on.
  Growth(const std::vector<Sample> &samples, double seconds, const Bounds &bounds);
  bool within(double most_rss, double most_heap, double most_fds) const {
    return rss <= most_rss && heap <= most_heap && fds <= most_fds && threads <= 16 && !leaks;
  }

 private:
  void judge_heap(const std::vector<Sample> &samples, const Bounds &bounds);
};

/// `--name value` of a command line; a bool is `--name` alone.
struct Option {
  std::string name;
  std::variant<bool *, int *, double *, std::string *> value;
};

/// Fills them in; false where there is another one, or a value is missing.
bool parse(int argc, char **argv, const std::vector<Option> &options);
