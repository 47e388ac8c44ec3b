// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcontexts.h"

// The tracers' functions have no stable interface.
#define GST_USE_UNSTABLE_API
#include <gst/gst.h>

#include <cstring>

void trace_gl_contexts() { g_setenv("GST_TRACERS", "leaks(filters=GstGLContext)", FALSE); }

namespace {

size_t live_gl_contexts() {
  size_t count = 0;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *tracer = tracers; tracer; tracer = tracer->next) {
    if (std::strcmp(G_OBJECT_TYPE_NAME(tracer->data), "GstLeaksTracer") != 0) continue;
    GstStructure *live = nullptr;
    g_signal_emit_by_name(tracer->data, "get-live-objects", &live);
    if (!live) continue;
    count += gst_value_list_get_size(gst_structure_get_value(live, "live-objects-list"));
    gst_structure_free(live);
  }
  g_list_free_full(tracers, gst_object_unref);
  return count;
}

}  // namespace

size_t lost_gl_contexts(size_t known) {
  size_t live = live_gl_contexts();
  for (int i = 0; live > known && i < 20; i++) {
    g_usleep(G_USEC_PER_SEC / 20);
    live = live_gl_contexts();
  }
  return live;
}
