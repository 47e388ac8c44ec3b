// SPDX-License-Identifier: LGPL-2.1-or-later
// A property `roi`: an array of x, y, width and height.
#pragma once

#include <gst/gst.h>

#include "opencl/rect.h"

namespace glcl {

/// Parses a ROI value; anything but an empty array or four integers is ignored with a warning.
void set_region(Rect &area, const GValue *value);
void get_region(const Rect &area, GValue *value);

/// Warns if a roi exceeds frames of width × height px, so that only `used` is processed: once until
/// the roi is inside again. `warned` stores whether the warning was posted; reset it for frames of
/// another size.
void warn_of_region(GstElement *element, const Rect &roi, int width, int height, const Rect &used,
                    bool &warned);

}  // namespace glcl
