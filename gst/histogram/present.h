// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "histogram.h"

namespace glcl::histogram {

/// Shows a frame: as it is, or with its histogram equalised, and with a histogram drawn over it.
class Present {
 public:
  enum class Display {
    none,
    overlay,  ///< all channels in one plot
    parade,   ///< side by side
    stack,    ///< one above the other
  };
  enum class Equalize {
    none,
    luma,  ///< R, G and B all move by what the luma moves by
    rgb,   ///< each channel by itself
  };

  struct Settings {
    Display display = Display::none;
    bool logarithmic = false;
    /// The part of the plot that the 95th percentile of the bins fills, or more where the fullest
    /// one leaves room: some full bins do not flatten the rest. With 0 the fullest fills it.
    double level_height = 0.8;
    /// Of the panel, as parts of the frame's width and height.
    double x = 0.66, y = 0.04, width = 0.32, height = 0.34;
    double opacity = 0.8;
    Equalize equalize = Equalize::none;
  };

  /// What equalising wants counted.
  static Histogram::Format format_for(Equalize equalize);
  /// Where the panel lies in a frame, px; never empty, cut at the frame's edges.
  static Area panel(const Settings &settings, int width, int height);
  /// Px of a dot of the font, which has 5×7 of them.
  static int unit(int width, int height);

  /// Throws Error::failed where the device refuses the programs.
  Present(Context &context, int width, int height, Layout layout);

  /// Enqueues what shows `in` in `out`; never waits. `counts` of `format` are what is displayed,
  /// `equalize_counts` of format_for() what equalises; either may be null where nothing asks for
  /// it.
  void run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out,
           const Histogram::Format &format, const cl::Buffer &counts,
           const cl::Buffer &equalize_counts);

 private:
  size_t rows_at_a_time(const Device &device, Equalize equalize) const;

  int width_, height_;
  Kernel heights_kernel_, present_;
  cl::Buffer heights_;
};

}  // namespace glcl::histogram
