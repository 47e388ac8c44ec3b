/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The histogram of a frame as glclhistogram attaches it. Registered under the name
 * "GstGLCLHistogramMeta", API "GstGLCLHistogramMetaAPI":
 *
 *   gst_buffer_get_meta (buffer, g_type_from_name ("GstGLCLHistogramMetaAPI"))
 *
 * It has no tags, so that elements which know nothing of it pass it on.
 */
#ifndef GST_GLCL_HISTOGRAM_META_H
#define GST_GLCL_HISTOGRAM_META_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstMeta meta;
  /* channels * bins guint32, in native order; it stays on the device until it is mapped for
   * reading, which any thread may do. */
  GstBuffer *buffer;
  gint mode;                /* 0 luma, 1 rgb, 2 color-8, 3 color-16, as the property `mode` */
  guint channels;           /* 1, 3 for rgb */
  guint bins;               /* of a channel; 512 and 4096 for color-8 and color-16 */
  gint x, y, width, height; /* what was counted, px */
} GstGLCLHistogramMeta;

G_END_DECLS

#endif
