// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bilateral/bilateral.h"
#include "reference/frames.h"

namespace glcl::research {

/// The bilateral filter 9×9, sigma-space 2, sigma-range 0.25, in the steps that Lanes took from the
/// equation to a fast kernel ("Image and video processing using graphics hardware", 2010). Each has
/// what the ones before it have.
class BilateralSteps {
 public:
  enum Step {
    equation = 1,   ///< a weight for each channel, everything computed for every tap
    native_divide,  ///< the device's fast, less exact division
    one_weight,     ///< from the intensity
    constants,      ///< what does not depend on the pixel comes from the host
    table,          ///< range weights from a table of 11
    tile,           ///< in local memory
    unrolled,       ///< the loops
    four_pixels,    ///< of a column per work-item
  };
  static constexpr Step last = four_pixels;

  /// Of the exact filter with the weight that a step has.
  static bilateral::BilateralFilter::Settings settings(Step step);
  /// What a step computes, on the host.
  static ::reference::Frame reference(const ::reference::Frame &frame, Step step);

  /// Throws Error::failed where the device refuses the kernel.
  BilateralSteps(Context &context, Step step);

  /// Enqueues the filter from one image to another.
  void run(Queue &queue, const Picture &in, const Picture &out);

 private:
  size_t rows_;
  Kernel kernel_;
  cl::Buffer space_, range_;
};

/// Whether no value, but for one in a thousand, is off by more than a level: where a difference
/// lies between two entries of the table, rounding decides.
bool within_a_level(const ::reference::Frame &result, const ::reference::Frame &expected);

}  // namespace glcl::research
