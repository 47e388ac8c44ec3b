// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "task.h"

namespace glcl::analyze {

/// Prints the progress of a run: a bar on a terminal, otherwise lines of JSON.
class ProgressReporter {
 public:
  ProgressReporter();

  void begins(const Task &task);
  void done(const Task &task, const std::string &folder);
  void kept(const Task &task, const std::string &folder);
  void failed(const Task &task, const std::string &reason);
  /// Reports that `part` of all work (0 to 1) was done in `elapsed` seconds.
  void progress(double part, double elapsed, double rate, size_t files);
  /// Prints the totals at the end.
  void sum_up(double elapsed);

  bool any_failed() const { return failed_ > 0; }

 private:
  void line(const Json &json) const;
  void text(const std::string &text) const;

  bool terminal_;
  double reported_ = 0;  // when progress was last printed
  size_t done_ = 0, kept_ = 0, failed_ = 0;
  guint64 frames_ = 0;
};

}  // namespace glcl::analyze
