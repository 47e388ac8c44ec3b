// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "output.h"
#include "task.h"

namespace glcl::analyze {

/// Finds the number of parallel files with the most frames per second: adds a file while that gains
/// a tenth.
class JobTuner {
 public:
  /// Between 1 and `most`, or `fixed` if not 0.
  explicit JobTuner(int most, int fixed = 0)
      : most_(most), jobs_(fixed ? fixed : 1), fixed_(fixed) {}

  int jobs() const { return jobs_; }
  bool settled() const { return fixed_ > 0; }
  /// Reports the frames per second that jobs() parallel files reached.
  void measured(double rate);

 private:
  int most_, jobs_, fixed_;
  double best_ = 0;
};

struct WorkerOptions {
  int jobs = 0;     ///< parallel files; 0: JobTuner decides
  int stall = 300;  ///< seconds without a frame after which a file is given up
};

/// Runs tasks in child processes, so that a file that crashes or blocks a decoder affects no other
/// file. Prints the progress: a bar on a terminal, otherwise lines of JSON. Returns the exit
/// status: 0, 1 if a file failed, 128 + the signal that ended it.
int run_tasks(std::vector<Task> tasks, Output &output, const WorkerOptions &options);

/// The main function of a child process: reads tasks, writes progress.
int run_worker();

}  // namespace glcl::analyze
