// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "device.h"

namespace glcl {

/// A handle of an OpenCL image. All copies share one OpenCL reference, which the last one releases:
/// with images of imported memory some drivers take any clReleaseMemObject for the last
/// (sharing/descriptors.h).
class Image {
 public:
  using Release = std::function<void(cl_mem)>;

  Image() = default;
  Image(cl::Image2D image) : image_(std::make_shared<cl::Image2D>(std::move(image))) {}
  /// Takes ownership of the reference; `release` frees it.
  Image(cl_mem image, Release release)
      : image_(new cl::Image2D(image), [release = std::move(release)](cl::Image2D *gone) {
          release(std::exchange((*gone)(), nullptr));
          delete gone;
        }) {}

  /// The type for CLHPP's functions; do not copy it.
  operator const cl::Image2D &() const { return image_ ? *image_ : none(); }
  cl_mem operator()() const { return image_ ? (*image_)() : nullptr; }

 private:
  static const cl::Image2D &none() {
    static const cl::Image2D none;
    return none;
  }

  std::shared_ptr<cl::Image2D> image_;
};

}  // namespace glcl
