// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <memory>
#include <vector>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// Record of a GstGLMemory: its OpenCL images and its last writer. It is stored as qdata of the
/// memory, not in a table by texture id, because ids are reused while an old image still shows the
/// old texture. TextureUse it on the GL thread only.
class Texture {
 public:
  /// The record of a memory, created at the first call.
  static Texture &of(GstGLMemory *memory);
  /// The record, or null if it does not exist yet.
  static Texture *find(GstGLMemory *memory);
  ~Texture();

  GstGLMemory *memory() const { return memory_; }
  /// Access of OpenCL: through the exported memory if there is one, else by cl_khr_gl_sharing.
  const Interop &interop() const {
    return exported ? static_cast<const Interop &>(*exported) : gl_interop();
  }

  /// The image in this context, created at the first call. Throws Error::failed if OpenCL can't
  /// share the texture.
  Image image(const std::shared_ptr<Context> &context);

  /// The queue that holds the texture and wrote it last, or null if OpenGL owns it. A reader on the
  /// same queue needs no hand-over.
  const Queue *holder() const { return released_ ? nullptr : holder_.get(); }
  /// True if OpenCL holds the texture or still reads it.
  bool with_opencl() const { return holder_ || reading_(); }
  void held_by(std::shared_ptr<Queue> queue) {
    holder_ = std::move(queue);
    used_ = {};
    released_ = false;
  }

  /// The memory got another user, who may write it without a map. OpenCL's copy is invalid until
  /// OpenCL writes it or acquires it again. From any thread.
  void forget() { forgotten_ = true; }
  /// True if forget() was called; resets it.
  bool was_forgotten() { return forgotten_.exchange(false); }

  /// True if OpenGL has requested the latest content and may read it at any time without a new
  /// request: GStreamer's elements map a frame, or wait on its GstGLSyncMeta, in one task of the GL
  /// thread and draw or download it in a later one.
  bool read_by_gl() const { return read_by_gl_; }
  void read_by_gl(bool reads) { read_by_gl_ = reads; }

  /// The holder's kernels use it until this event, if it is not used again.
  void used_until(const cl::Event &event) { used_ = event; }

  /// OpenGL wrote it last; OpenCL has released it and reads it until this event.
  void read_until(const cl::Event &event) { reading_ = event; }

  /// Hands the texture with OpenCL's content to OpenGL: releases it and waits, or only waits until
  /// OpenCL has used it. Does nothing if OpenCL does not use it. If it throws, OpenGL does not own
  /// the texture yet, and the next call tries again.
  void to_gl();

  /// The memory of the texture if OpenGL and OpenCL both import it (sharing=external).
  std::unique_ptr<ExportedTexture> exported;

 private:
  explicit Texture(GstGLMemory *memory) : memory_(memory) {}

  struct SharedImage {
    std::shared_ptr<Context> context;
    Image image;
  };
  SharedImage &shared_with(const std::shared_ptr<Context> &context);

  GstGLMemory *memory_;
  std::shared_ptr<Queue> holder_;
  bool released_ = false;  // by the holder, possibly not finished
  bool read_by_gl_ = false;
  std::atomic<bool> forgotten_{false};
  cl::Event used_, reading_;
  std::vector<SharedImage> images_;  // one per OpenCL context, nearly always one
};

/// Common part of the methods without copies: OpenCL works in the texture's own memory.
///
/// Textures written by OpenCL stay acquired until OpenGL or the host need them, so that a row of
/// gst-glcl elements never uses OpenGL. So do textures that pass unchanged. Textures written by
/// OpenGL that end here are released as soon as they are read; the next writer waits only for that.
/// The end of a frame only waits for textures without a hand-over on demand: foreign ones, and
/// those that OpenGL reads in another branch. Order: OpenCL or the host waits for a GL fence before
/// acquire, and OpenGL's next use comes after OpenCL's release. The OpenCL 1.2 extension
/// specification requires it in section 9.7.6.1; with cl_khr_gl_event the driver does it.
class TextureSharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void release(Queue &queue, TextureUse *uses, size_t count, bool complete) override;

 protected:
  /// The texture to acquire for the frame's nth use; all have the same Interop.
  virtual Texture &texture_of(size_t index, TextureUse &use);
  /// True if OpenCL is ordered after OpenGL for the acquired textures without a wait on the host.
  virtual bool ordered_after_gl(Queue &queue, const std::vector<Texture *> &acquired);

 private:
  struct HeldTexture {
    Texture *texture;
    bool acquired;      // acquired from OpenGL in this frame
    bool back = false;  // released to OpenGL at the end of the frame
    bool kept = false;  // not released
  };

  const Interop &interop() const { return textures_.front().texture->interop(); }
  static bool notifies(const HeldTexture &held);
  static bool keeps(const HeldTexture &held, const TextureUse &use);
  void mark_uses(Queue &queue);
  void write_back(Queue &queue, const TextureUse *uses);

  std::vector<HeldTexture> textures_;  // of the frame, between acquire and release
  std::vector<Texture *> acquired_;
  std::vector<cl_mem> images_;
};

}  // namespace glcl::sharing
