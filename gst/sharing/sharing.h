// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "opencl/context.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

namespace glcl::sharing {

enum class Access {
  read,
  write,
  pass_on,  ///< read, and then the frame goes on as it came
};

/// A texture for the time of one frame: what the kernels want to do with it and, once it is
/// acquired, the picture they do it on.
class TextureUse {
 public:
  TextureUse(GstGLMemory *memory, Access access, const PixelFormat &format = PixelFormat::rgba)
      : memory(memory), access(access) {
    picture.format = &format;
  }
  ~TextureUse() { unmap(); }
  TextureUse(const TextureUse &) = delete;
  TextureUse &operator=(const TextureUse &) = delete;

  /// Maps the memory for the use's access; `domain` is GST_MAP_GL, or 0 for the host. Throws
  /// Error::failed. Gives the host pointer (host domain only).
  void *map(guint domain);
  void unmap();
  /// Keeps it mapped for ever: the device may still use it.
  void leave();

  int width() const { return gst_gl_memory_get_texture_width(memory); }
  int height() const { return gst_gl_memory_get_texture_height(memory); }

  GstGLMemory *const memory;
  const Access access;
  Picture picture;

 private:
  GstMapInfo map_ = GST_MAP_INFO_INIT;
};

/// Transfers of a frame to or from host memory.
using Copies = std::atomic<uint64_t>;

/// Takes what went wrong where nobody can be told by a return value or an exception.
using ErrorHandler = std::function<void(std::exception_ptr)>;

/// One method in use by one element. All calls on the thread of the GL context. The pictures that
/// stand between texture and kernel, where any do, are kept for the next frame.
class Sharing {
 public:
  virtual ~Sharing() = default;

  /// Hands `count` textures to OpenCL, ordered after all work of OpenGL and the host on them, and
  /// fills in their pictures in the layout that the kernels read. Throws.
  virtual void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) = 0;

  /// Hands them back, ordered before what OpenGL and the host do next. `complete` is false after a
  /// failure: then the written pictures don't count. Throws.
  virtual void release(Queue &queue, TextureUse *uses, size_t count, bool complete) = 0;

  /// A pool of the textures that the method works on best, for this element's output and for its
  /// neighbour upstream; null where any will do. Its textures report from any thread, the GL thread
  /// mostly, when they could not be handed to whoever wants them. Transfer full.
  virtual GstBufferPool *make_pool(GstGLContext *, ErrorHandler) { return nullptr; }

  /// Has transfers counted here, which may come when somebody maps a frame that has long gone on.
  void count_in(std::shared_ptr<Copies> copies) { copies_ = std::move(copies); }
  uint64_t copies() const { return *copies_; }

 protected:
  /// The picture of the frame's nth texture, of its size and in this layout.
  Picture &staging(const Queue &queue, size_t index, const TextureUse &use, Layout layout);

  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>(0);

 private:
  struct Staging {
    cl_context context;
    Picture picture;
  };
  std::vector<Staging> staging_;
};

/// The time between acquire and release: whatever happens in between, the textures go back.
class AcquiredScope {
 public:
  AcquiredScope(Sharing &sharing, Queue &queue, Layout layout, TextureUse *uses, size_t count);
  ~AcquiredScope();
  AcquiredScope(const AcquiredScope &) = delete;
  AcquiredScope &operator=(const AcquiredScope &) = delete;

  void finish();

 private:
  void abandon() noexcept;

  Sharing &sharing_;
  Queue &queue_;
  TextureUse *uses_;
  size_t count_;
  bool held_ = true;
};

/// How a method is put to use on one GL context with one device.
struct Factory {
  std::function<std::unique_ptr<Sharing>()> make;
  std::vector<cl_context_properties> properties = {};  ///< that an OpenCL context needs for it
  std::string form = {};  ///< of the memory, where the method knows several
};

/// A method for OpenCL to work on OpenGL textures, each in a file of its own.
struct SharingMethod {
  const char *name;  ///< a value of the property `sharing`
  const char *description;
  /// Throws Error::not_found with the reason where the method can't be had, Error::failed where
  /// that may be different the next time. On the thread of the GL context.
  Factory (*probe)(GstGLContext *gl_context, const Device &device);

  static const SharingMethod gl, external, copy;
  /// In the order in which `auto` tries them.
  static constexpr const SharingMethod *all[] = {&gl, &external, &copy};
};

/// What a method's probe found.
struct Probe {
  Factory factory;
  std::string obstacle;  ///< why the method can't be had; empty where it can
  bool lasting = true;   ///< false after Error::failed, which may not come again
};

/// Asks the method, once for each GL context and device, and again after Error::failed. On the
/// thread of the GL context; good until the next call.
const Probe &probe(const SharingMethod &method, GstGLContext *gl_context, const Device &device);
/// How often any method was asked in this process.
unsigned methods_probed();

/// A device and how to share with it.
struct Choice {
  const SharingMethod *method = nullptr;
  Device device;
  Factory factory;
  std::string
      fallback_reason;  ///< why no earlier method works; empty unless `auto` fell back to copying
};

/// Chooses by the rules of the `device` and `sharing` properties; `methods` are the methods
/// allowed, best first. Throws Error::not_found. On the thread of the GL context.
Choice choose(GstGLContext *gl_context, const std::string &device,
              const std::vector<const SharingMethod *> &methods);

}  // namespace glcl::sharing
