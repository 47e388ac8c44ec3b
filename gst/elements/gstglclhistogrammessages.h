// SPDX-License-Identifier: LGPL-2.1-or-later
// The message `glclhistogram`.
#pragma once

#include "base/gstglclanalyzer.h"
#include "histogram/histogram.h"

namespace glcl::histogram {

/// The value of the property `mode` for a format, and its name.
int mode_of(const Histogram::Format &format);
const char *mode_name(int mode);

/// The name of a value of the property `levels`.
const char *levels_name(Histogram::Levels values);
const char *levels_of(const Histogram::Format &format, const FrameFormat &frame);

/// Posts the message `glclhistogram`: counts of `pixels` pixels in a format, of frames.
void post(GstGLCLAnalyzer *self, const FrameTimes &times, const Histogram::Format &format,
          const FrameFormat &frame, guint64 pixels, const uint32_t *counts);

}  // namespace glcl::histogram
