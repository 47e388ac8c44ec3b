// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/device.h"

namespace glcl::klt {

/// The implementation of a kernel over pixels. tiles: work-groups share tiles in local memory.
/// rows: each item processes rows by vectors, for CPUs. The results are equal up to rounding.
enum KernelForm { tiles, rows };

/// Local memory that `rows` needs, bytes.
constexpr size_t rows_bytes = 112 << 10;

inline bool can_run(const Device &device, KernelForm form) {
  return form == tiles || device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >= rows_bytes;
}
inline KernelForm form_for(const Device &device) {
  return device.is_cpu() && can_run(device, rows) ? rows : tiles;
}

}  // namespace glcl::klt
