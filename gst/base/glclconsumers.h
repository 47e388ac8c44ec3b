// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace glcl {

/// True if all consumers downstream of a source pad map a frame before they use it: gst-glcl
/// elements and known GStreamer elements. Others may use the texture or its pixel buffer without a
/// map; unlinked or unnegotiated pads count as such. Any thread.
bool consumers_map(GstPad *source);

}  // namespace glcl
