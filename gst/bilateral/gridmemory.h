// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "gridgeometry.h"

namespace glcl::bilateral {

/// The memory of a bilateral grid. It grows with the settings, and never shrinks.
class GridMemory {
 public:
  /// Allocates what a shape needs. Throws cl::Error.
  void reserve(const cl::Context &context, const GridGeometry &geometry, const GridShape &shape);

  /// The sums of the splat.
  const cl::Buffer &sums() const { return sums_; }
  /// The blurred grid, on buffers or on images.
  const cl::Buffer &blurred() const { return blurred_; }
  const cl::Image2DArray &blurred_image() const { return blurred_image_; }

 private:
  cl::Buffer sums_, blurred_;
  cl::Image2DArray blurred_image_;
  std::array<int, 3> image_size_{};
};

}  // namespace glcl::bilateral
