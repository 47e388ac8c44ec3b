// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/device.h"

namespace glcl::klt {

/// How kernels go over pixels: tiles that groups share, or rows that items have alone, by vectors,
/// as CPUs want it. Both give the same but for rounding.
enum KernelForm { tiles, rows };

/// Bytes of local memory that rows want.
constexpr size_t rows_bytes = 112 << 10;

inline bool can_run(const Device &device, KernelForm form) {
  return form == tiles || device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >= rows_bytes;
}
inline KernelForm form_for(const Device &device) {
  return device.is_cpu() && can_run(device, rows) ? rows : tiles;
}

}  // namespace glcl::klt
