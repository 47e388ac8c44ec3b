// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <thread>

#include "cl.h"

namespace glcl {

/// Completes a user event. It retries while OpenCL lacks resources, because queues wait for the
/// event.
inline void complete(const cl::UserEvent &event) {
  for (;;) {
    const cl_int status = clSetUserEventStatus(event(), CL_COMPLETE);
    if (status != CL_OUT_OF_RESOURCES && status != CL_OUT_OF_HOST_MEMORY) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace glcl
