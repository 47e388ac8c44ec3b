// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits for a device whose driver calls back late or never, as NVIDIA's does by some 20 ms.
#include "opencl/waiting.h"

#include <cstdlib>

#include "kernels/engine.h"

static int refused = 0;

extern "C" cl_int __wrap_clSetEventCallback(cl_event, cl_int,
                                            void(CL_CALLBACK *)(cl_event, cl_int, void *), void *) {
  refused++;
  return CL_SUCCESS;
}

TEST(test_waits_without_callbacks) {
  setenv("GLCL_DEVICE_TIMEOUT", "20", 1);
  Bench bench;
  const size_t bytes = size_t(64) << 20;
  const cl::Buffer memory(bench.context->cl(), CL_MEM_READ_WRITE, bytes);
  for (int i = 0; i < 3; i++) {
    cl::Event end;
    bench.queue->cl().enqueueFillBuffer(memory, cl_int(i), 0, bytes, nullptr, &end);
    glcl::wait(end);
    bench.queue->cl().enqueueFillBuffer(memory, cl_int(i), 0, bytes);
    glcl::finish(bench.queue->cl());
  }
  fail_unless(refused > 0, "no wait asked for a callback");
  fail_unless(!glcl::is_abandoned(bench.context->cl()), "the device was given up");
}
