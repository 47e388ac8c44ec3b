// SPDX-License-Identifier: LGPL-2.1-or-later
// The engines of the analyzers at their elements' defaults, for measurements over formats and
// queues.
#pragma once

#include <functional>
#include <vector>

#include "opencl/context.h"
#include "opencl/frameformat.h"
#include "opencl/queue.h"

namespace glcl::bench {

/// An analyzer for one format: its work on a frame, and the result of the last frame.
struct Analyzer {
  std::function<void(Queue &, const Picture &)> run;
  std::function<std::vector<char>(Queue &)> result;  ///< waits
};

struct AnalyzerWork {
  const char *name;  ///< "glclmotion range=16"
  Analyzer (*make)(Context &context, int width, int height, const FrameFormat &format);
};

const std::vector<AnalyzerWork> &analyzer_works();

}  // namespace glcl::bench
