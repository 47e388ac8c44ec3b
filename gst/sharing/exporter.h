// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <string>

#include "opencl/context.h"

namespace glcl {

class Exporter;

/// An RGBA texture whose memory was allocated exportable and imported by OpenGL. On the thread of
/// its GL context.
class ExportedTexture {
 public:
  ExportedTexture(std::shared_ptr<Exporter> exporter, GstGLContext *context, int width, int height);
  ~ExportedTexture();
  ExportedTexture(const ExportedTexture &) = delete;
  ExportedTexture &operator=(const ExportedTexture &) = delete;

  /// The texture; whoever takes it over deletes it.
  guint texture() const { return texture_; }
  /// Imports the memory into an OpenCL context. Throws Error::failed.
  cl::Image2D import(const Context &context) const;

 private:
  struct Storage;
  std::shared_ptr<Exporter> exporter_;
  GstGLContext *context_;
  int width_, height_;
  std::unique_ptr<Storage> storage_;
  guint memory_object_ = 0, texture_ = 0;
};

/// Why OpenGL and OpenCL can't import one exported memory on this device; empty where they can. On
/// the thread of the GL context.
std::string external_obstacle(GstGLContext *gl_context, const Device &device);

/// The exporter of the device that drives the GL context, one per GL context while in use. Throws.
std::shared_ptr<Exporter> exporter_of(GstGLContext *gl_context);

/// Copies RGBA textures into others of their size by a compute shader, which on one NVIDIA H200 is
/// fifteen times as fast as a blit. On the thread of its GL context.
class TextureCopier {
 public:
  /// Throws Error::failed where the shader does not build.
  explicit TextureCopier(GstGLContext *context);
  ~TextureCopier();
  TextureCopier(const TextureCopier &) = delete;
  TextureCopier &operator=(const TextureCopier &) = delete;

  void copy(guint from, guint to, int width, int height);

 private:
  GstGLContext *context_;
  GstGLShader *shader_ = nullptr;
};

}  // namespace glcl
