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

/// The use of a frame by an element.
enum class Access {
  read,
  write,
  pass_on,  ///< read; then the frame passes unchanged
};

/// A texture, a plane of a frame, for the time of that frame: how the kernels access it and, once
/// it is acquired, its picture.
class TextureUse {
 public:
  TextureUse(GstGLMemory *memory, Access access, const PlaneFormat &format = PlaneFormat::rgba8)
      : memory(memory), access(access) {
    picture.format = &format;
  }
  TextureUse(TextureUse &&) noexcept;
  ~TextureUse() { unmap(); }
  TextureUse(const TextureUse &) = delete;
  TextureUse &operator=(const TextureUse &) = delete;

  /// Maps the memory for the use's access; `domain` is GST_MAP_GL, or 0 for the host. Returns the
  /// host pointer (host domain only). Throws Error::failed.
  void *map(guint domain);
  void unmap();
  /// Keeps it mapped forever, because the device may still use it.
  void leak_mapping();

  int width() const { return gst_gl_memory_get_texture_width(memory); }
  int height() const { return gst_gl_memory_get_texture_height(memory); }

  GstGLMemory *const memory;
  const Access access;
  bool shared = false;  ///< others may use the texture, or its pixel buffer, at the same time
  Picture picture;

 private:
  GstMapInfo map_ = GST_MAP_INFO_INIT;
};

/// Transfers of a frame to or from host memory.
using Copies = std::atomic<uint64_t>;

/// Called with errors that cannot be returned or thrown.
using ErrorHandler = std::function<void(std::exception_ptr)>;

/// Runs work on the thread of the GL context, waits for it and throws its exception.
void on_gl_thread(GstGLContext *context, const std::function<void()> &work);

/// One method in use by one element, for one frame at a time. Staging pictures between texture and
/// kernel, if any, are kept for the next frame.
class Sharing {
 public:
  virtual ~Sharing() = default;

  /// Acquires the textures like acquire() if no work of OpenGL is needed, else returns false. Any
  /// thread. Throws.
  virtual bool acquire_held(Queue &queue, Layout layout, TextureUse *uses, size_t count) = 0;

  /// On the thread of the GL context: acquires `count` textures for OpenCL, ordered after all work
  /// of OpenGL and the host on them, and fills in their pictures in the layout of the kernels.
  /// Throws.
  virtual void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) = 0;

  /// Releases the textures, ordered before the next work of OpenGL and the host. `complete` is
  /// false after a failure: then the written pictures are invalid. Any thread. Throws.
  virtual void release(Queue &queue, TextureUse *uses, size_t count, bool complete) = 0;

  /// A pool of textures that suit the method best, for this element's output and its upstream
  /// neighbour; null if any texture does. Its textures report failed hand-overs from any thread,
  /// mostly the GL thread. Transfer full.
  virtual GstBufferPool *make_pool(GstGLContext *, ErrorHandler) { return nullptr; }

  /// Sets the counter of transfers, which may also happen when an old frame is mapped.
  void count_in(std::shared_ptr<Copies> copies) { copies_ = std::move(copies); }
  uint64_t copies() const { return *copies_; }

 protected:
  /// The staging picture of the frame's nth texture, of its size and in this layout.
  Picture &staging(const Queue &queue, size_t index, const TextureUse &use, Layout layout);

  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>(0);

 private:
  /// A picture between texture and kernel, in one context.
  struct Staging {
    cl_context context;
    Picture picture;
  };
  std::vector<Staging> staging_;
};

/// Scope between acquire and release: the textures are released in any case. It uses the thread of
/// the GL context only where it must; there `before_acquire` runs first.
class AcquiredScope {
 public:
  AcquiredScope(Sharing &sharing, GstGLContext *gl_context, Queue &queue, Layout layout,
                TextureUse *uses, size_t count, const std::function<void()> &before_acquire = {});
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

/// Creates a method for one GL context and one device.
struct Factory {
  std::function<std::unique_ptr<Sharing>()> make;
  std::vector<cl_context_properties> properties =
      {};                 ///< required properties of the OpenCL context
  std::string form = {};  ///< form of the memory, if the method has several
};

/// A method for OpenCL to access OpenGL textures, one per file.
struct SharingMethod {
  const char *name;  ///< a value of the property `sharing`
  const char *description;
  /// Throws Error::not_found with the reason if the method is not available, Error::failed if it
  /// may work next time. On the thread of the GL context.
  Factory (*probe)(GstGLContext *gl_context, const Device &device);

  static const SharingMethod gl, external, egl, copy;
  /// In the order in which `auto` tries them.
  static constexpr const SharingMethod *all[] = {&gl, &external, &egl, &copy};
};

/// Result of a method's probe.
struct ProbeResult {
  Factory factory;
  std::string obstacle;  ///< why the method is not available; empty if it is
  bool lasting = true;   ///< false after Error::failed, which may be temporary
};

/// Probes the method, once per GL context and device, and again after Error::failed. On the thread
/// of the GL context; valid until the next call.
const ProbeResult &probe(const SharingMethod &method, GstGLContext *gl_context,
                         const Device &device);
/// Number of probes in this process.
unsigned methods_probed();

/// A device and its sharing method.
struct Choice {
  const SharingMethod *method = nullptr;
  Device device;
  Factory factory;
  std::string
      fallback_reason;  ///< why no earlier method works; empty unless `auto` fell back to copying
};

/// Chooses by the rules of the `device` and `sharing` properties; `methods` are the allowed
/// methods, best first. Throws Error::not_found. On the thread of the GL context.
Choice choose(GstGLContext *gl_context, const std::string &device,
              const std::vector<const SharingMethod *> &methods);

}  // namespace glcl::sharing
