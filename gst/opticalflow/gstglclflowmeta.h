// SPDX-License-Identifier: LGPL-2.1-or-later
/// @file
/// What glopenclflow attaches to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * The optical flow from the previous frame to this one. `buffer` holds
 *
 * - from 0 on float32 [`rows`, `columns`, 2]: x and y of the vectors in pixels per frame, +x right,
 * +y down;
 * - from `confidence_offset` on float32 [`rows`, `columns`]: their confidences, 0 to 1;
 * - but for method=lucas-kanade, from `list_offset` on a list of single pixels that were found
 *   again up to 63 px away, one of every 4 x 2 at most: an int32, their number, in 16 bytes; then
 *   float32 (x, y, vx, vy) for each, whole px and px per frame, x and y in the previous frame, in
 *   the order of rows of 2 px.
 *
 * Numbers are in native order. `buffer` stays on the device until it is mapped for reading or
 * extracted from, which any thread may do, also after the element is gone. Where the device fails,
 * mapping fails.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *buffer;       /**< vectors, confidences and list; owned by the meta */
  guint columns;           /**< vectors in a row */
  guint rows;              /**< rows of vectors */
  guint grid;              /**< px between vectors; the first lies at (`grid` / 2, `grid` / 2) */
  guint width;             /**< of the frame, px */
  guint height;            /**< of the frame, px */
  gsize confidence_offset; /**< in bytes */
  gsize list_offset;       /**< in bytes; 0 where there is no list */
} GstGLCLFlowMeta;

/** The name of the meta's API type, which is registered when the element is first used. */
#define GST_GLCL_FLOW_META_API_NAME "GstGLCLFlowMetaAPI"

/**
 * The flow that glopenclflow attached to a frame, with `attach-meta=true`; borrowed.
 *
 * @param buffer the frame
 * @return NULL where it has none
 */
static inline GstGLCLFlowMeta *gst_buffer_get_glcl_flow_meta(GstBuffer *buffer) {
  const GType api = g_type_from_name(GST_GLCL_FLOW_META_API_NAME);
  // C reads this too. NOLINTNEXTLINE(modernize-use-nullptr)
  return api ? (GstGLCLFlowMeta *)gst_buffer_get_meta(buffer, api) : NULL;
}

G_END_DECLS
