// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions for elements on the context of gstglclcontext.h.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "gst-glcl/gstglclcontext.h"
#include "opencl/queue.h"
#include "sharing/sharing.h"

#define GST_TYPE_GLCL_CONTEXT (gst_glcl_context_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLContext, gst_glcl_context, GST, GLCL_CONTEXT, GstObject)

/// Returns the context for these arguments and the GL context, shared by all pipelines of the
/// process, or a new one (then `*created` is true). Throws glcl::Error. Call it on the thread of
/// the GL context. Transfer full.
GstGLCLContext *gst_glcl_context_get(GstGLContext *gl_context, const glcl::sharing::Choice &choice,
                                     bool *created);

/// Creates a context of a device without OpenGL and loads the driver's compiler, which is slow.
/// Null on failure.
std::shared_ptr<glcl::Context> gst_glcl_context_load(const glcl::Device &device);

GstGLContext *gst_glcl_context_gl_context(GstGLCLContext *self);
const glcl::Device &gst_glcl_context_device(GstGLCLContext *self);
const glcl::sharing::Choice &gst_glcl_context_choice(GstGLCLContext *self);

glcl::Context &gst_glcl_context_opencl(GstGLCLContext *self);

/// Wraps the context for messages and queries. Transfer full.
GstContext *gst_glcl_context_wrap(GstGLCLContext *self);
/// Unwraps the context; null if there is no OpenCL context in it. Transfer full.
GstGLCLContext *gst_glcl_context_unwrap(GstContext *context);

/// Queries the neighbours for a context. If they have none and it is `needed`, asks the application
/// (NEED_CONTEXT, answered through set_context). Never call it on the GL thread, because neighbours
/// and application may wait for that thread. Null or transfer full.
GstGLCLContext *gst_glcl_context_ask(GstElement *element, bool needed);

void gst_glcl_context_announce(GstElement *element, GstGLCLContext *self);
/// Answers a CONTEXT query for our type with `self`, which may be null.
bool gst_glcl_context_answer(GstQuery *query, GstGLCLContext *self);
