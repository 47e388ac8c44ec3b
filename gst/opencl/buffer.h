// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "cl.h"

namespace glcl {

/// A buffer that kernels read and write. Throws cl::Error, as all functions in this file.
inline cl::Buffer make_buffer(const cl::Context &context, size_t bytes) {
  return {context, CL_MEM_READ_WRITE, bytes};
}

/// A buffer with these values, which kernels read.
template <class Values>
cl::Buffer upload_values(const cl::Context &context, const Values &values) {
  return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof values[0],
          const_cast<void *>(static_cast<const void *>(values.data()))};
}

/// Replaces a buffer that is null or smaller than `bytes`; its contents are lost. A buffer never
/// shrinks.
inline void ensure_size(cl::Buffer &buffer, const cl::Context &context, size_t bytes) {
  if (!buffer() || buffer.getInfo<CL_MEM_SIZE>() < bytes) buffer = make_buffer(context, bytes);
}

}  // namespace glcl
