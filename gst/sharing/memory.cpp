// SPDX-License-Identifier: LGPL-2.1-or-later
#include "memory.h"

#include <gst/gl/gstglfuncs.h>

#include <cstring>
#include <utility>

#include "deviceframe.h"
#include "opencl/error.h"
#include "texture.h"

using glcl::sharing::DeviceFrame;
using glcl::sharing::Texture;

#define GST_TYPE_GLCL_ALLOCATOR (gst_glcl_allocator_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLAllocator, gst_glcl_allocator, GST, GLCL_ALLOCATOR,
                     GstGLMemoryPBOAllocator)
#define GST_TYPE_GLCL_POOL (gst_glcl_pool_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLPool, gst_glcl_pool, GST, GLCL_POOL, GstGLBufferPool)

struct _GstGLCLAllocator {
  GstGLMemoryPBOAllocator parent;
  std::shared_ptr<glcl::sharing::Exporter> *exporter;
  glcl::sharing::ErrorHandler *report;
  // Those of GstGLBaseMemory, which go to the thread of the GL context.
  GstMemoryMapFullFunction map_by_gl;
  GstMemoryUnmapFullFunction unmap_by_gl;
};

struct _GstGLCLPool {
  GstGLBufferPool parent;
  GstGLCLAllocator *allocator;
};

G_DEFINE_TYPE(GstGLCLAllocator, gst_glcl_allocator, GST_TYPE_GL_MEMORY_PBO_ALLOCATOR)
G_DEFINE_TYPE(GstGLCLPool, gst_glcl_pool, GST_TYPE_GL_BUFFER_POOL)

