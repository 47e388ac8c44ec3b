// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fencewaiter.h"

#include <gst/gl/gstglfuncs.h>

#include <memory>
#include <vector>

#include "opencl/userevent.h"

namespace glcl::sharing {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.FenceWaiter");
  return name;
}

/// A wait for a fence. Queues wait for its event, so the event completes in any case.
struct Wait {
  Wait(const cl::Context &context, GstGLContext *waiting) : waiting(waiting), event(context) {}
  ~Wait() { complete(event); }
  Wait(const Wait &) = delete;

  GstGLContext *waiting;
  cl::UserEvent event;
  GLsync fence = nullptr;
};

void wait(gpointer data) {
  const auto *wait = static_cast<Wait *>(data);
  const GstGLFuncs *gl = wait->waiting->gl_vtable;
  const GLenum status =
      gl->ClientWaitSync(wait->fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
  gl->DeleteSync(wait->fence);
  if (status != GL_ALREADY_SIGNALED && status != GL_CONDITION_SATISFIED)
    GST_ERROR("OpenGL did not finish a frame in 10 s: glClientWaitSync gave %u", status);
}

}  // namespace

FenceWaiter *FenceWaiter::of(GstGLContext *context) {
  auto *waiter = static_cast<FenceWaiter *>(g_object_get_qdata(G_OBJECT(context), quark()));
  if (!waiter) {
    waiter = new FenceWaiter(context);
    g_object_set_qdata_full(G_OBJECT(context), quark(), waiter,
                            [](gpointer data) { delete static_cast<FenceWaiter *>(data); });
  }
  return waiter->waiting_ ? waiter : nullptr;
}

FenceWaiter::FenceWaiter(GstGLContext *context) : context_(context) {
  if (!context->gl_vtable->FenceSync) return;
  waiting_ = gst_gl_context_new(context->display);
  GError *error = nullptr;
  if (gst_gl_context_create(waiting_, context, &error)) return;
  GST_WARNING("no second OpenGL context, so the host waits for OpenGL: %s", error->message);
  g_error_free(error);
  gst_clear_object(&waiting_);
}

FenceWaiter::~FenceWaiter() { gst_clear_object(&waiting_); }

void FenceWaiter::order(Queue &queue) {
  const GstGLFuncs *gl = context_->gl_vtable;
  auto work = std::make_unique<Wait>(queue.context().cl(), waiting_);
  const std::vector<cl::Event> events{work->event};
  queue.cl().enqueueBarrierWithWaitList(&events);
  work->fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl->Flush();
  GstGLWindow *window = gst_gl_context_get_window(waiting_);
  gst_gl_window_send_message_async(window, wait, work.release(),
                                   [](gpointer data) { delete static_cast<Wait *>(data); });
  gst_object_unref(window);
}

}  // namespace glcl::sharing
