// SPDX-License-Identifier: LGPL-2.1-or-later
// Micro-benchmarks of a device, each in its variants; after Lanes, "Image and video processing
// using graphics hardware", 2010.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "opencl/context.h"
#include "opencl/queue.h"

namespace glcl::bench {

struct DeviceTime {
  double microseconds = 0, rate = 0;
  bool good = true;  ///< the result is correct
};

struct DeviceLine {
  std::string what, variant, unit;  ///< "vector loads", "float4", "GB/s"
  std::function<DeviceTime(const std::shared_ptr<Context> &)> measure;
};

/// A file registers its lines by a static object of this class.
struct DeviceLines {
  explicit DeviceLines(void (*add)(std::vector<DeviceLine> &lines));
};

std::vector<DeviceLine> device_lines();

/// Times the work of `enqueue`, by events if there are any, and lets `check` verify the result. The
/// rate is `amount` divided by the time, in 10⁹ per second.
DeviceTime timed(const std::shared_ptr<Context> &context, double amount,
                 std::function<void(Queue &)> enqueue, const std::function<bool(Queue &)> &check);
/// The same by the wall clock.
DeviceTime timed_by_wall(const std::shared_ptr<Context> &context, double amount,
                         std::function<void(Queue &)> enqueue,
                         const std::function<bool(Queue &)> &check);

/// Small whole numbers, whose float sums are exact.
std::vector<float> small_numbers(size_t count);

template <class Value>
cl::Buffer filled(const Context &context, const std::vector<Value> &values) {
  const size_t bytes = values.size() * sizeof(Value);
  cl::Buffer buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  cl::CommandQueue(context.cl(), context.device().device)
      .enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, values.data());
  return buffer;
}

template <class Value>
std::vector<Value> read(Queue &queue, const cl::Buffer &buffer, size_t count) {
  std::vector<Value> values(count);
  queue.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value), values.data());
  return values;
}

}  // namespace glcl::bench
