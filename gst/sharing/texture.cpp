// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texture.h"

#include <gst/gl/gstglfuncs.h>

#include <utility>

#include "memory.h"
#include "opencl/error.h"
#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.Texture");
  return name;
}

/// Waits on the host until OpenGL has done all work queued so far.
void wait_for_gl(GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  if (!gl->FenceSync) {
    gl->Finish();
    return;
  }
  GLsync fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const GLenum status = gl->ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
  gl->DeleteSync(fence);
  if (status != GL_ALREADY_SIGNALED && status != GL_CONDITION_SATISFIED)
    throw Error(Error::Kind::failed, "OpenGL did not finish a frame in 10 s.",
                "glClientWaitSync gave " + std::to_string(status));
}

/// Waits until OpenGL may use released textures, unless the driver does.
void finish_release(Queue &queue, const Interop &interop) {
  if (interop.ordered_by_driver(queue.context().device()))
    queue.cl().flush();
  else
    glcl::finish(queue.cl());
}

}  // namespace

Texture *Texture::find(GstGLMemory *memory) {
  return static_cast<Texture *>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), quark()));
}

Texture &Texture::of(GstGLMemory *memory) {
  Texture *texture = find(memory);
  if (!texture) {
    texture = new Texture(memory);
    // The memory dies on any thread. Its qdata goes before its texture, and both go on the GL
    // thread.
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark(), texture, [](gpointer data) {
      gst_gl_context_thread_add(
          static_cast<Texture *>(data)->memory_->mem.context,
          [](GstGLContext *, gpointer gone) { delete static_cast<Texture *>(gone); }, data);
    });
  }
  return *texture;
}

Texture::~Texture() {
  try {
    to_gl();
  } catch (const std::exception &error) {
    GST_WARNING("a texture could not be released: %s", error.what());
  }
}

Texture::SharedImage &Texture::shared_with(const std::shared_ptr<Context> &context) {
  for (SharedImage &shared : images_)
    if (shared.context == context) return shared;
  images_.push_back({context, interop().image(*context, memory_)});
  return images_.back();
}

Image Texture::image(const std::shared_ptr<Context> &context) { return shared_with(context).image; }

void Texture::to_gl() {
  if (reading_()) {
    glcl::wait(reading_);
    reading_ = {};
  }
  if (!holder_) return;
  if (used_() && !interop().needs_release(holder_->context().device())) {
    glcl::wait(used_);
    held_by(nullptr);
    return;
  }
  if (!released_) interop().release(*holder_, {image(holder_->context().shared_from_this())()});
  released_ = true;
  finish_release(*holder_, interop());
  held_by(nullptr);
}

Texture &TextureSharing::texture_of(size_t, TextureUse &use) { return Texture::of(use.memory); }

bool TextureSharing::ordered_after_gl(Queue &queue, const std::vector<Texture *> &) {
  return interop().ordered_by_driver(queue.context().device());
}

void TextureSharing::acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  const auto context = queue.context().shared_from_this();
  acquired_.clear();
  images_.clear();
  textures_.clear();
  for (size_t i = 0; i < count; i++) {
    Texture &texture = texture_of(i, uses[i]);
    const bool empty = texture.was_forgotten() && uses[i].access != Access::write;
    const bool acquires = texture.holder() != &queue || empty;
    uses[i].picture.image = texture.image(context);
    if (acquires) {
      texture.to_gl();  // from another queue, or another frame
      // Content that still has to be uploaded is newer than all that OpenGL has read.
      const bool read_by_gl =
          texture.read_by_gl() &&
          !GST_MINI_OBJECT_FLAG_IS_SET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
      uses[i].map(GST_MAP_GL);
      uses[i].unmap();
      texture.read_by_gl(read_by_gl);
      acquired_.push_back(&texture);
      images_.push_back(uses[i].picture.image());
    }
    if (uses[i].access == Access::write) texture.read_by_gl(false);
    textures_.push_back({&texture, acquires});
  }
  if (!acquired_.empty()) {
    if (!ordered_after_gl(queue, acquired_)) wait_for_gl(uses[0].memory->mem.context);
    interop().acquire(queue, images_);
  }
  const auto held = queue.shared_from_this();
  for (const HeldTexture &one : textures_) one.texture->held_by(held);
  for (size_t i = 0; i < count; i++) {
    TextureUse &use = uses[i];
    if (layout == Layout::buffer) {
      const Image image = use.picture.image;
      use.picture = staging(queue, i, use, layout);
      use.picture.image = image;
      if (use.access != Access::write)
        queue.cl().enqueueCopyImageToBuffer(image, use.picture.buffer, {0, 0, 0},
                                            {size_t(use.width()), size_t(use.height()), 1}, 0);
    }
    use.picture.width = use.width();
    use.picture.height = use.height();
  }
}

