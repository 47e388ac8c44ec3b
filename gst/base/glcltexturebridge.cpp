// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcltexturebridge.h"

#include <algorithm>

#include "opencl/error.h"
#include "sharing/memory.h"

namespace glcl {

namespace {

using sharing::Access;
using sharing::AcquiredScope;
using sharing::Sharing;
using sharing::SharingMethod;
using sharing::TextureUse;

/// The texture of a frame. Whatever its caps say, a buffer may hold anything. Throws.
GstGLMemory *texture_of(GstBuffer *buffer, const GstVideoInfo &info, const PlaneFormat &plane) {
  GstMemory *first = gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  if (!first || !gst_is_gl_memory(first))
    throw Error(Error::Kind::failed,
                "A frame has no OpenGL texture. Add \"glupload !\" before the element.");
  GstGLMemory *memory = GST_GL_MEMORY_CAST(first);
  const guint format = gst_gl_memory_get_texture_format(memory);
  const int width = gst_gl_memory_get_texture_width(memory),
            height = gst_gl_memory_get_texture_height(memory);
  if (width != GST_VIDEO_INFO_WIDTH(&info) || height != GST_VIDEO_INFO_HEIGHT(&info) ||
      (format != plane.gl && format != plane.gl_base))
    throw Error(Error::Kind::failed,
                "The OpenGL texture of a frame does not match the caps. Fix the upstream element.",
                std::to_string(width) + "×" + std::to_string(height) + " px, format " +
                    std::to_string(format) + ", instead of " + GST_VIDEO_INFO_NAME(&info) +
                    " with " + std::to_string(GST_VIDEO_INFO_WIDTH(&info)) + "×" +
                    std::to_string(GST_VIDEO_INFO_HEIGHT(&info)) + " px");
  return memory;
}

/// Makes the next work of OpenGL on this thread wait for earlier work on the frame, unless the
/// frame comes directly from OpenCL.
void wait_for(GstBuffer *buffer, GstGLMemory *memory, GstGLContext *gl_context) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer);
  if (sync && !sharing::held(memory)) sharing::wait_for_gl(sync, memory, gl_context);
}

/// Marks where OpenGL's work on the frame ends. A memory that hands itself over needs no mark.
void mark(GstBuffer *buffer, GstGLMemory *memory, GstGLContext *gl_context) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(buffer);
  if (sync && !sharing::hands_over(memory)) gst_gl_sync_meta_set_sync_point(sync, gl_context);
}

}  // namespace

TextureBridge::TextureBridge(GstBaseTransform *element, GstGLCLContext *context,
                             std::shared_ptr<sharing::Copies> copies)
    : element_(element),
      context_(context),
      copies_(std::move(copies)),
      sharing_(gst_glcl_context_choice(context).factory.make()) {
  sharing_->count_in(copies_);
}

void TextureBridge::replace_pool(GstQuery *query, const sharing::ErrorHandler &report) {
  if (gst_query_get_n_allocation_pools(query) == 0) return;
  GstBufferPool *pool = sharing_->make_pool(gl_context(), report);
  if (!pool) return;
  GstCaps *caps;
  guint size, min, max;
  gst_query_parse_allocation(query, &caps, nullptr);
  gst_query_parse_nth_allocation_pool(query, 0, nullptr, &size, &min, &max);
  // Three take turns, so that OpenGL can draw the next frame while OpenCL still reads the last one.
  min = std::max(min, max ? std::min(max, 3u) : 3u);
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config(pool, config);
  gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  gst_object_unref(pool);
}

/// The method in use, or copying where a texture belongs to a GL context that shares nothing with
/// ours, as happens for some frames after the application has replaced the GL display.
Sharing &TextureBridge::sharing_for(std::initializer_list<GstGLMemory *> textures) {
  for (GstGLMemory *texture : textures)
    if (!gst_gl_context_can_share(texture->mem.context, gl_context())) {
      gst_base_transform_reconfigure_src(element_);
      if (!foreign_) {
        foreign_ =
            sharing::probe(SharingMethod::copy, gl_context(), gst_glcl_context_device(context_))
                .factory.make();
        foreign_->count_in(copies_);
      }
      return *foreign_;
    }
  return *sharing_;
}

void TextureBridge::run(Queue &queue, Layout layout, const GstVideoInfo &info, GstBuffer *in,
                        GstBuffer *out, const Process &work) {
  const PixelFormat &format = sharing::format_of(info);
  GstGLMemory *from = texture_of(in, info, format.planes[0]),
              *to = texture_of(out, info, format.planes[0]);
  Sharing &sharing = sharing_for({from, to});
  wait_for(in, from, gl_context());
  if (from == to) {
    TextureUse use(from, Access::pass_on, format);
    AcquiredScope scope(sharing, queue, layout, &use, 1);
    work(use.picture, {});
    scope.finish();
    return;
  }
  TextureUse uses[] = {{from, Access::read, format}, {to, Access::write, format}};
  AcquiredScope scope(sharing, queue, layout, uses, 2);
  work(uses[0].picture, uses[1].picture);
  scope.finish();
  mark(out, to, gl_context());
}

void TextureBridge::hand_to_gl(GstBuffer *frame) { sharing::hand_to_gl(frame, gl_context()); }

}  // namespace glcl
