// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that are launched in bands.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "opencl/launchthrottle.h"
#include "opencl/queue.h"
#include "opencl/stop.h"

/// Runs work as elements do: unmeasured work is launched in several bands. Returns how often the
/// work was asked whether to stop: once per band, and per other launch.
template <class Work>
int in_bands(glcl::Queue &queue, const Work &work) {
  int asked = 0;
  const glcl::Stop stop([&] { return asked++ < 0; });
  const glcl::Stop::Scope scope(stop);
  glcl::LaunchThrottle throttle;
  const glcl::LaunchThrottle::FrameScope frame(throttle, queue);
  work();
  return asked;
}

/// The same on a queue that counts launches. Gives how many bands there are beyond one for each of
/// them; for that, nothing may be left to compile.
template <class Bench, class Work>
int more_bands(Bench &bench, const Work &work) {
  bench.queue = std::make_unique<glcl::Queue>(bench.context, true);
  int more = in_bands(*bench.queue, work);
  std::map<std::string, glcl::Timing> timings;
  bench.queue->collect(timings);
  for (const auto &[kernel, timing] : timings) more -= static_cast<int>(timing.count);
  return more;
}
