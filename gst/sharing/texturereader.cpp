// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texturereader.h"

#include <gst/gl/gstglfuncs.h>

#include <algorithm>

#include "uploads.h"

#ifndef GL_PIXEL_PACK_BUFFER
#define GL_PIXEL_PACK_BUFFER 0x88EB
#endif
#ifndef GL_STREAM_READ
#define GL_STREAM_READ 0x88E1
#endif
#ifndef GL_MAP_READ_BIT
#define GL_MAP_READ_BIT 0x0001
#endif

namespace glcl::sharing {

TextureReader::~TextureReader() {
  const GstGLFuncs *gl = context_->gl_vtable;
  if (framebuffer_) gl->DeleteFramebuffers(1, &framebuffer_);
  if (buffers_[0]) gl->DeleteBuffers(strips, buffers_.data());
}

bool TextureReader::usable() const {
  const GstGLFuncs *gl = context_->gl_vtable;
  return gl->MapBufferRange && gl->UnmapBuffer && gl->GenFramebuffers && gl->GenBuffers &&
         (gst_gl_context_check_gl_version(
              context_, static_cast<GstGLAPI>(GST_GL_API_OPENGL | GST_GL_API_OPENGL3), 3, 0) ||
          gst_gl_context_check_gl_version(context_, GST_GL_API_GLES2, 3, 0));
}

bool TextureReader::read(const GstGLMemory *memory, const PlaneFormat &plane, void *rows,
                         size_t row_bytes) {
  const int width = memory->tex_width,
            height = gst_gl_memory_get_texture_height(const_cast<GstGLMemory *>(memory));
  const size_t packed = size_t(width) * plane.bytes;
  // Pixels of four bytes: OpenGL packs rows to multiples of that.
  if (memory->tex_target != GST_GL_TEXTURE_TARGET_2D || plane.bytes != 4 || !usable()) return false;

  const GstGLFuncs *gl = context_->gl_vtable;
  if (!framebuffer_) gl->GenFramebuffers(1, &framebuffer_);
  if (!buffers_[0]) gl->GenBuffers(strips, buffers_.data());
  const int strip = (height + strips - 1) / strips;
  const auto first = [&](int i) { return std::min(i * strip, height); };
  gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, memory->tex_id, 0);
  bool good = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  for (int i = 0; good && i < strips; i++) {
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, buffers_[i]);
    if (bytes_ != packed * strip)
      gl->BufferData(GL_PIXEL_PACK_BUFFER, GLsizeiptr(packed * strip), nullptr, GL_STREAM_READ);
    if (first(i + 1) > first(i))
      gl->ReadPixels(0, first(i), width, first(i + 1) - first(i), plane.gl_base, GL_UNSIGNED_BYTE,
                     nullptr);
  }
  if (good) bytes_ = packed * strip;
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
  gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
  for (int i = 0; good && first(i + 1) > first(i); i++) {
    const int count = first(i + 1) - first(i);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, buffers_[i]);
    const auto *strip_rows = static_cast<const char *>(
        gl->MapBufferRange(GL_PIXEL_PACK_BUFFER, 0, GLsizeiptr(packed * count), GL_MAP_READ_BIT));
    good = strip_rows != nullptr;
    if (good) {
      copy_rows(static_cast<char *>(rows) + first(i) * row_bytes, row_bytes, strip_rows, packed,
                packed, count);
      good = gl->UnmapBuffer(GL_PIXEL_PACK_BUFFER);
    }
  }
  gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  return good;
}

}  // namespace glcl::sharing
