// SPDX-License-Identifier: LGPL-2.1-or-later
#include "limits.h"

#include <algorithm>

#include "measure.h"
#include "opencl/kernel.h"

namespace glcl::bench {

namespace {

constexpr int chains = 8;  // CHAINS in the kernels

}  // namespace

double Limits::shortest(const Amounts &work, std::string *name) const {
  const std::pair<const char *, double> times[] = {
      {"memory", work.bytes / per_second.bytes},
      {"float", work.fma / per_second.fma},
      {"exp2", work.exp2 / per_second.exp2},
      {"local atomics", work.local_atomics / per_second.local_atomics},
      {"differences", work.differences / per_second.differences},
      {"launches", work.launches * launch}};
  const auto longest =
      std::max_element(std::begin(times), std::end(times),
                       [](const auto &a, const auto &b) { return a.second < b.second; });
  if (name) *name = longest->first;
  return longest->second;
}

Limits measure_limits(Context &context) {
  const cl::Device &device = context.device().device;
  const bool vectors = context.device().prefers_buffers();
  const int lanes = vectors ? device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>() : 1;
  const Program program =
      context.program("bench/limits.cl",
                      vectors ? "-cl-mad-enable -DV=" + std::to_string(lanes) : "-cl-mad-enable");
  const size_t group = std::min<size_t>(256, device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  const size_t items = group * device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() * 32;
  const cl::Buffer out(context.cl(), CL_MEM_READ_WRITE, items * sizeof(float));
  const auto shared = context.shared_from_this();

  // Time in s of a launch that takes at least 2 ms, and its number of rounds.
  const auto time = [&](auto &&enqueue) {
    int rounds = 16;
    double seconds = 0;
    for (; rounds < 1 << 24; rounds *= 4) {
      Run run;
      run.enqueue = [&](Queue &queue) { enqueue(queue, rounds); };
      seconds = measure(shared, run, 0.02).events / 1e6;
      if (seconds > 0.002) break;
    }
    return std::pair{seconds, rounds};
  };
  const auto rate = [&](Kernel &&kernel, double per_round, auto... more) {
    const auto [seconds, rounds] = time([&](Queue &queue, int n) {
      kernel(queue, {items, 1}, out, n, more...);
    });
    return per_round * items * rounds / seconds;
  };
  const auto kernel = [&](const char *name) { return Kernel(context, program, name, {group, 1}); };

  Limits limits;
  const size_t bytes =
      std::min<cl_ulong>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>(), cl_ulong(256) << 20);
  const cl::Buffer in(context.cl(), CL_MEM_READ_WRITE, bytes);
  {
    Queue queue(shared);
    queue.cl().enqueueFillBuffer(in, cl_uint(0), 0, bytes);
    queue.cl().finish();
  }
  Kernel read = kernel("limit_read");
  Run reading;
  reading.enqueue = [&](Queue &queue) {
    read(queue, {items, 1}, in, out, static_cast<cl_int>(bytes / sizeof(cl_float16)));
  };
  limits.per_second.bytes =
      static_cast<double>(bytes) / (measure(shared, reading, 0.1).events / 1e6);
  limits.per_second.fma = rate(kernel("limit_fma"), chains * lanes, 0.999f);
  limits.per_second.exp2 = rate(kernel("limit_exp2"), chains * lanes, 1e-9f);
  limits.per_second.local_atomics = rate(kernel("limit_local_atomics"), 1);
  limits.per_second.differences =
      rate(kernel("limit_differences"), chains * (vectors ? 64 : 4), cl_uint(0x01020304));

  Kernel nothing = kernel("limit_nothing");
  constexpr int launches = 50;
  Run empty;
  empty.enqueue = [&](Queue &queue) {
    for (int i = 0; i < launches; i++) nothing(queue, {1, 1}, out);
  };
  limits.launch = measure(shared, empty, 0.1).wall / 1e6 / launches;
  return limits;
}

}  // namespace glcl::bench
