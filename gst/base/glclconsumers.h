// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace glcl {

/// Kind of the elements that get the frames of a source pad; the least known of several counts.
enum class Consumers {
  opencl,   ///< gst-glcl elements
  mapping,  ///< GStreamer elements that map a frame before they use it, maybe on the GL thread
  unknown,  ///< others may use the texture or its pixel buffer without a map
};

/// Unlinked or unnegotiated pads have unknown consumers. Any thread.
Consumers consumers_of(GstPad *source);

}  // namespace glcl
