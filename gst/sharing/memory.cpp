// SPDX-License-Identifier: LGPL-2.1-or-later
#include "memory.h"

#include <gst/gl/gstglfuncs.h>

#include <utility>

#include "allocator.h"
#include "deviceframe.h"
#include "opencl/error.h"
#include "syncmeta.h"
#include "texture.h"

#define GST_TYPE_GLCL_POOL (gst_glcl_pool_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLPool, gst_glcl_pool, GST, GLCL_POOL, GstGLBufferPool)

struct _GstGLCLPool {
  GstGLBufferPool parent;
  GstAllocator *allocator;
};

G_DEFINE_TYPE(GstGLCLPool, gst_glcl_pool, GST_TYPE_GL_BUFFER_POOL)

static gboolean gst_glcl_pool_set_config(GstBufferPool *pool, GstStructure *config) {
  // Upstream elements set the default allocator in the config; replace it.
  gst_buffer_pool_config_set_allocator(config, GST_GLCL_POOL(pool)->allocator, nullptr);
  return GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->set_config(pool, config);
}

static GstFlowReturn gst_glcl_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                                GstBufferPoolAcquireParams *params) {
  const GstFlowReturn result =
      GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->alloc_buffer(pool, buffer, params);
  if (result == GST_FLOW_OK) {
    // Replace the parent's sync meta, if any: it does not handle OpenCL.
    if (GstGLSyncMeta *plain = gst_buffer_get_gl_sync_meta(*buffer))
      gst_buffer_remove_meta(*buffer, &plain->parent);
    glcl::sharing::add_sync_meta(GST_GL_BUFFER_POOL(pool)->context, *buffer);
  }
  return result;
}

/// An acquired buffer has no content. Its user may write into its pixel buffer and mark that only
/// by flags of the memory, as decoders and cudadownload do.
static GstFlowReturn gst_glcl_pool_acquire_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                                  GstBufferPoolAcquireParams *params) {
  const GstFlowReturn result =
      GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->acquire_buffer(pool, buffer, params);
  if (result == GST_FLOW_OK)
    for (guint i = 0; i < gst_buffer_n_memory(*buffer); i++)
      glcl::sharing::forget(reinterpret_cast<GstGLMemory *>(gst_buffer_peek_memory(*buffer, i)));
  return result;
}

static void gst_glcl_pool_finalize(GObject *object) {
  gst_clear_object(&GST_GLCL_POOL(object)->allocator);
  G_OBJECT_CLASS(gst_glcl_pool_parent_class)->finalize(object);
}

static void gst_glcl_pool_init(GstGLCLPool *) {}

static void gst_glcl_pool_class_init(GstGLCLPoolClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_glcl_pool_finalize;
  GST_BUFFER_POOL_CLASS(klass)->set_config = gst_glcl_pool_set_config;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = gst_glcl_pool_alloc_buffer;
  GST_BUFFER_POOL_CLASS(klass)->acquire_buffer = gst_glcl_pool_acquire_buffer;
}

namespace glcl::sharing {

const PixelFormat &format_of(const GstVideoInfo &info) {
  if (const PixelFormat *format = PixelFormat::find(GST_VIDEO_INFO_NAME(&info))) return *format;
  throw Error(Error::Kind::failed, "Frames of this format can't be shared. Use sharing=copy.",
              GST_VIDEO_INFO_NAME(&info));
}

GstBufferPool *make_pool(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                         ErrorHandler report) {
  auto *pool = GST_GLCL_POOL(g_object_new(GST_TYPE_GLCL_POOL, nullptr));
  gst_object_ref_sink(pool);
  pool->parent.context = GST_GL_CONTEXT(gst_object_ref(context));
  pool->allocator = make_allocator(std::move(exporter), std::move(report));
  return GST_BUFFER_POOL(pool);
}

namespace {

bool is_elsewhere(GstMemory *memory) {
  return gst_is_gl_memory(memory) &&
         (held(GST_GL_MEMORY_CAST(memory)) ||
          GST_MEMORY_FLAG_IS_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD));
}

}  // namespace

GstBuffer *allocate(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                    const GstVideoInfo &info, guint plane) {
  GstAllocator *allocator = make_allocator(std::move(exporter), {});
  const auto format = static_cast<GstGLFormat>(format_of(info).planes[plane]->gl);
  auto *params = gst_gl_video_allocation_params_new(context, nullptr, &info, plane, nullptr,
                                                    GST_GL_TEXTURE_TARGET_2D, format);
  GstGLBaseMemory *memory = gst_gl_base_memory_alloc(
      GST_GL_BASE_MEMORY_ALLOCATOR(allocator), reinterpret_cast<GstGLAllocationParams *>(params));
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
  gst_object_unref(allocator);
  if (!memory)
    throw Error(Error::Kind::failed,
                "Can't allocate a texture for sharing=external. Use sharing=copy.");
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, reinterpret_cast<GstMemory *>(memory));
  return buffer;
}

bool needs_hand_over(GstBuffer *frame) {
  bool needs = false;
  for (guint i = 0; i < gst_buffer_n_memory(frame); i++)
    needs = needs || is_elsewhere(gst_buffer_peek_memory(frame, i));
  return needs;
}

void wait_for_device(GstBuffer *frame) {
  for (guint i = 0; i < gst_buffer_n_memory(frame); i++) {
    GstMemory *memory = gst_buffer_peek_memory(frame, i);
    if (gst_is_gl_memory(memory)) wait_for_device(GST_GL_MEMORY_CAST(memory));
  }
}

void hand_to_gl(GstBuffer *frame, GstGLContext *context) {
  for (guint i = 0; i < gst_buffer_n_memory(frame); i++) {
    GstMemory *memory = gst_buffer_peek_memory(frame, i);
    if (!is_elsewhere(memory)) continue;
    TextureUse(GST_GL_MEMORY_CAST(memory), Access::read).map(GST_MAP_GL);
    forget(GST_GL_MEMORY_CAST(memory));  // a consumer may also write it without a map
  }
  if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(frame))
    gst_gl_sync_meta_set_sync_point(sync, context);
  context->gl_vtable->Flush();  // some consumers only wait for the texture's dma-buf
}

bool held(GstGLMemory *memory) {
  const Texture *texture = Texture::find(memory);
  if (texture && texture->holder()) return true;
  const DeviceFrame *frame = DeviceFrame::find(memory);
  return frame && frame->device_only();
}

}  // namespace glcl::sharing
