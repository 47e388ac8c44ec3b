// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "exporter.h"
#include "sharing.h"

namespace glcl::sharing {

/// Record of a GstGLMemory: its OpenCL images and its last user. It is stored as qdata of the
/// memory, not in a table by texture id, because ids are reused while an old image still shows the
/// old texture. From any thread, unless noted.
///
/// A frame reserves its textures from acquire to release. Meanwhile OpenGL and other frames wait
/// for them, so a frame that has its textures must not wait for the GL thread.
class Texture {
 public:
  /// Those who hold textures and have images of them: an OpenCL context by one method. A texture
  /// goes from one to another through OpenGL.
  struct User {
    Context &context;
    const Interop &interop;
  };

  /// The record of a memory, created at the first call.
  static Texture &of(GstGLMemory *memory);
  /// The record, or null if it does not exist yet.
  static Texture *find(GstGLMemory *memory);
  ~Texture();

  GstGLMemory *memory() const { return memory_; }

  /// Waits until no other frame has the texture, and reserves it.
  void reserve();
  /// The same if the user holds the texture and has an image of it; else returns false. A frame
  /// that `reads` needs its content, too.
  bool reserve_held(const User &user, bool reads);
  void unreserve();

  // For the frame that has reserved it:

  /// The user's image, created at the first call, on the GL thread. Throws Error::failed if OpenCL
  /// can't share the texture.
  Image image(const User &user);
  /// True if acquire() will find the texture held by the user.
  bool stays_with(const User &user, bool reads);
  /// True if the user holds the texture, with its content for a frame that `reads`. Resets the mark
  /// of forget().
  bool held_by(const User &user, bool reads);
  /// Gives the texture to OpenGL and maps it once, so that OpenGL uploads a newer host copy.
  void pass_to_gl(TextureUse &use);
  /// End of the last release, or null if something has already waited for it.
  cl::Event last_release();
  /// Gives the texture to the queue, which has its image by this interop. Returns the end of its
  /// last use on another queue of the context, or null.
  cl::Event take(Queue &queue, const Interop &interop);
  /// Records that the queue uses the texture until this event.
  void used_until(const cl::Event &event);
  /// True if OpenGL has requested the latest content and may read it at any time without a new
  /// request: GStreamer's elements map a frame, or wait on its GstGLSyncMeta, in one task of the GL
  /// thread and draw or download it in a later one.
  bool read_by_gl() const;
  void read_by_gl(bool reads);

  /// The queue that used it last, or null if OpenGL owns it.
  const Queue *holder() const;
  /// True if OpenCL must release it before OpenGL's next use.
  bool needs_release() const;
  /// Call it when the memory gets another user, who may write it without a map. OpenCL's copy is
  /// invalid until OpenCL writes it or acquires it again.
  void forget() { forgotten_ = true; }
  /// Hands the texture with OpenCL's content to OpenGL, which `reads` it from now on: releases it
  /// and waits, or only waits until OpenCL has used it. Does nothing if OpenCL does not use it. If
  /// it throws, OpenGL does not own the texture yet, and the next call tries again. On the GL
  /// thread where the interop needs a release.
  void to_gl(bool reads);
  /// The same, but keeps the value of read_by_gl().
  void to_gl();
  /// Waits for OpenCL's work, so that to_gl() need not wait. to_gl() reports failures. Do not call
  /// it on the GL thread, which must not wait for the device.
  void wait_until_used();

  /// The memory of the texture if OpenGL and OpenCL both import it (sharing=external).
  std::unique_ptr<ExportedTexture> exported;

 private:
  explicit Texture(GstGLMemory *memory) : memory_(memory) {}

  /// The OpenCL image of the texture for one user.
  struct SharedImage {
    std::shared_ptr<Context> context;
    const Interop *interop;
    Image image;
  };
  const Image *find_image(const User &user) const;
  bool is_held(const User &user, bool reads);
  void hand_over();
  void wait_for_release(Context &context);

  GstGLMemory *memory_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable unreserved_;
  bool reserved_ = false, passing_ = false;  // passing_: its frame is mapping it for OpenGL
  std::shared_ptr<Queue> holder_;
  const Interop *held_by_ = nullptr;  // by which the holder has it
  cl::Event used_;                    // end of its last use
  bool releasing_ = false;            // a release is enqueued
  cl::Event released_;                // end of the release; empty after a wait for it
  bool read_by_gl_ = false;
  std::atomic<bool> forgotten_{false};
  std::vector<SharedImage> images_;  // nearly always one
};

/// Common part of the methods without copies: OpenCL works in the texture's own memory.
///
/// Textures stay with OpenCL until OpenGL or the host need them, so that a row of gst-glcl elements
/// never uses OpenGL. The next user only waits for the last use. Some textures can't be handed over
/// on demand: foreign ones, those of other GL contexts, and those that OpenGL reads in another
/// branch. These are copied when acquired, and given back before the GL thread continues. Order:
/// OpenCL or the host waits for a GL fence before acquire, and OpenGL's next use comes after
/// OpenCL's release. The OpenCL 1.2 extension specification requires it in section 9.7.6.1; with
/// cl_khr_gl_event the driver does it. Queues of one context wait for each other's events.
class TextureSharing : public Sharing {
 public:
  explicit TextureSharing(const Interop &interop) : interop_(interop) {}

  const Interop &interop() const { return interop_; }

  bool acquire_held(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void release(Queue &queue, TextureUse *uses, size_t count, bool complete) override;

 protected:
  /// The texture to acquire for the frame's nth use.
  virtual Texture &texture_of(size_t index, TextureUse &use);
  /// The same on any thread, or null if acquire() has yet to create it.
  virtual Texture *known_texture_of(size_t index, const TextureUse &use);
  /// Orders the queue after the work of the current GL context without a wait on the host; false if
  /// that is impossible.
  virtual bool ordered_after_gl(Queue &queue);

 private:
  bool gives_back_behind(const Queue &queue, const TextureUse *uses, size_t count) const;
  void wait_for_earlier_use(Context &context, const TextureUse *uses, size_t count);
  static void wait_for_events(Queue &queue, const std::vector<cl::Event> &before);
  void acquire_from_gl(Queue &queue);
  void take(Queue &queue, Layout layout, TextureUse *uses);
  bool may_stay(const Texture &texture) const;
  bool must_go_back(const Texture &texture) const;
  void copy_and_give_back(Queue &queue, Layout layout, TextureUse *uses);
  void mark_use(Queue &queue);
  void write_back(Queue &queue, const TextureUse *uses);
  void give_back();
  void unreserve();

  const Interop &interop_;
  // The frame's textures between acquire and release; null after a texture was given back.
  std::vector<Texture *> textures_;
  std::vector<Texture *> acquired_;
  std::vector<cl_mem> images_;
  GstGLContext *gl_context_ = nullptr;  // with which OpenCL shares textures
};

}  // namespace glcl::sharing
