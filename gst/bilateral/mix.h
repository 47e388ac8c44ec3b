// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>

#include "bilateral.h"

namespace glcl::bilateral {

/// Mixes the result of a filter with its input, in codes of 8 or 16 bits:
///
///   out = in + amount * mask * (filtered - in), rounded half up.
///
/// The mask is a picture of levels, 0..1, that is stretched over the frame; between the centres of
/// its pixels it is linear. Outside of the region `out` is `in`. With `luma` R, G and B change by
/// the change of intensity, 0.30 R + 0.59 G + 0.11 B, instead. Alpha is copied. The split view of
/// `filtered` stays. Cost: two pictures read and one written, unless nothing is mixed.
class Mix {
 public:
  struct Settings {
    double amount = 1;              ///< 0..1
    bool luma = false;              ///< only the brightness changes
    int hairline = -1;              ///< column of the hairline, or -1
    Rect region{};                  ///< px, clipped to the frame; empty: the whole frame
    const Picture *mask = nullptr;  ///< PlaneFormat::r8, in a buffer; null: 1 everywhere
    /// True if the mix shows the input only.
    bool passes_on() const { return amount <= 0 && hairline < 0; }
  };

  /// The column of the hairline in a split view of a frame `width` px wide, or -1 if the region has
  /// no such column.
  static int hairline(const BilateralFilter::Settings &settings, int width);

  /// For frames of width × height px in PixelFormat::rgba or rgba64. Throws Error::failed if the
  /// device refuses the kernel.
  Mix(Context &context, int width, int height, Layout layout,
      const PixelFormat &pixels = PixelFormat::rgba);

  /// Enqueues a filter, `filter (to)`, which writes at least the region of a picture, and the mix
  /// of `in` and `to` into `out`; never waits. If nothing is mixed, the filter writes `out` itself;
  /// with an amount of 0 it does not run. Throws Error::settings for pictures of another size,
  /// layout or format.
  void run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out,
           const std::function<void(const Picture &to)> &filter);

 private:
  std::shared_ptr<Context> context_;
  int width_, height_;  // px
  Layout layout_;
  const PixelFormat &pixels_;
  Kernel kernel_;
  Picture filtered_;
  Picture no_mask_;  // a pixel, which is not read
};

}  // namespace glcl::bilateral
