// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "subject.h"

namespace glcl::bench {

/// Medians over the runs, in µs.
struct Times {
  double events = 0;  ///< all kernels of a run, by OpenCL events; 0 without an event clock
  double wall = 0;  ///< time per run, from the first enqueue of several runs to the end of the last
  int runs = 0;
  std::map<std::string, double> kernels;  ///< mean per run of each kernel, by events
};

double median(std::vector<double> values);

/// Time of one run of the work, µs.
double wall_time(const std::function<void()> &work);

/// Repeats the work for about `seconds`, at least three times.
Times measure(const std::shared_ptr<Context> &context, const Run &run, double seconds = 0.4);

}  // namespace glcl::bench
