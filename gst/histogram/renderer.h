// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "drawing/canvas.h"
#include "equalizer.h"
#include "histogram.h"
#include "histogram/interface.h"

namespace glcl::histogram {

/// Shows a frame, unchanged or equalised, and draws its histogram over it.
class HistogramRenderer {
 public:
  enum class Display {
    none = NO_DISPLAY,
    overlay = OVERLAY,  ///< all channels in one plot
    parade = PARADE,    ///< side by side
    stack = STACKED,    ///< one above the other
  };                    // joint formats always show their fullest bins as bars
  enum class Equalize {
    none = NO_EQUALIZATION,
    luma = EQUALIZE_LUMA,  ///< R, G and B change by as much as luma
    rgb = EQUALIZE_RGB,    ///< each channel separately
  };

  struct Settings {
    Display display = Display::none;
    bool logarithmic = false;
    /// Height of the 95th percentile of the bins as part of the plot, or more if the fullest bin
    /// leaves room. So a few full bins do not flatten the others. With 0 the fullest bin fills the
    /// plot.
    double level_height = 0.8;
    /// The panel, as fractions of the frame's width and height.
    double x = 0.66, y = 0.04, width = 0.32, height = 0.34;
    double opacity = 0.8;
    cl_uint foreground_color = 0xffe6e6e6;  ///< 0xAARRGGBB, of text, lines and luma bars
    cl_uint background_color = 0xff0a0a0a;
    Equalize equalize = Equalize::none;
  };

  /// The format that equalisation needs.
  static Histogram::Format format_for(Equalize equalize);
  /// The panel in a frame, px; never empty, clipped to the frame.
  static Rect panel(const Settings &settings, int width, int height);
  /// Px per dot of the font: drawing::dot(), or fewer if the labels would not fit.
  static int unit(const Settings &settings, const Histogram::Format &format, int width, int height);
  /// The number of bars for the fullest colours that fit.
  static int rows(const Settings &settings, const Histogram::Format &format, int width, int height);

  /// Throws Error::failed if the device refuses the programs.
  HistogramRenderer(Context &context, int width, int height, const FrameFormat &frame);

  /// Enqueues the equalisation of all planes of a frame by counts of format_for().
  void equalize(Queue &queue, Equalize equalize, const cl::Buffer &equalize_counts,
                const Picture &in, const Picture &out);

  /// Enqueues the drawing of a frame in RGBA: equalised by `equalize_counts` of format_for(), with
  /// `counts` of `format` drawn over it. Either is null if the settings do not need it. If the
  /// frame needs no copy, only the panel is written. Never waits.
  void run(Queue &queue, const Settings &settings, const drawing::Canvas &canvas,
           const Histogram::Format &format, const cl::Buffer &counts,
           const cl::Buffer &equalize_counts);

 private:
  size_t rows_at_a_time(const Device &device, const Rect &part) const;

  int width_, height_;
  Kernel fullest_, present_;
  std::optional<Equalizer> equalizer_;  // of frames with a plane of luma
  cl::Buffer bars_;
};

}  // namespace glcl::histogram
