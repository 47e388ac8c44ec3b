// SPDX-License-Identifier: LGPL-2.1-or-later
/// @file
/// What glclmotion attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * The block motion from the frame before to this one. `buffer` holds
 *
 * - from 0 on two gint16, x and y, for each cell, row by row, `rows` x `columns`: the vector from
 * where the cell lies in the frame before to its place in this one, in quarter pixels. +x is right,
 * +y down: what moves to the right has a positive x.
 * - from `costs` on a guint32 for each block, `block_rows` x `block_columns`: SAD + lambda * bits,
 * in levels of 0 to 255.
 * - from `shapes` on a guint16 for each block: 0 where it is undivided; else bits 0 and 1 are the
 *   division of the macroblock (1: 16x8, 2: 8x16, 3: quarters), and bits 2 + 2q and 3 + 2q that of
 *   quarter q (0: 8x8, 1: 8x4, 2: 4x8, 3: 4x4).
 *
 * Numbers are in native order. `buffer` stays on the device until it is mapped for reading or
 * extracted from, which any thread may do, also after the element is gone. Where the device fails,
 * mapping fails.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *buffer;   /**< vectors, costs and shapes; owned by the meta */
  guint width;         /**< of the frame, px */
  guint height;        /**< of the frame, px */
  guint cell;          /**< from one vector to the next, px */
  guint columns;       /**< vectors in a row */
  guint rows;          /**< rows of vectors */
  guint block;         /**< side of a block or macroblock, px: 4, 8, 16 or 32 */
  guint block_columns; /**< blocks in a row */
  guint block_rows;    /**< rows of blocks */
  gsize costs;         /**< where the costs begin in `buffer`, bytes */
  gsize shapes;        /**< where the shapes begin in `buffer`, bytes */
} GstGLCLMotionMeta;

/** The name of the meta's API type, which is registered when the element is first used. */
#define GST_GLCL_MOTION_META_API_NAME "GstGLCLMotionMetaAPI"

/**
 * The block motion that glclmotion attached to a frame, with `attach-meta=true`; borrowed.
 *
 * @param buffer the frame
 * @return NULL where it has none
 */
static inline GstGLCLMotionMeta *gst_buffer_get_glcl_motion_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_MOTION_META_API_NAME);
  // C reads this too. NOLINTNEXTLINE(modernize-use-nullptr)
  return api ? (GstGLCLMotionMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