/// Enqueues copies of the results into the textures, which alone belong to the frame.
void TextureSharing::write_back(Queue &queue, const TextureUse *uses) {
  for (size_t i = 0; i < textures_.size(); i++) {
    if (uses[i].access != Access::write) continue;
    if (uses[i].picture.layout == Layout::buffer)
      queue.cl().enqueueCopyBufferToImage(uses[i].picture.buffer, uses[i].picture.image, 0,
                                          {0, 0, 0},
                                          {size_t(uses[i].width()), size_t(uses[i].height()), 1});
    // Somebody may have transferred the frame before, without a map.
    GST_MINI_OBJECT_FLAG_SET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    GST_MINI_OBJECT_FLAG_UNSET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
  }
}

/// Whether a texture notifies when OpenGL needs it.
bool TextureSharing::notifies(const HeldTexture &held) {
  return hands_over(held.texture->memory()) && !held.texture->read_by_gl();
}

/// Whether OpenCL keeps a texture that notifies when it is needed. One that is only read waits for
/// the next frame's owner, as does the copy of a foreign one. A frame that is passed on unchanged
/// is likely to be read by another gst-glcl element.
bool TextureSharing::keeps(const HeldTexture &held, const TextureUse &use) {
  if (!held.acquired || use.access == Access::write) return true;
  return use.access == Access::pass_on && held.texture->memory() == use.memory;
}

/// Notes where the work on the kept textures ends, so that OpenGL need not wait for later work of
/// the queue, which other elements and streams share.
void TextureSharing::mark_uses(Queue &queue) {
  if (textures_.empty() || interop().needs_release(queue.context().device())) return;
  cl::Event end;
  for (const HeldTexture &held : textures_) {
    if (!held.kept) continue;
    if (!end()) queue.cl().enqueueMarkerWithWaitList(nullptr, &end);
    held.texture->used_until(end);
  }
}

void TextureSharing::release(Queue &queue, TextureUse *uses, size_t, bool complete) {
  if (complete) write_back(queue, uses);
  bool wait = false;
  images_.clear();
  for (size_t i = 0; i < textures_.size(); i++) {
    HeldTexture &held = textures_[i];
    held.back = held.kept = false;
    if (held.texture->holder() != &queue) continue;  // done before a failure
    held.kept = notifies(held) && keeps(held, uses[i]);
    if (held.kept) continue;
    wait = wait || !notifies(held);
    held.back = true;
    images_.push_back(uses[i].picture.image());
  }
  mark_uses(queue);
  if (images_.empty()) {
    queue.cl().flush();
    return;
  }
  const cl::Event released = interop().release(queue, images_);
  for (const HeldTexture &held : textures_)
    if (held.back) held.texture->held_by(nullptr);
  if (wait) {
    finish_release(queue, interop());
    return;
  }
  for (const HeldTexture &held : textures_)
    if (held.back) held.texture->read_until(released);
  queue.cl().flush();
}

}  // namespace glcl::sharing
