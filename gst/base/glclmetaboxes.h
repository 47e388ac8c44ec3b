// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <vector>

#include "opencl/rect.h"

namespace glcl {

/// A box that another element has attached to a frame.
struct MetaBox {
  RectF box;       ///< px
  guint64 id = 0;  ///< 0: it has none
  GQuark type = 0;
};

/// The regions of interest of a frame, and with GStreamer 1.24 its detections, each with the number
/// of its track. A region in the place of a detection is left out. So are empty boxes.
std::vector<MetaBox> meta_boxes(GstBuffer *frame);

}  // namespace glcl
