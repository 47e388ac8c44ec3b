// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers of values, for tests of kernels.
#pragma once

#include <vector>

#include "kernels/engine.h"

/// A buffer with these values, which kernels read and write.
template <class Value>
cl::Buffer upload(Bench &bench, const std::vector<Value> &values) {
  return {bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
          values.size() * sizeof(Value), const_cast<Value *>(values.data())};
}

/// The first `count` values of a buffer, which may be 0; waits.
template <class Value>
std::vector<Value> download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  std::vector<Value> values(count);
  if (count)
    bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value), values.data());
  return values;
}
