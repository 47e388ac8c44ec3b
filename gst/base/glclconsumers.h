// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace glcl {

/// Whether all consumers behind a source pad map a frame before they use it: elements of ours, and
/// GStreamer's own that do. Others may take the texture or its pixel buffer as it is, and what is
/// not linked or not negotiated yet may become one of those. Any thread.
bool consumers_map(GstPad *source);

}  // namespace glcl
