// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "interop.h"

namespace glcl::sharing {

/// A texture of one plane whose memory OpenCL can import. On the thread of its GL context.
class ExportedTexture {
 public:
  /// Handle for an importer, which owns the descriptor.
  struct Handle {
    cl_bitfield type;  ///< CL_EXTERNAL_MEMORY_HANDLE_…_KHR
    int descriptor;
    size_t pitch;  ///< bytes from row to row; 0 if the driver knows it
  };

  virtual ~ExportedTexture() = default;
  ExportedTexture(const ExportedTexture &) = delete;
  ExportedTexture &operator=(const ExportedTexture &) = delete;

  /// The texture; its new owner deletes it.
  guint texture() const { return texture_; }
  /// Throws Error::failed.
  virtual Handle handle() const = 0;
  /// Imports the memory into an OpenCL context. Throws Error::failed.
  Image import(const Context &context) const;

 protected:
  ExportedTexture(const PlaneFormat &plane, int width, int height)
      : plane_(plane), width_(width), height_(height) {}

  const PlaneFormat &plane_;
  int width_, height_;
  guint texture_ = 0;
};

/// Creates such textures in one form.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual const char *form() const = 0;
  /// On the thread of the GL context. Throws Error::failed.
  virtual std::unique_ptr<ExportedTexture> make(GstGLContext *context, const PlaneFormat &plane,
                                                int width, int height) = 0;
};

/// The access to such textures (cl_khr_external_memory).
const Interop &external_interop();

/// Create the exporters, one per file, for a GL context of this device. They throw Error::not_found
/// with the reason if it can't work. On the thread of the GL context.
std::shared_ptr<Exporter> vulkan_exporter(GstGLContext *gl_context, const Device &device);
std::shared_ptr<Exporter> dma_buf_exporter(GstGLContext *gl_context, const Device &device);

}  // namespace glcl::sharing
