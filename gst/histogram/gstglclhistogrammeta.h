// SPDX-License-Identifier: LGPL-2.1-or-later
/// @file
/// What glclhistogram attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * The histogram of a frame. Counts are exact: they add up to `width` * `height` for each channel.
 *
 * `buffer` stays on the device until it is mapped for reading or extracted from, which any thread
 * may do, also after the element is gone. Where the device fails, mapping fails.
 */
typedef struct {
  GstMeta meta;
  /** `channels` * `bins` guint32 in native order, channel after channel; owned by the meta. */
  GstBuffer *buffer;
  gint mode;      /**< 0 luma, 1 rgb, 2 color-8, 3 color-16, as the property `mode` */
  guint channels; /**< 3 for rgb (R, G, B), else 1 */
  guint bins;     /**< of a channel: 32, 64, 128 or 256; 512 for color-8, 4096 for color-16 */
  gint x;         /**< left edge of what was counted, px */
  gint y;         /**< upper edge of what was counted, px */
  gint width;     /**< of what was counted, px, at least 1 */
  gint height;    /**< of what was counted, px, at least 1 */
} GstGLCLHistogramMeta;

/** The name of the meta's API type, which is registered when the element is first used. */
#define GST_GLCL_HISTOGRAM_META_API_NAME "GstGLCLHistogramMetaAPI"

/**
 * The histogram that glclhistogram attached to a frame, with `attach-meta=true`; borrowed.
 *
 * @param buffer the frame
 * @return NULL where it has none
 */
static inline GstGLCLHistogramMeta *gst_buffer_get_glcl_histogram_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_HISTOGRAM_META_API_NAME);
  // C reads this too. NOLINTNEXTLINE(modernize-use-nullptr)
  return api ? (GstGLCLHistogramMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
