// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// Has GStreamer's leaks tracer follow GL contexts; call it before gst_init().
void trace_gl_contexts();

/// The GL contexts that outlive all pipelines by a second, or that are no more than those known.
/// GstGLBaseFilter of GStreamer 1.22 loses one where a state change to NULL comes while it
/// negotiates on another thread: some 30 MiB of llvmpipe's each.
size_t lost_gl_contexts(size_t known);
