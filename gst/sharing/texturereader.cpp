// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texturereader.h"

#include <gst/gl/gstglfuncs.h>

#include <algorithm>

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

bool TextureReader::read(GstGLMemory *memory, const PlaneFormat &plane, RowCopier &copier,
                         void *rows, size_t row_bytes) {
  // OpenGL packs rows to multiples of four bytes.
  if (memory->tex_target != GST_GL_TEXTURE_TARGET_2D || plane.bytes != 4 || !usable()) return false;
  const int width = gst_gl_memory_get_texture_width(memory),
            height = gst_gl_memory_get_texture_height(memory);
  const size_t packed = size_t(width) * plane.bytes;
  const int most = (height + strips - 1) / strips;
  const auto begins = [&](int i) { return std::min(i * most, height); };
  const int used = (height + most - 1) / most;

  const GstGLFuncs *gl = context_->gl_vtable;
  if (!framebuffer_) gl->GenFramebuffers(1, &framebuffer_);
  if (!buffers_[0]) gl->GenBuffers(strips, buffers_.data());
  gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, memory->tex_id, 0);
  bool good = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  for (int i = 0; good && i < used; i++) {
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, buffers_[i]);
    if (bytes_ != packed * most)
      gl->BufferData(GL_PIXEL_PACK_BUFFER, GLsizeiptr(packed * most), nullptr, GL_STREAM_READ);
    gl->ReadPixels(0, begins(i), width, begins(i + 1) - begins(i), plane.gl_base, GL_UNSIGNED_BYTE,
                   nullptr);
  }
  bytes_ = good ? packed * most : 0;
  gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
  gl->BindFramebuffer(GL_FRAMEBUFFER, 0);

  int mapped = 0;
  for (; good && mapped < used; mapped += good) {
    const int first = begins(mapped), count = begins(mapped + 1) - first;
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, buffers_[mapped]);
    const void *pixels =
        gl->MapBufferRange(GL_PIXEL_PACK_BUFFER, 0, GLsizeiptr(packed * count), GL_MAP_READ_BIT);
    good = pixels != nullptr;
    if (good)
      copier.begin({static_cast<char *>(rows) + first * row_bytes, row_bytes,
                    static_cast<const char *>(pixels), packed, packed, count});
  }
  copier.finish();
  for (int i = 0; i < mapped; i++) {
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, buffers_[i]);
    good = gl->UnmapBuffer(GL_PIXEL_PACK_BUFFER) && good;
  }
  gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  return good;
}

}  // namespace glcl::sharing
