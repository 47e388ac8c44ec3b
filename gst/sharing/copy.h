// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "sharing.h"

namespace glcl {

/// Through host memory, by GstGL's pixel buffers. A frame whose host copy is still valid is not
/// read back from OpenGL, and one that is read on the host next is never uploaded: GstGLMemory
/// knows both.
class CopySharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, Use *uses, size_t count) override;
  void release(Queue &queue, Use *uses, size_t count, bool complete) override;
};

}  // namespace glcl