namespace {

/// Runs the hand-over of a memory; on failure returns false and logs and reports it.
template <class Work>
bool hand_over(GstGLMemory *memory, const Work &work) {
  try {
    work();
    return true;
  } catch (const std::exception &error) {
    GST_ERROR("OpenCL did not release texture %u: %s", memory->tex_id, error.what());
    GstAllocator *allocator = memory->mem.mem.allocator;
    if (glcl::sharing::hands_over(memory) && *GST_GLCL_ALLOCATOR(allocator)->report)
      (*GST_GLCL_ALLOCATOR(allocator)->report)(std::current_exception());
    return false;
  }
}

/// Hands the texture to OpenGL, which reads or writes it from now on.
bool to_gl(GstGLMemory *memory, bool reads) {
  Texture *texture =
      glcl::sharing::hands_over(memory) ? &Texture::of(memory) : Texture::find(memory);
  if (!texture) return true;
  texture->read_by_gl(reads);
  return hand_over(memory, [&] { texture->to_gl(); });
}

/// OpenCL's copy of a memory is no longer valid.
void forget(GstGLMemory *memory) {
  if (Texture *texture = Texture::find(memory)) texture->forget();
  if (DeviceFrame *frame = DeviceFrame::find(memory)) frame->invalidate();
}

size_t stride(const GstGLMemory *memory) {
  return GST_VIDEO_INFO_PLANE_STRIDE(&memory->info, memory->plane);
}

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

void drop_fence(GstGLSyncMeta *meta, GstGLContext *context) {
  if (sync_of(meta)->fence) context->gl_vtable->DeleteSync(sync_of(meta)->fence);
  sync_of(meta)->fence = nullptr;
}

void add_sync_meta(GstGLContext *context, GstBuffer *buffer) {
  GstGLSyncMeta *meta =
      gst_buffer_add_gl_sync_meta_full(context, buffer, new Sync{buffer, nullptr});
  meta->set_sync_gl = [](GstGLSyncMeta *meta, GstGLContext *context) {
    const GstGLFuncs *gl = context->gl_vtable;
    drop_fence(meta, context);
    if (gl->FenceSync) sync_of(meta)->fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (gst_gl_context_is_shared(context)) gl->Flush();
  };
  meta->wait_gl = [](GstGLSyncMeta *meta, GstGLContext *context) {
    buffer_to_gl(sync_of(meta)->buffer);
    const GstGLFuncs *gl = context->gl_vtable;
    if (sync_of(meta)->fence && gl->WaitSync)
      gl->WaitSync(sync_of(meta)->fence, 0, GL_TIMEOUT_IGNORED);
  };
  meta->wait_cpu_gl = [](GstGLSyncMeta *meta, GstGLContext *context) {
    buffer_to_gl(sync_of(meta)->buffer);
    const GstGLFuncs *gl = context->gl_vtable;
    if (sync_of(meta)->fence && gl->ClientWaitSync)
      gl->ClientWaitSync(sync_of(meta)->fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
    else
      gl->Finish();
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

GstGLBaseMemoryAllocatorClass *parent_base() {
  return GST_GL_BASE_MEMORY_ALLOCATOR_CLASS(gst_glcl_allocator_parent_class);
}
GstGLMemoryAllocatorClass *parent_memory() {
  return GST_GL_MEMORY_ALLOCATOR_CLASS(gst_glcl_allocator_parent_class);
}

/// The purpose of a map. In C++ no GstMapFlags is as large as GST_MAP_GL.
guint flags_of(const GstMapInfo &info) {
  guint flags = 0;
  static_assert(sizeof info.flags == sizeof flags);
  std::memcpy(&flags, &info.flags, sizeof flags);
  return flags;
}

/// Downloads a frame that only OpenCL has to the host memory that GstGL keeps for a texture. GstGL
/// uploads it from there when OpenGL needs it. Later writers come after that.
bool to_host(GstGLMemory *memory, bool writes) {
  DeviceFrame *frame = DeviceFrame::find(memory);
  if (!frame) return true;
  if (frame->device_only()) {
    GstMapInfo info = GST_MAP_INFO_INIT;
    info.flags = GST_MAP_WRITE;
    gpointer host = parent_memory()->map(&memory->mem, &info, memory->mem.mem.maxsize);
    if (!host) return false;
    const bool good = hand_over(memory, [&] { frame->download(host, stride(memory)); });
    parent_memory()->unmap(&memory->mem, &info);
    if (!good) return false;
    GST_MINI_OBJECT_FLAG_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
    GST_MINI_OBJECT_FLAG_UNSET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    frame->downloaded();
  }
  if (writes) frame->invalidate();
  return true;
}

using Host = std::shared_ptr<const glcl::Pinned>;  // a frame on the host
constexpr int kept = 3;  // the place in GstMapInfo::user_data that GstGL leaves free

/// A host read of a frame that only OpenCL has downloads it from there, on any thread.
gpointer map_full(GstMemory *base, GstMapInfo *info, gsize size) {
  info->user_data[kept] = nullptr;
  auto *memory = reinterpret_cast<GstGLMemory *>(base);
  DeviceFrame *frame = DeviceFrame::find(memory);
  if (frame && !(flags_of(*info) & (GST_MAP_WRITE | GST_MAP_GL))) {
    Host host;
    if (!hand_over(memory, [&] { host = frame->on_host(stride(memory)); })) return nullptr;
    if (host) {
      info->user_data[kept] = new Host(host);
      return host->data();
    }
  }
  return GST_GLCL_ALLOCATOR(base->allocator)->map_by_gl(base, info, size);
}

void unmap_full(GstMemory *base, GstMapInfo *info) {
  if (info->user_data[kept])
    delete static_cast<Host *>(info->user_data[kept]);
  else
    GST_GLCL_ALLOCATOR(base->allocator)->unmap_by_gl(base, info);
}

}  // namespace

static gboolean gst_glcl_allocator_create(GstGLBaseMemory *base, GError **error) {
  auto *memory = reinterpret_cast<GstGLMemory *>(base);
  const auto &exporter = *GST_GLCL_ALLOCATOR(base->mem.allocator)->exporter;
  if (!exporter) return parent_base()->create(base, error);

  try {
    Texture &texture = Texture::of(memory);
    texture.exported = exporter->make(
        base->context, glcl::sharing::format_of(memory->info).planes[memory->plane],
        gst_gl_memory_get_texture_width(memory), gst_gl_memory_get_texture_height(memory));
    memory->tex_id = texture.exported->texture();
  } catch (const glcl::Error &failure) {
    g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "%s %s", failure.what(),
                failure.detail().c_str());
    return FALSE;
  }
  memory->texture_wrapped = TRUE;  // keeps the parent from making a texture of its own
  const gboolean created = parent_base()->create(base, error);
  memory->texture_wrapped = FALSE;
  return created;
}

static gpointer gst_glcl_allocator_map(GstGLBaseMemory *base, GstMapInfo *info, gsize size) {
  auto *memory = reinterpret_cast<GstGLMemory *>(base);
  const bool writes = flags_of(*info) & GST_MAP_WRITE;
  if (!to_gl(memory, !writes) || !to_host(memory, writes)) return nullptr;
  return parent_memory()->map(base, info, size);
}

/// Copies go to a plain texture's memory: the parent would respecify the copy's, which is
/// immutable. A copy of a part is host memory, not a texture. GStreamer maps that copy if this
/// memory can't be mapped, so a failed copy returns nothing.
static GstGLBaseMemory *gst_glcl_allocator_copy(GstGLBaseMemory *base, gssize offset, gssize size) {
  if (offset > 0 || (size >= 0 && gsize(size) < base->mem.size))
    return reinterpret_cast<GstGLBaseMemory *>(GST_GL_BASE_MEMORY_ALLOCATOR(base->mem.allocator)
                                                   ->fallback_mem_copy(&base->mem, offset, size));
  GstMapInfo from, to;
  auto *memory = reinterpret_cast<GstGLMemory *>(base);
  GstAllocator *plain = GST_ALLOCATOR(gst_gl_memory_allocator_get_default(base->context));
  auto *params =
      gst_gl_video_allocation_params_new(base->context, nullptr, &memory->info, memory->plane,
                                         &memory->valign, memory->tex_target, memory->tex_format);
  auto *copy = reinterpret_cast<GstMemory *>(gst_gl_base_memory_alloc(
      GST_GL_BASE_MEMORY_ALLOCATOR(plain), reinterpret_cast<GstGLAllocationParams *>(params)));
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
  gst_object_unref(plain);
  bool copied = false;
  if (copy && gst_memory_map(GST_MEMORY_CAST(base), &from, GST_MAP_READ)) {
    copied = gst_memory_map(copy, &to, GST_MAP_WRITE);
    if (copied) {
      memcpy(to.data, from.data, MIN(from.size, to.size));
      gst_memory_unmap(copy, &to);
    }
    gst_memory_unmap(GST_MEMORY_CAST(base), &from);
  }
  if (copy && !copied) {
    gst_memory_unref(copy);
    return nullptr;
  }
  return reinterpret_cast<GstGLBaseMemory *>(copy);
}

static void gst_glcl_allocator_finalize(GObject *object) {
  delete GST_GLCL_ALLOCATOR(object)->exporter;
  delete GST_GLCL_ALLOCATOR(object)->report;
  G_OBJECT_CLASS(gst_glcl_allocator_parent_class)->finalize(object);
}

static void gst_glcl_allocator_init(GstGLCLAllocator *self) {
  self->exporter = new std::shared_ptr<glcl::sharing::Exporter>;
  self->report = new glcl::sharing::ErrorHandler;
  auto *allocator = GST_ALLOCATOR(self);
  self->map_by_gl = std::exchange(allocator->mem_map_full, map_full);
  self->unmap_by_gl = std::exchange(allocator->mem_unmap_full, unmap_full);
}

static void gst_glcl_allocator_class_init(GstGLCLAllocatorClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_glcl_allocator_finalize;
  GST_GL_BASE_MEMORY_ALLOCATOR_CLASS(klass)->create = gst_glcl_allocator_create;
  GST_GL_MEMORY_ALLOCATOR_CLASS(klass)->map = gst_glcl_allocator_map;
  GST_GL_MEMORY_ALLOCATOR_CLASS(klass)->copy = gst_glcl_allocator_copy;
}

static gboolean gst_glcl_pool_set_config(GstBufferPool *pool, GstStructure *config) {
  // Upstream elements configure a pool with the default allocator.
  gst_buffer_pool_config_set_allocator(config, GST_ALLOCATOR(GST_GLCL_POOL(pool)->allocator),
                                       nullptr);
  return GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->set_config(pool, config);
}

static GstFlowReturn gst_glcl_pool_alloc_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                                GstBufferPoolAcquireParams *params) {
  const GstFlowReturn result =
      GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->alloc_buffer(pool, buffer, params);
  if (result == GST_FLOW_OK) {
    // The pool's own sync meta, where asked for, knows nothing of OpenCL.
    if (GstGLSyncMeta *plain = gst_buffer_get_gl_sync_meta(*buffer))
      gst_buffer_remove_meta(*buffer, &plain->parent);
    add_sync_meta(GST_GL_BUFFER_POOL(pool)->context, *buffer);
  }
  return result;
}

/// A new buffer has no content. Its user may write into its pixel buffer, as decoders and
/// cudadownload do, and mark that by the memory's flags only.
static GstFlowReturn gst_glcl_pool_acquire_buffer(GstBufferPool *pool, GstBuffer **buffer,
                                                  GstBufferPoolAcquireParams *params) {
  const GstFlowReturn result =
      GST_BUFFER_POOL_CLASS(gst_glcl_pool_parent_class)->acquire_buffer(pool, buffer, params);
  if (result == GST_FLOW_OK)
    for (guint i = 0; i < gst_buffer_n_memory(*buffer); i++)
      forget(reinterpret_cast<GstGLMemory *>(gst_buffer_peek_memory(*buffer, i)));
  return result;
}

static void gst_glcl_pool_finalize(GObject *object) {
  gst_clear_object(&GST_GLCL_POOL(object)->allocator);
  G_OBJECT_CLASS(gst_glcl_pool_parent_class)->finalize(object);
}

static void gst_glcl_pool_init(GstGLCLPool *self) {
  self->allocator = GST_GLCL_ALLOCATOR(g_object_new(GST_TYPE_GLCL_ALLOCATOR, nullptr));
  gst_object_ref_sink(self->allocator);
}

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
  *pool->allocator->exporter = std::move(exporter);
  *pool->allocator->report = std::move(report);
  return GST_BUFFER_POOL(pool);
}

