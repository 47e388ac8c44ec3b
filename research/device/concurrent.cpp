// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that have nothing to do with each other: one after the other in a queue, in queues of
// their own, and in a queue that keeps no order (Lanes, 2010). Each is too small to fill a device.
#include <algorithm>

#include "opencl/error.h"
#include "opencl/kernel.h"
#include "opencl/waiting.h"
#include "tools/bench/device.h"
#include "tools/bench/measure.h"

namespace glcl::research {

namespace {

using namespace bench;
using ContextPointer = std::shared_ptr<Context>;

constexpr int kernels = 8, rounds = 4000, group = 64;

/// What an item leaves; the same as in the kernel.
cl_uint left_by(cl_uint number) {
  cl_uint value = number;
  for (int i = 0; i < rounds; i++) value = value * 1664525u + 1013904223u;
  return value;
}

/// The queue that kernel i goes to.
using Queues = std::vector<cl::CommandQueue>;

Queues queues_of(Context &context, int count, cl_command_queue_properties properties) {
  const auto known = context.device().device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
  if ((known & properties) != properties)
    throw Error(Error::Kind::failed, "no queues without an order");
  Queues queues;
  for (int i = 0; i < count; i++)
    queues.emplace_back(context.cl(), context.device().device, properties);
  return queues;
}

/// Eight kernels of so many groups each, by the wall clock; Gop/s.
DeviceTime together(const ContextPointer &context, int groups, int count,
                    cl_command_queue_properties properties) {
  Queues queues = queues_of(*context, count, properties);
  const auto program = context->program("research/device/concurrent.cl");
  const size_t items = size_t(groups) * group;
  std::vector<cl::Kernel> calls;
  std::vector<cl::Buffer> results;
  for (int k = 0; k < kernels; k++) {
    results.push_back(filled(*context, std::vector<cl_uint>(items)));
    calls.emplace_back(program.get(), "chain_of_sums");
    calls[k].setArg(0, results[k]);
    calls[k].setArg(1, cl_uint(k));
    calls[k].setArg(2, cl_int(rounds));
  }
  const auto work = [&] {
    for (int k = 0; k < kernels; k++)
      queues[size_t(k) % queues.size()].enqueueNDRangeKernel(
          calls[k], cl::NullRange, cl::NDRange(items), cl::NDRange(group));
    for (cl::CommandQueue &queue : queues) queue.flush();
    for (cl::CommandQueue &queue : queues) queue.finish();
  };
  work();
  std::vector<double> times;
  for (int i = 0; i < 9; i++) times.push_back(wall_time(work));
  Queue queue(context);
  bool good = true;
  for (int k = 0; k < kernels; k++) {
    const auto values = read<cl_uint>(queue, results[k], items);
    for (size_t i = 0; i < items; i += items - 1)
      good = good && values[i] == left_by(static_cast<cl_uint>(i) + static_cast<cl_uint>(k));
  }
  const double microseconds = median(times);
  return {microseconds, 2.0 * rounds * kernels * double(items) / microseconds / 1e3, good};
}

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  const auto add = [&](const std::string &name, int count,
                       cl_command_queue_properties properties = 0) {
    for (const int groups : {1, 8})
      lines.push_back({"concurrent kernels",
                       name + ", " + std::to_string(groups) + (groups == 1 ? " group" : " groups"),
                       "Gop/s", [=](const ContextPointer &context) {
                         return together(context, groups, count, properties);
                       }});
  };
  for (const int count : {1, 2, 4, 8})
    add(std::to_string(count) + (count == 1 ? " queue" : " queues"), count);
  add("no order", 1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
});

}  // namespace

}  // namespace glcl::research
