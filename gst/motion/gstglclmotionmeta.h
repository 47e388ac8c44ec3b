// SPDX-License-Identifier: LGPL-2.1-or-later
// What glclmotion attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGLCLMotionMeta:
 * @buffer: the results, to be mapped for reading; they stay on the device until then
 * @width: of the frame, px
 * @height: of the frame, px
 * @cell: px from one vector to the next
 * @columns: vectors in a row
 * @rows: rows of vectors
 * @block: side of a block or macroblock, px
 * @block_columns: blocks in a row
 * @block_rows: rows of blocks
 * @costs: where the costs begin in @buffer, bytes
 * @shapes: where the shapes begin in @buffer, bytes
 *
 * The block motion from the frame before to this one, by glclmotion. @buffer holds
 *
 * - from 0 on two gint16, x and y, for each cell, row by row: where the cell lies in the frame
 * before, relative to its place in this one, in quarter pixels. +x is right, +y down: what moves to
 * the right has a negative x.
 * - from @costs on a guint32 for each block: SAD + lambda * bits.
 * - from @shapes on a guint16 for each block: 0 where it is undivided; else bits 0 and 1 are the
 * division of the macroblock (1: 16x8, 2: 8x16, 3: quarters), and bits 2 + 2q and 3 + 2q that of
 * quarter q (0: 8x8, 1: 8x4, 2: 4x8, 3: 4x4).
 */
typedef struct {
  GstMeta meta;
  GstBuffer *buffer;
  guint width, height;
  guint cell, columns, rows;
  guint block, block_columns, block_rows;
  gsize costs, shapes;
} GstGLCLMotionMeta;

#define GST_GLCL_MOTION_META_API_NAME "GstGLCLMotionMetaAPI"

/** The buffer's block motion; NULL where it has none. */
static inline GstGLCLMotionMeta *gst_buffer_get_glcl_motion_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_MOTION_META_API_NAME);
  return api ? (GstGLCLMotionMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
