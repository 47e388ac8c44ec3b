// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "opencl/queue.h"
#include "sharing/sharing.h"

namespace glcl {

/// Statistics of an element since PAUSED.
struct Stats {
  uint64_t frames = 0, dropped = 0;
  std::chrono::steady_clock::time_point first_frame;  ///< if there are frames
  std::shared_ptr<sharing::Copies> copies = std::make_shared<sharing::Copies>(0);
  Timing latency;  ///< from the arrival of a frame until it is pushed
  std::string device;
  const sharing::SharingMethod *method = nullptr;
  std::map<std::string, Timing> timings;  ///< by kernel, and "frame"

  /// The value of the property `stats`.
  GstStructure *structure() const;
};

/// Records the statistics of an element. Any thread.
class StatsRecorder {
 public:
  using Clock = std::chrono::steady_clock;

  Stats get() const;
  /// A new start.
  void start();
  void set_device(const std::string &device, const sharing::SharingMethod *method);
  /// Counts a frame whose work began at this time. With a profiling queue it waits for the queue
  /// and adds the times of its kernels.
  void add_frame(Queue &queue, Clock::time_point start);
  void add_dropped();
  /// A frame was pushed this long after it had arrived.
  void add_latency(std::chrono::nanoseconds latency);
  /// Logs the statistics, if there were frames.
  void log(GstElement *element) const;

 private:
  mutable std::mutex mutex_;
  Stats stats_;
};

}  // namespace glcl
