// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <array>

#include "opencl/format.h"
#include "rowcopier.h"

namespace glcl::sharing {

/// Downloads textures to the host through pixel buffers, in strips: while the host reads one strip,
/// the device sends the next. GstGL's own buffers are optimised for writing, and reading them is
/// slow. On the thread of its GL context.
class TextureReader {
 public:
  explicit TextureReader(GstGLContext *context) : context_(context) {}
  ~TextureReader();
  TextureReader(const TextureReader &) = delete;

  GstGLContext *context() const { return context_; }

  /// Reads the rows of the texture; false if this type of OpenGL or texture does not support it.
  bool read(GstGLMemory *memory, const PlaneFormat &plane, RowCopier &copier, void *rows,
            size_t row_bytes);

 private:
  /// The best number for overlap, about √(transfer / cost of a strip): 150 µs and about 10 µs for
  /// 1080p on one NVIDIA H200.
  static constexpr int strips = 4;

  bool usable() const;

  GstGLContext *context_;
  guint framebuffer_ = 0;
  std::array<guint, strips> buffers_{};
  size_t bytes_ = 0;  // size of each
};

}  // namespace glcl::sharing
