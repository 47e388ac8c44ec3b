// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace glcl {

/// When a frame was taken, ns since 1970, UTC: by a GstReferenceTimestampMeta with the caps
/// timestamp/x-unix or timestamp/x-ntp, else by the element's clock at this running time, or now
/// without a clock.
guint64 real_time(GstElement *element, GstBuffer *frame, GstClockTime running_time);

}  // namespace glcl
