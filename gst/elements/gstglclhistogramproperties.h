// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glclhistogram.
#pragma once

#include "base/glclproperties.h"
#include "base/glclregion.h"
#include "gstglclhistogramshots.h"
#include "histogram/histogram.h"
#include "histogram/renderer.h"

namespace glcl::histogram {

/// Values of `mode`.
enum { mode_luma, mode_rgb, mode_color_8, mode_color_16 };

/// The values of the properties.
struct HistogramProperties : HistogramRenderer::Settings, ShotDetection::Settings {
  int mode = mode_luma, bins = 256;
  Histogram::Levels levels = Histogram::Levels::display;
  Rect roi;

  Histogram::Format format() const {
    constexpr Histogram::Mode modes[] = {Histogram::Mode::luma, Histogram::Mode::rgb,
                                         Histogram::Mode::color_8, Histogram::Mode::color_16};
    Histogram::Format format{modes[mode], bins};
    if (mode == mode_luma) format.values = levels;
    return format;
  }
};

void add_properties(Properties<HistogramProperties> &properties);

}  // namespace glcl::histogram
