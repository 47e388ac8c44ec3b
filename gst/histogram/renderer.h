// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/canvas.h"
#include "histogram.h"

namespace glcl::histogram {

/// Shows a frame: as it is, or with its histogram equalised, and with a histogram drawn over it.
class HistogramRenderer {
 public:
  enum class Display {
    none,
    overlay,  ///< all channels in one plot
    parade,   ///< side by side
    stack,    ///< one above the other
  };          // of colours the fullest bins, as bars one below the other
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
    cl_uint foreground_color = 0xffe6e6e6;  ///< 0xAARRGGBB, of text, lines and the bars of luma
    cl_uint background_color = 0xff0a0a0a;
    Equalize equalize = Equalize::none;
  };

  /// What equalising wants counted.
  static Histogram::Format format_for(Equalize equalize);
  /// Where the panel lies in a frame, px; never empty, cut at the frame's edges.
  static Rect panel(const Settings &settings, int width, int height);
  /// Px of a dot of the font: as drawing::dot() says, fewer where that many leave no room for
  /// labels.
  static int unit(const Settings &settings, const Histogram::Format &format, int width, int height);
  /// How many bars of the fullest colours there is room for.
  static int rows(const Settings &settings, const Histogram::Format &format, int width, int height);

  /// Throws Error::failed where the device refuses the programs.
  HistogramRenderer(Context &context, int width, int height, Layout layout);

  /// Enqueues what shows a frame, equalised by `equalize_counts` of format_for(), with `counts` of
  /// `format` drawn over it; either may be null where nothing asks for it. Apart from the frame
  /// only the panel is written. Never waits.
  void run(Queue &queue, const Settings &settings, const drawing::Canvas &canvas,
           const Histogram::Format &format, const cl::Buffer &counts,
           const cl::Buffer &equalize_counts);

 private:
  size_t rows_at_a_time(const Device &device, const Rect &part) const;

  int width_, height_;
  Kernel fullest_, present_;
  cl::Buffer bars_;
};

}  // namespace glcl::histogram
