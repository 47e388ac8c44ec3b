// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgethresholds.h"

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

constexpr double first_noise = 2;  // levels, until it is measured

}  // namespace

EdgeThresholds::EdgeThresholds(Context &context, int width, int height)
    : pitch_(width + 2),
      noise_(context, noise::Noise::Texels::luma, width, height),
      kernel_(context, context.program("hough/canny.cl"), "canny_thresholds", {64, 1}),
      thresholds_(make_buffer(context.cl(), 256 * sizeof(cl_uint2))) {
  for (cl::Buffer &plane : luma_) plane = make_buffer(context.cl(), size_t(pitch_) * (height + 2));
}

void EdgeThresholds::update(Queue &queue, double low, double high) {
  current_ = 1 - current_;
  automatic_ = low < 0 || high < 0;
  if (automatic_ && !has_noise_) noise_.set(queue, first_noise);
  if (automatic_) has_noise_ = true;
  const std::array wanted{low, high};
  if (automatic_ || last_ != wanted)
    kernel_(queue, {256, 1}, noise_.variances(), static_cast<cl_float>(low),
            static_cast<cl_float>(high), thresholds_);
  last_ = wanted;
}

void EdgeThresholds::measure(Queue &queue) {
  if (automatic_ && has_luma_) noise_.measure(queue, plane(1 - current_), plane(current_), true);
  has_luma_ = automatic_;
}

}  // namespace glcl::hough
