// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>

#include "bilateral.h"

namespace glcl::bilateral {

/// Mixes the result of a filter with its input, in codes of 8 or 16 bits:
///
///   out = in + amount * (filtered - in), rounded half up.
///
/// Alpha is copied. The split view of `filtered` stays. Cost: two pictures read and one written,
/// unless the amount is 1.
class Mix {
 public:
  /// For frames of width × height px in PixelFormat::rgba or rgba64. Throws Error::failed if the
  /// device refuses the kernel.
  Mix(Context &context, int width, int height, Layout layout,
      const PixelFormat &pixels = PixelFormat::rgba);

  /// True if the mix shows the input only: the amount is 0, and no hairline is in the frame.
  static bool passes_on(const BilateralFilter::Settings &settings, double amount, int width);

  /// Enqueues a filter with these settings, `filter (to)`, which writes all of a picture, and the
  /// mix of `in` and `to` into `out`; never waits. With an amount of 1 the filter writes `out`
  /// itself; with 0 it does not run. Throws Error::settings for pictures of another size, layout or
  /// format.
  void run(Queue &queue, const BilateralFilter::Settings &settings, double amount,
           const Picture &in, const Picture &out,
           const std::function<void(const Picture &to)> &filter);

 private:
  std::shared_ptr<Context> context_;
  int width_, height_;  // px
  Layout layout_;
  const PixelFormat &pixels_;
  Kernel kernel_;
  Picture filtered_;
};

}  // namespace glcl::bilateral
