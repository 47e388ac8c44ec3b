// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclcontext.h"

#include <list>
#include <mutex>

#include "opencl/processexit.h"
#include "opencl/waiting.h"

struct _GstGLCLContext {
  GstObject parent;
  struct GstGLCLContextPrivate *priv;
};

struct GstGLCLContextPrivate {
  GstGLContext *gl_context = nullptr;
  glcl::sharing::Choice choice;
  std::shared_ptr<glcl::Context> context;
  std::unique_ptr<glcl::Queue> queue;  // the application's
  std::unique_ptr<glcl::QueueWork> at_exit;
};

G_DEFINE_TYPE(GstGLCLContext, gst_glcl_context, GST_TYPE_OBJECT)

namespace {

/// A context in use. The reference is weak, so the last user ends the context. The other fields
/// identify it without a reference. The registry references only contexts of the caller's own GL
/// context: releasing the last reference waits for the thread of the GL context, and that thread
/// may be waiting for the registry.
struct ContextEntry {
  GWeakRef context;
  const GstGLCLContext *self;
  const GstGLContext *gl_context;
  const glcl::sharing::SharingMethod *method;
  cl_device_id device;
};

struct Registry {
  std::mutex mutex;
  std::list<ContextEntry> contexts;
};

Registry &registry() {
  static auto *all = new Registry;
  return *all;
}

GstGLCLContext *find(Registry &all, GstGLContext *gl_context, const glcl::sharing::Choice &choice) {
  for (ContextEntry &entry : all.contexts) {
    if (entry.gl_context != gl_context || entry.method != choice.method ||
        entry.device != choice.device.device())
      continue;
    gpointer known = g_weak_ref_get(&entry.context);
    if (!known) continue;
    if (!glcl::is_abandoned(GST_GLCL_CONTEXT(known)->priv->context->cl()))
      return GST_GLCL_CONTEXT(known);
    gst_object_unref(known);
  }
  return nullptr;
}

void forget(const GstGLCLContext *self) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  for (auto entry = all.contexts.begin(); entry != all.contexts.end(); ++entry)
    if (entry->self == self) {
      g_weak_ref_clear(&entry->context);
      all.contexts.erase(entry);
      return;
    }
}

GstGLCLContext *peer_context(GstElement *element, GstPadDirection direction) {
  GstQuery *query = gst_query_new_context(GST_GLCL_CONTEXT_TYPE);
  GstGLCLContext *found = nullptr;
  GList *pads = direction == GST_PAD_SRC ? element->srcpads : element->sinkpads;
  for (GList *pad = pads; pad && !found; pad = pad->next) {
    GstContext *context = nullptr;
    if (gst_pad_peer_query(GST_PAD(pad->data), query)) gst_query_parse_context(query, &context);
    if (context) found = gst_glcl_context_unwrap(context);
  }
  gst_query_unref(query);
  return found;
}

/// Keeps the GL context alive for compiler threads that still run after the OpenCL context was
/// dropped.
std::shared_ptr<void> kept(GstGLContext *gl_context) {
  return {gst_object_ref(gl_context), gst_object_unref};
}

}  // namespace

static void gst_glcl_context_init(GstGLCLContext *self) { self->priv = new GstGLCLContextPrivate; }

static void gst_glcl_context_finalize(GObject *object) {
  GstGLCLContext *self = GST_GLCL_CONTEXT(object);
  GstGLContext *gl_context = self->priv->gl_context;
  forget(self);
  // An OpenCL context made from a GL context must be destroyed on the GL thread, before the GL
  // context.
  if (gl_context)
    gst_gl_context_thread_add(
        gl_context,
        [](GstGLContext *, gpointer priv) { delete static_cast<GstGLCLContextPrivate *>(priv); },
        self->priv);
  else
    delete self->priv;
  gst_clear_object(&gl_context);
  G_OBJECT_CLASS(gst_glcl_context_parent_class)->finalize(object);
}

static void gst_glcl_context_class_init(GstGLCLContextClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_glcl_context_finalize;
}

