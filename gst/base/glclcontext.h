// SPDX-License-Identifier: LGPL-2.1-or-later
// What the elements do with the context that gstglclcontext.h describes.
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "gstglclcontext.h"
#include "opencl/queue.h"
#include "sharing/sharing.h"

#define GST_TYPE_GLCL_CONTEXT (gst_glcl_context_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLContext, gst_glcl_context, GST, GLCL_CONTEXT, GstObject)

/// The context of these for the GL context, from all pipelines of the process, or a new one (then
/// `*created` is true). Throws glcl::Error. On the thread of the GL context. Transfer full.
GstGLCLContext *gst_glcl_context_get(GstGLContext *gl_context, const glcl::sharing::Choice &choice,
                                     bool *created);

/// A device's context without relation to OpenGL, with the driver's compiler loaded: that takes
/// long. Null where that fails.
std::shared_ptr<glcl::Context> gst_glcl_context_load(const glcl::Device &device);

GstGLContext *gst_glcl_context_gl_context(GstGLCLContext *self);
const glcl::Device &gst_glcl_context_device(GstGLCLContext *self);
const glcl::sharing::Choice &gst_glcl_context_choice(GstGLCLContext *self);

/// The queue that all users of the context share; the profiling one is made when first asked for.
glcl::Queue &gst_glcl_context_queue(GstGLCLContext *self, bool profile);

/// Wrapped for messages and queries. Transfer full.
GstContext *gst_glcl_context_wrap(GstGLCLContext *self);
/// Unwrapped; null where it holds none. Transfer full.
GstGLCLContext *gst_glcl_context_unwrap(GstContext *context);

/// Asks the neighbours and, where none has one and it is `needed`, the application (NEED_CONTEXT,
/// which it answers through set_context). Never call it on the GL thread: neighbours and
/// application may be waiting for that. Null or transfer full.
GstGLCLContext *gst_glcl_context_ask(GstElement *element, bool needed);

void gst_glcl_context_announce(GstElement *element, GstGLCLContext *self);
/// Answers a CONTEXT query for our type with `self`, which may be null.
bool gst_glcl_context_answer(GstQuery *query, GstGLCLContext *self);
