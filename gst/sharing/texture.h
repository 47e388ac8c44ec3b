// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <memory>
#include <vector>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// What the project keeps on a GstGLMemory: its OpenCL images and who wrote it last. It lives as
/// qdata of the memory, never in a table by texture id, because ids are reused while an old image
/// still shows the old texture. TextureUse it on the GL thread only.
class Texture {
 public:
  /// The record of a memory, made at the first call.
  static Texture &of(GstGLMemory *memory);
  /// The record, or null where there is none yet.
  static Texture *find(GstGLMemory *memory);
  ~Texture();

  GstGLMemory *memory() const { return memory_; }
  /// How OpenCL gets at it: by the exported memory where there is one, else by cl_khr_gl_sharing.
  const Interop &interop() const {
    return exported ? static_cast<const Interop &>(*exported) : gl_interop();
  }

  /// The image in this context, made at the first call. Throws Error::failed where OpenCL can't
  /// share the texture.
  Image image(const std::shared_ptr<Context> &context);

  /// The queue that holds the texture and wrote it last, or null when it is OpenGL's. A memory that
  /// its reader's queue holds needs no crossing.
  const Queue *holder() const { return released_ ? nullptr : holder_.get(); }
  /// Whether OpenCL holds the texture or still reads it.
  bool with_opencl() const { return holder_ || reading_(); }
  void held_by(std::shared_ptr<Queue> queue) {
    holder_ = std::move(queue);
    released_ = false;
  }

  /// Somebody else got the memory, who may write it without a map. What OpenCL holds is no frame
  /// until OpenCL has written it, or acquired it anew. From any thread.
  void forget() { forgotten_ = true; }
  /// Whether that was so. It has been seen then.
  bool was_forgotten() { return forgotten_.exchange(false); }

  /// Whether OpenGL has asked for what was written last, and may read it at any time without asking
  /// again: GStreamer's elements map a frame, or wait on its GstGLSyncMeta, in one task of the GL
  /// thread and draw or download it in a later one.
  bool read_by_gl() const { return read_by_gl_; }
  void read_by_gl(bool reads) { read_by_gl_ = reads; }

  /// OpenGL wrote it last, and OpenCL, having released it, reads it until this event.
  void read_until(const cl::Event &event) { reading_ = event; }

  /// Gives the texture to OpenGL, with what OpenCL wrote in it: releases it and waits, or only
  /// waits until OpenCL has read it. Nothing to do where OpenCL has no part in it. Throws; then the
  /// texture is not OpenGL's yet, and the next call tries again.
  void to_gl();

  /// The memory behind the texture, where OpenGL and OpenCL import the same (sharing=external).
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
  bool released_ = false;  // by the holder, but not known to have finished
  bool read_by_gl_ = false;
  std::atomic<bool> forgotten_{false};
  cl::Event reading_;
  std::vector<SharedImage> images_;  // one per OpenCL context, nearly always one
};

/// OpenCL works in the texture's own memory: what the methods without copies have in common.
///
/// What OpenCL wrote stays acquired until OpenGL or the host want it, so that elements of ours in a
/// row never touch OpenGL. So does what goes on as it came. What OpenGL wrote and ends here is
/// released as soon as it is read, and whoever writes it next waits for that alone. Only textures
/// that can't tell when they are wanted are waited for at the end of the frame: those from
/// elsewhere, and those that OpenGL reads in another branch.
/// The crossing: OpenCL, or the host, waits for a GL fence before acquire, and OpenGL's next use
/// comes after OpenCL's release. The OpenCL 1.2 extension specification, section 9.7.6.1, asks for
/// that; with cl_khr_gl_event the driver sees to it.
class TextureSharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void release(Queue &queue, TextureUse *uses, size_t count, bool complete) override;

 protected:
  /// The texture that OpenCL is to have for the frame's nth use, all of one Interop.
  virtual Texture &texture_of(size_t index, TextureUse &use);
  /// Whether OpenCL comes after OpenGL for the textures that cross without the host waiting.
  virtual bool ordered_after_gl(Queue &queue, const std::vector<Texture *> &acquired);

 private:
  struct HeldTexture {
    Texture *texture;
    bool acquired;      // came from OpenGL in this frame
    bool back = false;  // goes back to it with the frame
  };

  const Interop &interop() const { return textures_.front().texture->interop(); }
  static bool notifies(const HeldTexture &held);
  static bool keeps(const HeldTexture &held, const TextureUse &use);
  void write_back(Queue &queue, const TextureUse *uses);

  std::vector<HeldTexture> textures_;  // of the frame, between acquire and release
  std::vector<Texture *> acquired_;
  std::vector<cl_mem> images_;
};

}  // namespace glcl::sharing
