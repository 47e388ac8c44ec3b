// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "output.h"
#include "task.h"

namespace glcl::analyze {

/// How many files at once make the most frames a second: one more as long as that brings a tenth.
class JobTuner {
 public:
  /// 1 … `most`; `fixed` where it is known.
  explicit JobTuner(int most, int fixed = 0)
      : most_(most), jobs_(fixed ? fixed : 1), fixed_(fixed) {}

  int jobs() const { return jobs_; }
  bool settled() const { return fixed_ > 0; }
  /// So many frames a second came with jobs() files at once.
  void measured(double rate);

 private:
  int most_, jobs_, fixed_;
  double best_ = 0;
};

struct WorkerOptions {
  int jobs = 0;     ///< files at once; 0: as JobTuner finds
  int stall = 300;  ///< seconds without a frame after which a file is given up
};

/// Runs tasks in processes of their own, so that a file that crashes or blocks a decoder affects
/// only itself, and prints the progress: a bar on a terminal, otherwise lines of JSON. Returns the
/// exit status: 0, 1 if a file failed, 128 + the signal that ended it.
int run_tasks(std::vector<Task> tasks, Output &output, const WorkerOptions &options);

/// The main function of such a process: reads tasks, writes progress.
int run_worker();

}  // namespace glcl::analyze
