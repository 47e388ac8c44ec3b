// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// The threads of GL contexts, and those that they started, once no pipeline lives. It waits a
/// second for more than are known to end. GstGLBaseFilter of GStreamer 1.22 loses a context where a
/// state change to NULL comes while it negotiates on another thread: some 30 MiB of llvmpipe's
/// each.
size_t threads_of_gl_contexts(size_t known);
