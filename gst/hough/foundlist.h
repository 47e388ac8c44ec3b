// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace glcl::hough {

/// The shapes in a downloaded result: their number, uint, and from the second place of a Shape on
/// the shapes, `most` at most.
template <class Shape>
std::vector<Shape> read_list(const void *result, size_t most) {
  cl_uint count;
  std::memcpy(&count, result, sizeof count);
  std::vector<Shape> shapes(std::min<size_t>(count, most));
  if (!shapes.empty())
    std::memcpy(shapes.data(), static_cast<const char *>(result) + sizeof(Shape),
                shapes.size() * sizeof(Shape));
  return shapes;
}

}  // namespace glcl::hough
