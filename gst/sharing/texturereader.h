// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <array>

#include "opencl/format.h"
#include "rowcopier.h"

namespace glcl::sharing {

/// Reads textures to the host by pixel buffers, in strips: while the host takes one the device
/// sends the next. GstGL's own buffers are for writing, and reading from those is slow. On the
/// thread of its GL context.
class TextureReader {
 public:
  explicit TextureReader(GstGLContext *context) : context_(context) {}
  ~TextureReader();
  TextureReader(const TextureReader &) = delete;

  GstGLContext *context() const { return context_; }

  /// The texture's rows, so many bytes apart; false where this kind of OpenGL or of texture can't
  /// be read so.
  bool read(GstGLMemory *memory, const PlaneFormat &plane, RowCopier &copier, void *rows,
            size_t row_bytes);

 private:
  /// About √(transfer / cost of a strip), the best number for overlap, of 1080p on one NVIDIA
  /// H200: 150 µs and about 10.
  static constexpr int strips = 4;

  bool usable() const;

  GstGLContext *context_;
  guint framebuffer_ = 0;
  std::array<guint, strips> buffers_{};
  size_t bytes_ = 0;  // of each
};

}  // namespace glcl::sharing
