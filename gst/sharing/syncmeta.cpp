// SPDX-License-Identifier: LGPL-2.1-or-later
#include "syncmeta.h"

#include <gst/gl/gstglfuncs.h>

#include "allocator.h"
#include "memory.h"

namespace glcl::sharing {

namespace {

/// The content of the pool's GstGLSyncMeta: the fence of OpenGL's last work and its buffer.
struct Sync {
  GstBuffer *buffer;
  GLsync fence;
};

Sync *sync_of(GstGLSyncMeta *meta) { return static_cast<Sync *>(meta->data); }

void buffer_to_gl(GstBuffer *buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory(buffer, i);
    if (gst_is_gl_memory(memory)) to_gl(GST_GL_MEMORY_CAST(memory), true);
  }
}

void wait_for_fence(GstGLSyncMeta *meta, GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  if (sync_of(meta)->fence && gl->WaitSync)
    gl->WaitSync(sync_of(meta)->fence, 0, GL_TIMEOUT_IGNORED);
}

void hand_over_and_wait(GstGLSyncMeta *meta, GstGLContext *context) {
  buffer_to_gl(sync_of(meta)->buffer);
  wait_for_fence(meta, context);
}

void hand_over_and_finish(GstGLSyncMeta *meta, GstGLContext *context) {
  buffer_to_gl(sync_of(meta)->buffer);
  const GstGLFuncs *gl = context->gl_vtable;
  if (sync_of(meta)->fence && gl->ClientWaitSync)
    gl->ClientWaitSync(sync_of(meta)->fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
  else
    gl->Finish();
}

/// Waits for the device on this thread. Then hands the frame over on the frame's GL thread, which
/// may differ from the thread of the context. Then finishes the wait on the thread of the context.
void wait_on_each_thread(GstGLSyncMeta *meta, GstGLContext *context,
                         void (*rest)(GstGLSyncMeta *, GstGLContext *)) {
  wait_for_device(sync_of(meta)->buffer);
  if (context != meta->context)
    on_gl_thread(meta->context, [=] { buffer_to_gl(sync_of(meta)->buffer); });
  on_gl_thread(context, [=] { rest(meta, context); });
}

void drop_fence(GstGLSyncMeta *meta, GstGLContext *context) {
  if (sync_of(meta)->fence) context->gl_vtable->DeleteSync(sync_of(meta)->fence);
  sync_of(meta)->fence = nullptr;
}

}  // namespace

void add_sync_meta(GstGLContext *context, GstBuffer *buffer) {
  GstGLSyncMeta *meta =
      gst_buffer_add_gl_sync_meta_full(context, buffer, new Sync{buffer, nullptr});
  meta->set_sync_gl = [](GstGLSyncMeta *meta, GstGLContext *context) {
    const GstGLFuncs *gl = context->gl_vtable;
    drop_fence(meta, context);
    if (gl->FenceSync) sync_of(meta)->fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (gst_gl_context_is_shared(context)) gl->Flush();
  };
  meta->wait_gl = hand_over_and_wait;
  meta->wait_cpu_gl = hand_over_and_finish;
  meta->wait = [](GstGLSyncMeta *meta, GstGLContext *context) {
    wait_on_each_thread(meta, context, hand_over_and_wait);
  };
  meta->wait_cpu = [](GstGLSyncMeta *meta, GstGLContext *context) {
    wait_on_each_thread(meta, context, hand_over_and_finish);
  };
  meta->copy = [](GstGLSyncMeta *from, GstBuffer *, GstGLSyncMeta *to, GstBuffer *buffer) {
    to->data = new Sync{buffer, nullptr};
    gst_gl_sync_meta_set_sync_point(to, from->context);
  };
  meta->free_gl = [](GstGLSyncMeta *meta, GstGLContext *context) {
    drop_fence(meta, context);
    delete sync_of(meta);
  };
}

void wait_for_gl(GstGLSyncMeta *meta, GstGLContext *context) {
  if (meta->wait_gl == hand_over_and_wait)
    wait_for_fence(meta, context);
  else
    gst_gl_sync_meta_wait(meta, context);
}

}  // namespace glcl::sharing