GstGLCLContext *gst_glcl_context_get(GstGLContext *gl_context, const glcl::sharing::Choice &choice,
                                     bool *created) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  GstGLCLContext *self = find(all, gl_context, choice);
  *created = !self;
  if (self) return self;

  const auto &properties = choice.factory.properties;
  auto context = properties.empty()
                     ? glcl::Context::of_device(choice.device)
                     : std::make_shared<glcl::Context>(choice.device, properties, kept(gl_context));
  auto queue = std::make_unique<glcl::Queue>(context);
  self = GST_GLCL_CONTEXT(g_object_new(GST_TYPE_GLCL_CONTEXT, nullptr));
  gst_object_ref_sink(self);
  self->priv->gl_context = GST_GL_CONTEXT(gst_object_ref(gl_context));
  self->priv->choice = choice;
  self->priv->context = std::move(context);
  self->priv->queue = std::move(queue);
  self->priv->at_exit = std::make_unique<glcl::QueueWork>(self->priv->queue->cl());
  all.contexts.push_back({{}, self, gl_context, choice.method, choice.device.device()});
  g_weak_ref_init(&all.contexts.back().context, self);
  return self;
}

std::shared_ptr<glcl::Context> gst_glcl_context_load(const glcl::Device &device) {
  try {
    std::shared_ptr<glcl::Context> context = glcl::Context::of_device(device);
    glcl::Program(context->cl(), device, "nothing", "__kernel void nothing() {}", {}).build_ahead();
    return context;
  } catch (const std::exception &) {
    return nullptr;  // the first use reports the reason
  }
}

GstGLContext *gst_glcl_context_gl_context(GstGLCLContext *self) { return self->priv->gl_context; }

const glcl::Device &gst_glcl_context_device(GstGLCLContext *self) {
  return self->priv->context->device();
}

const glcl::sharing::Choice &gst_glcl_context_choice(GstGLCLContext *self) {
  return self->priv->choice;
}

glcl::Context &gst_glcl_context_opencl(GstGLCLContext *self) { return *self->priv->context; }

GstContext *gst_glcl_context_wrap(GstGLCLContext *self) {
  GstGLCLContextPrivate *priv = self->priv;
  // Bins keep persistent contexts even in NULL. A bin in NULL must not hold a GL context.
  constexpr gboolean persistent = FALSE;
  GstContext *context = gst_context_new(GST_GLCL_CONTEXT_TYPE, persistent);
  gst_structure_set(gst_context_writable_structure(context),              //
                    "context", GST_TYPE_GLCL_CONTEXT, self,               //
                    "gl-context", GST_TYPE_GL_CONTEXT, priv->gl_context,  //
                    "cl-context", G_TYPE_POINTER, priv->context->cl()(),  //
                    "cl-device", G_TYPE_POINTER, priv->context->device().device(), "cl-queue",
                    G_TYPE_POINTER, priv->queue->cl()(),  //
                    "sharing", G_TYPE_STRING, priv->choice.method->name, nullptr);
  return context;
}

GstGLCLContext *gst_glcl_context_unwrap(GstContext *context) {
  GstGLCLContext *self = nullptr;
  if (gst_context_has_context_type(context, GST_GLCL_CONTEXT_TYPE))
    gst_structure_get(gst_context_get_structure(context), "context", GST_TYPE_GLCL_CONTEXT, &self,
                      nullptr);
  return self;
}

GstGLCLContext *gst_glcl_context_ask(GstElement *element, bool needed) {
  for (GstPadDirection direction : {GST_PAD_SRC, GST_PAD_SINK})
    if (GstGLCLContext *found = peer_context(element, direction)) return found;
  if (needed)
    gst_element_post_message(
        element, gst_message_new_need_context(GST_OBJECT(element), GST_GLCL_CONTEXT_TYPE));
  return nullptr;
}

void gst_glcl_context_announce(GstElement *element, GstGLCLContext *self) {
  GstContext *context = gst_glcl_context_wrap(self);
  gst_element_post_message(element, gst_message_new_have_context(GST_OBJECT(element), context));
}

bool gst_glcl_context_answer(GstQuery *query, GstGLCLContext *self) {
  const gchar *type = nullptr;
  gst_query_parse_context_type(query, &type);
  if (!self || g_strcmp0(type, GST_GLCL_CONTEXT_TYPE) != 0) return false;
  GstContext *context = gst_glcl_context_wrap(self);
  gst_query_set_context(query, context);
  gst_context_unref(context);
  return true;
}
