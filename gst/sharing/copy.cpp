// SPDX-License-Identifier: LGPL-2.1-or-later
// The way `copy`: through host memory, by GstGL's pixel buffers.
#include "sharing.h"

namespace glcl::sharing {

namespace {

/// Bytes from row to row in the host copy of a texture.
size_t stride(const Use &use) {
  return GST_VIDEO_INFO_PLANE_STRIDE(&use.memory->info, use.memory->plane);
}

void write(Queue &queue, const Use &use, const void *host) {
  const Picture &picture = use.picture;
  const size_t width = use.width(), height = use.height();
  if (picture.layout == Layout::image)
    queue.cl().enqueueWriteImage(picture.image, CL_FALSE, {0, 0, 0}, {width, height, 1},
                                 stride(use), 0, host);
  else
    queue.cl().enqueueWriteBufferRect(picture.buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                      picture.region(), picture.row_bytes(), 0, stride(use), 0,
                                      host);
}

void read(Queue &queue, const Use &use, void *host) {
  const Picture &picture = use.picture;
  const size_t width = use.width(), height = use.height();
  if (picture.layout == Layout::image)
    queue.cl().enqueueReadImage(picture.image, CL_FALSE, {0, 0, 0}, {width, height, 1}, stride(use),
                                0, host);
  else
    queue.cl().enqueueReadBufferRect(picture.buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                     picture.region(), picture.row_bytes(), 0, stride(use), 0,
                                     host);
}

/// A frame whose host copy is still valid is not read back from OpenGL, and one that is read on the
/// host next is never uploaded: GstGLMemory knows both.
class CopySharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, Use *uses, size_t count) override;
  void release(Queue &queue, Use *uses, size_t count, bool complete) override;
};

void CopySharing::acquire(Queue &queue, Layout layout, Use *uses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    Use &use = uses[i];
    use.picture = staging(queue, i, use, layout);
    if (use.access == Access::write) continue;
    if (GST_MEMORY_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD)) copies_++;
    write(queue, use, use.map(0));
    copies_++;
  }
}

void CopySharing::release(Queue &queue, Use *uses, size_t count, bool complete) {
  for (size_t i = 0; i < count && complete; i++) {
    if (uses[i].access != Access::write) continue;
    read(queue, uses[i], uses[i].map(0));
    copies_++;
  }
  queue.cl().finish();  // the host copies are in use until here
  for (size_t i = 0; i < count; i++) uses[i].unmap();
}

}  // namespace

const Way Way::copy = {"copy", "Frames go through host memory; works everywhere",
                       [](GstGLContext *, const Device &) -> Factory {
                         return {[] { return std::make_unique<CopySharing>(); }};
                       }};

}  // namespace glcl::sharing
