// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs with faults, judged by runs without.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run.h"

namespace runner {

class Worker {
 public:
  Worker(const Scenario &scenario, GstGLDisplay *display);
  /// Runs without faults, to compare with.
  void prepare();
  /// One word for a good end, else BAD and the reason.
  std::string outcome(const std::string &plan);
  /// The same of a run ahead of prepare().
  std::string first_outcome(const std::string &plan);
  /// Calls of a run.
  const Counts &calls() const { return calls_; }
  /// Accepts the objects that live now.
  void settle() { allowed_ = LeftObjects(); }
  uint64_t frames() const { return frames_; }
  uint64_t faults() const { return faults_; }

 private:
  Result run(unsigned changes, bool at_once = false);
  std::string judge(const Result &result, const std::string &injected) const;
  std::string wrong(const Result &result) const;

  const Scenario &scenario_;
  GstGLDisplay *display_;
  unsigned changes_ = 0;  // all of them
  std::vector<Result> expected_;
  Counts calls_;
  LeftObjects allowed_;
  uint64_t frames_ = 0, faults_ = 0;
};

/// The faults to try where a run makes these calls.
std::vector<std::string> table(const Counts &calls);

}  // namespace runner
