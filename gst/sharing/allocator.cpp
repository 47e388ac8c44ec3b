// SPDX-License-Identifier: LGPL-2.1-or-later
#include "allocator.h"

#include <cstring>
#include <utility>

#include "deviceframe.h"
#include "memory.h"
#include "opencl/error.h"
#include "texture.h"

using glcl::sharing::DeviceFrame;
using glcl::sharing::Texture;

#define GST_TYPE_GLCL_ALLOCATOR (gst_glcl_allocator_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLAllocator, gst_glcl_allocator, GST, GLCL_ALLOCATOR,
                     GstGLMemoryPBOAllocator)

struct _GstGLCLAllocator {
  GstGLMemoryPBOAllocator parent;
  std::shared_ptr<glcl::sharing::Exporter> *exporter;
  glcl::sharing::ErrorHandler *report;
  // The functions of GstGLBaseMemory, which switch to the thread of the GL context.
  GstMemoryMapFullFunction map_by_gl;
  GstMemoryUnmapFullFunction unmap_by_gl;
};

G_DEFINE_TYPE(GstGLCLAllocator, gst_glcl_allocator, GST_TYPE_GL_MEMORY_PBO_ALLOCATOR)

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

size_t stride(const GstGLMemory *memory) {
  return GST_VIDEO_INFO_PLANE_STRIDE(&memory->info, memory->plane);
}

GstGLBaseMemoryAllocatorClass *parent_base() {
  return GST_GL_BASE_MEMORY_ALLOCATOR_CLASS(gst_glcl_allocator_parent_class);
}
GstGLMemoryAllocatorClass *parent_memory() {
  return GST_GL_MEMORY_ALLOCATOR_CLASS(gst_glcl_allocator_parent_class);
}

/// The flags of a map as an integer: GST_MAP_GL exceeds the range of the C++ enum GstMapFlags.
guint flags_of(const GstMapInfo &info) {
  guint flags = 0;
  static_assert(sizeof info.flags == sizeof flags);
  std::memcpy(&flags, &info.flags, sizeof flags);
  return flags;
}

/// Downloads a frame that only OpenCL has to the host memory that GstGL keeps for a texture. GstGL
/// uploads it from there when OpenGL needs it. If the caller `writes`, OpenCL's copy becomes
/// invalid.
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
constexpr int kept = 3;  // index of GstMapInfo::user_data that GstGL does not use

/// Maps a memory. A host read of a frame that only OpenCL has downloads it without OpenGL, on any
/// thread.
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
  glcl::sharing::wait_for_device(memory);
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
        base->context, *glcl::sharing::format_of(memory->info).planes[memory->plane],
        gst_gl_memory_get_texture_width(memory), gst_gl_memory_get_texture_height(memory));
    memory->tex_id = texture.exported->texture();
  } catch (const glcl::Error &failure) {
    g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "%s %s", failure.what(),
                failure.detail().c_str());
    return FALSE;
  }
  memory->texture_wrapped = TRUE;  // prevents the parent from creating a texture
  const gboolean created = parent_base()->create(base, error);
  memory->texture_wrapped = FALSE;
  return created;
}

static gpointer gst_glcl_allocator_map(GstGLBaseMemory *base, GstMapInfo *info, gsize size) {
  auto *memory = reinterpret_cast<GstGLMemory *>(base);
  const bool writes = flags_of(*info) & GST_MAP_WRITE;
  if (!glcl::sharing::to_gl(memory, !writes) || !to_host(memory, writes)) return nullptr;
  return parent_memory()->map(base, info, size);
}

/// Copies into a plain texture: the parent would respecify the copy's texture, which is immutable.
/// A copy of a part is host memory, not a texture. GStreamer maps that copy if this memory can't be
/// mapped, so a failed copy returns nothing.
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

namespace glcl::sharing {

GstAllocator *make_allocator(std::shared_ptr<Exporter> exporter, ErrorHandler report) {
  auto *allocator = GST_GLCL_ALLOCATOR(g_object_new(GST_TYPE_GLCL_ALLOCATOR, nullptr));
  gst_object_ref_sink(allocator);
  *allocator->exporter = std::move(exporter);
  *allocator->report = std::move(report);
  return GST_ALLOCATOR(allocator);
}

bool to_gl(GstGLMemory *memory, bool reads) {
  Texture *texture = hands_over(memory) ? &Texture::of(memory) : Texture::find(memory);
  return !texture || hand_over(memory, [&] { texture->to_gl(reads); });
}

void wait_for_device(GstGLMemory *memory) {
  if (gst_gl_context_get_current() == memory->mem.context) return;
  if (const DeviceFrame *frame = DeviceFrame::find(memory)) frame->wait_until_written();
  if (Texture *texture = Texture::find(memory)) texture->wait_until_used();
}

void forget(GstGLMemory *memory) {
  if (Texture *texture = Texture::find(memory)) texture->forget();
  if (DeviceFrame *frame = DeviceFrame::find(memory)) frame->invalidate();
}

bool hands_over(GstGLMemory *memory) { return GST_IS_GLCL_ALLOCATOR(memory->mem.mem.allocator); }

}  // namespace glcl::sharing
