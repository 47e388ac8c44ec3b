// SPDX-License-Identifier: LGPL-2.1-or-later
// What glopenclflow attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGLCLFlowMeta:
 * @buffer: float32 [@rows, @columns, 2], the vectors from the previous frame to this one in pixels
 * per frame, +x right, +y down; then from @confidence_offset on float32 [@rows, @columns], their
 *   confidences, 0 to 1. It is read back from the device when it is mapped, and only then.
 * @columns: vectors in a row
 * @rows: rows of vectors
 * @grid: pixels between vectors; the first lies at (@grid / 2, @grid / 2)
 * @width: of the frame, in pixels
 * @height: of the frame, in pixels
 * @confidence_offset: in bytes
 * @list_offset: in bytes, 0 where there is no list. With method=census the buffer ends with a list
 * of single vectors, the surest of every 8 x 8 pixels: an int32, their number, in 16 bytes; then
 * float32 (x, y, vx, vy) for each, in the order of rows.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *buffer;
  guint columns, rows, grid, width, height;
  gsize confidence_offset, list_offset;
} GstGLCLFlowMeta;

#define GST_GLCL_FLOW_META_API_NAME "GstGLCLFlowMetaAPI"

/** The buffer's flow; NULL where it has none. */
static inline GstGLCLFlowMeta *gst_buffer_get_glcl_flow_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_FLOW_META_API_NAME);
  return api ? (GstGLCLFlowMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
