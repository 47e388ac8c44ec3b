/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The OpenCL context that elements share, as applications see it. Needs GStreamer only; nothing has
 * to be linked.
 *
 * Elements in a row, and elements of all pipelines on one GstGLContext, work in one OpenCL context,
 * each on a command queue of its own. They hand the context on in a GstContext of type
 * #GST_GLCL_CONTEXT_TYPE: it answers CONTEXT queries, is announced by HAVE_CONTEXT and asked for by
 * NEED_CONTEXT messages, and gst_element_set_context() takes it. Elements and bins keep it until
 * they go to NULL. Its structure has the fields
 *
 * - `context`, GstGLCLContext*: keeps the rest alive
 * - `gl-context`, GstGLContext*: the GL context that it belongs to
 * - `cl-context`, cl_context as G_TYPE_POINTER; borrowed from `context`, as are the next two
 * - `cl-device`, cl_device_id as G_TYPE_POINTER
 * - `cl-queue`, cl_command_queue as G_TYPE_POINTER: an in-order queue for the application's own
 *   work. Elements do not use it.
 * - `sharing`, string: `gl`, `external`, `egl` or `copy`, how OpenCL gets at the textures of
 *   `gl-context`
 *
 * docs/embedding.md has an example.
 */
#ifndef GST_GLCL_CONTEXT_H
#define GST_GLCL_CONTEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/** The type of the GstContext that holds the OpenCL context. */
#define GST_GLCL_CONTEXT_TYPE "gst.glcl.Context"

/** Opaque; a GstObject that keeps the OpenCL context, its device and its queue alive. */
typedef struct _GstGLCLContext GstGLCLContext;

G_END_DECLS

#endif
