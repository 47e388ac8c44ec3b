// SPDX-License-Identifier: LGPL-2.1-or-later
// Transfers of pictures from and to the host.
#pragma once

#include <vector>

#include "picture.h"

namespace glcl {

/// Enqueue transfers of a picture from or to host memory whose rows lie `row_bytes` apart (0:
/// without gaps), after these events; `wait` is CL_TRUE or CL_FALSE.
void read_picture(const cl::CommandQueue &queue, const Picture &picture, void *rows,
                  size_t row_bytes, cl_bool wait, const std::vector<cl::Event> *after = nullptr);
void write_picture(const cl::CommandQueue &queue, const Picture &picture, const void *rows,
                   size_t row_bytes, cl_bool wait, const std::vector<cl::Event> *after = nullptr,
                   cl::Event *sent = nullptr);

}  // namespace glcl
