// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "subject.h"

namespace glcl::bench {

/// Medians over the runs, in µs.
struct Times {
  double events = 0;  ///< all kernels of a run, by OpenCL events; 0 where the device has no clock
  double wall = 0;  ///< from the first enqueue of several runs in a row to the last one's end, each
  int runs = 0;
  std::map<std::string, double> kernels;  ///< the mean of each in a run, by events
};

double median(std::vector<double> values);

/// How long it takes once, in µs.
double wall_time(const std::function<void()> &work);

/// Does the work again and again for about `seconds`, at least three times.
Times measure(const std::shared_ptr<Context> &context, const Run &run, double seconds = 0.4);

}  // namespace glcl::bench
