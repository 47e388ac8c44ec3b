// SPDX-License-Identifier: LGPL-2.1-or-later
// The way `copy`: through host memory, by GstGL's pixel buffers, and only where somebody else than
// an element of ours has written the frame or wants it.
#include "deviceframe.h"
#include "memory.h"
#include "sharing.h"
#include "texture.h"

namespace glcl::sharing {

namespace {

/// Bytes from row to row in the host copy of a texture.
size_t stride(const Use &use) {
  return GST_VIDEO_INFO_PLANE_STRIDE(&use.memory->info, use.memory->plane);
}

/// A frame that an element of ours wrote stays in OpenCL's memory (DeviceFrame). Of all others: one
/// whose host copy is still valid is not read back from OpenGL, and one that is read on the host
/// next is never uploaded; GstGLMemory knows both.
class CopySharing : public Sharing {
 public:
  void acquire(Queue &queue, Layout layout, Use *uses, size_t count) override;
  void release(Queue &queue, Use *uses, size_t count, bool complete) override;
  GstBufferPool *make_pool(GstGLContext *context, Report report) override {
    return sharing::make_pool(context, nullptr, std::move(report));
  }

 private:
  void upload(Queue &queue, const Use &use, const void *host);
  void download(Queue &queue, Use &use);
  const cl::CommandQueue &reads(const Queue &queue);

  /// Of the nth use, between acquire and release; null where the memory keeps none.
  std::vector<DeviceFrame *> frames_;
  bool transfers_ = false;  // under way, between the host and OpenCL
  cl::CommandQueue reads_;
};

void CopySharing::upload(Queue &queue, const Use &use, const void *host) {
  const Picture &picture = use.picture;
  const size_t width = use.width(), height = use.height();
  transfers_ = true;
  if (picture.layout == Layout::image)
    queue.cl().enqueueWriteImage(picture.image, CL_FALSE, {0, 0, 0}, {width, height, 1},
                                 stride(use), 0, host);
  else
    queue.cl().enqueueWriteBufferRect(picture.buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                      picture.region(), picture.row_bytes(), 0, stride(use), 0,
                                      host);
  ++*copies_;
}

void CopySharing::download(Queue &queue, Use &use) {
  void *host = use.map(0);
  transfers_ = true;
  const Picture &picture = use.picture;
  const size_t width = use.width(), height = use.height();
  if (picture.layout == Layout::image)
    queue.cl().enqueueReadImage(picture.image, CL_FALSE, {0, 0, 0}, {width, height, 1}, stride(use),
                                0, host);
  else
    queue.cl().enqueueReadBufferRect(picture.buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0},
                                     picture.region(), picture.row_bytes(), 0, stride(use), 0,
                                     host);
  ++*copies_;
}

/// A queue that waits for one frame, not for those after it.
const cl::CommandQueue &CopySharing::reads(const Queue &queue) {
  const Context &context = queue.context();
  if (!reads_() || reads_.getInfo<CL_QUEUE_CONTEXT>()() != context.cl()())
    reads_ = cl::CommandQueue(context.cl(), context.device().device);
  return reads_;
}

void CopySharing::acquire(Queue &queue, Layout layout, Use *uses, size_t count) {
  frames_.assign(count, nullptr);
  for (size_t i = 0; i < count; i++) {
    Use &use = uses[i];
    DeviceFrame *frame = hands_over(use.memory) ? &DeviceFrame::of(use.memory) : nullptr;
    const void *host = nullptr;
    if (use.access != Access::write) {
      if (frame && frame->read(queue, layout, use.picture)) continue;
      if (frame && frame->alone()) frame = nullptr;  // with another device, which keeps it
      if (GST_MEMORY_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD)) ++*copies_;
      host = use.map(0);
    } else if (Texture::find(use.memory)) {
      use.map(GST_MAP_GL);  // so that OpenCL hands it back, on the thread of its own GL context
      use.unmap();
    }
    use.picture = frame ? frame->write(queue, use, layout) : staging(queue, i, use, layout);
    frames_[i] = frame;
    if (host) upload(queue, use, host);
  }
}

void CopySharing::release(Queue &queue, Use *uses, size_t count, bool complete) {
  for (size_t i = 0; i < frames_.size(); i++) {
    if (uses[i].access != Access::write) continue;
    if (frames_[i] && complete) {
      frames_[i]->written(queue, reads(queue), copies_);
      GST_MINI_OBJECT_FLAG_UNSET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD |
                                                     GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    } else if (frames_[i]) {
      frames_[i]->lost();
    } else if (complete) {
      download(queue, uses[i]);
    }
  }
  if (transfers_)
    queue.cl().finish();  // host memory is in use until here
  else
    queue.cl().flush();
  transfers_ = false;
  for (size_t i = 0; i < frames_.size(); i++)
    if (frames_[i] && complete && uses[i].access != Access::write) frames_[i]->uploaded();
  for (size_t i = 0; i < count; i++) uses[i].unmap();
  frames_.clear();
}

}  // namespace

const Way Way::copy = {"copy", "Frames go through host memory; works everywhere",
                       [](GstGLContext *, const Device &) -> Factory {
                         return {[] { return std::make_unique<CopySharing>(); }};
                       }};

}  // namespace glcl::sharing
