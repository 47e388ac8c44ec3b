// SPDX-License-Identifier: LGPL-2.1-or-later
// The .flo files of glopenclflow.
#pragma once

#include <atomic>
#include <string>

#include "base/gstglclanalyzer.h"
#include "opticalflow/renderer.h"

namespace glcl::opticalflow {

/// Writes the vectors of each frame to a file. The stream continues if a file can't be written; the
/// first failure since the start is reported.
class FlowDump {
 public:
  /// Call it before the stream starts. An empty pattern writes no files. Throws Error for invalid
  /// patterns, like check_dump_pattern().
  void start(const std::string &pattern);
  /// Bytes of a frame's vectors; 0 without a pattern.
  static size_t bytes(const std::string &pattern, int width, int height);
  /// For frames of width × height px. GL thread, as all below.
  void prepare(Context &context, const std::string &pattern, int width, int height);
  /// True if vectors are written.
  explicit operator bool() const { return memory_() != nullptr; }
  /// Enqueues the vectors of a frame; the file is written once they arrive.
  void add(GstGLCLAnalyzer *element, Queue &queue, FlowRenderer &renderer, const FlowField &field,
           double min_confidence);
  void unprepare() { memory_ = cl::Buffer(); }

 private:
  void write(GstElement *element, const std::string &path, int width, int height,
             const void *vectors);

  std::string pattern_;
  cl::Buffer memory_;
  uint64_t number_ = 0;                // number of the next file
  std::atomic<bool> reported_{false};  // a failure since the start was reported
};

}  // namespace glcl::opticalflow