GstBuffer *allocate(GstGLContext *context, std::shared_ptr<Exporter> exporter,
                    const PixelFormat &format, int width, int height) {
  auto *allocator = GST_GLCL_ALLOCATOR(g_object_new(GST_TYPE_GLCL_ALLOCATOR, nullptr));
  gst_object_ref_sink(allocator);
  *allocator->exporter = std::move(exporter);
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format.name), width, height);
  auto *params = gst_gl_video_allocation_params_new(context, nullptr, &info, 0, nullptr,
                                                    GST_GL_TEXTURE_TARGET_2D,
                                                    static_cast<GstGLFormat>(format.planes[0].gl));
  GstBuffer *buffer = gst_buffer_new();
  const bool allocated = gst_gl_memory_setup_buffer(GST_GL_MEMORY_ALLOCATOR(allocator), buffer,
                                                    params, nullptr, nullptr, 0);
  gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
  gst_object_unref(allocator);
  if (!allocated) {
    gst_clear_buffer(&buffer);
    throw Error(Error::Kind::failed,
                "Can't allocate a texture for sharing=external. Use sharing=copy.");
  }
  return buffer;
}

void wait_for_gl(GstGLSyncMeta *sync, GstGLMemory *memory, GstGLContext *context) {
  const Texture *known = Texture::find(memory);
  const bool read_by_gl = known && known->read_by_gl();
  gst_gl_sync_meta_wait(sync, context);
  if (Texture *texture = Texture::find(memory)) texture->read_by_gl(read_by_gl);
}

