// SPDX-License-Identifier: LGPL-2.1-or-later
// Constants and functions that the parts of Flow share.
#pragma once

#include <vector>

#include "tiles.h"

namespace glcl::opticalflow {

constexpr int steps[] = {1, 2, 4};            // texels, by window class; powers of 2
constexpr int step_windows[] = {15, 31, 63};  // px, the largest window of each class
constexpr int window_radius = 3;              // nodes; finest_radius on the finest level
constexpr int finest_radius = 1;
constexpr Size pixel_group{32, 8};

inline int half(int n) { return (n + 1) / 2; }

/// The class of a window of `window` px, 0..2.
inline int window_class(int window) {
  int i = 0;
  while (i < 2 && window > step_windows[i]) i++;
  return i;
}

inline cl_int2 vector(Size size) { return {{static_cast<int>(size.x), static_cast<int>(size.y)}}; }

inline cl::Buffer buffer(const cl::Context &context, size_t bytes) {
  return {context, CL_MEM_READ_WRITE, bytes};
}

template <class Value>
cl::Buffer filled(const cl::Context &context, std::vector<Value> values,
                  cl_mem_flags use = CL_MEM_READ_ONLY) {
  return {context, use | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(Value), values.data()};
}

}  // namespace glcl::opticalflow
