// SPDX-License-Identifier: LGPL-2.1-or-later
// What glclhistogram attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGLCLHistogramMeta:
 * @buffer: @channels * @bins guint32, in native order. It is read back from the device when it is
 *   mapped, which any thread may do, and only then.
 * @mode: 0 luma, 1 rgb, 2 color-8, 3 color-16, as the property `mode`
 * @channels: 1, 3 for rgb
 * @bins: of a channel; 512 and 4096 for color-8 and color-16
 * @x: left edge of what was counted, in pixels
 * @y: upper edge of it
 * @width: of it
 * @height: of it
 */
typedef struct {
  GstMeta meta;
  GstBuffer *buffer;
  gint mode;
  guint channels, bins;
  gint x, y, width, height;
} GstGLCLHistogramMeta;

#define GST_GLCL_HISTOGRAM_META_API_NAME "GstGLCLHistogramMetaAPI"

/** The buffer's histogram; NULL where it has none. */
static inline GstGLCLHistogramMeta *gst_buffer_get_glcl_histogram_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_HISTOGRAM_META_API_NAME);
  return api ? (GstGLCLHistogramMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