void hand_to_gl(GstBuffer *frame, GstGLContext *context) {
  bool handed = false;
  for (guint i = 0; i < gst_buffer_n_memory(frame); i++) {
    GstMemory *memory = gst_buffer_peek_memory(frame, i);
    if (!gst_is_gl_memory(memory) ||
        (!held(GST_GL_MEMORY_CAST(memory)) &&
         !GST_MEMORY_FLAG_IS_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD)))
      continue;
    TextureUse(GST_GL_MEMORY_CAST(memory), Access::read).map(GST_MAP_GL);
    forget(GST_GL_MEMORY_CAST(memory));  // it may be written without a map, too
    handed = true;
  }
  if (!handed) return;
  if (GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(frame))
    gst_gl_sync_meta_set_sync_point(sync, context);
  context->gl_vtable->Flush();  // others may wait for the texture's dma-buf alone
}

bool held(GstGLMemory *memory) {
  const Texture *texture = Texture::find(memory);
  if (texture && texture->holder()) return true;
  const DeviceFrame *frame = DeviceFrame::find(memory);
  return frame && frame->device_only();
}

bool hands_over(GstGLMemory *memory) { return GST_IS_GLCL_ALLOCATOR(memory->mem.mem.allocator); }

}  // namespace glcl::sharing
