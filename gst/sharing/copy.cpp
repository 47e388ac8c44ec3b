// SPDX-License-Identifier: LGPL-2.1-or-later
// Sharing method `copy`: frames go through host memory, in GstGL's pixel buffers, and only if
// elements outside gst-glcl write or read them.
#include <algorithm>

#include "deviceframe.h"
#include "memory.h"
#include "opencl/transfer.h"
#include "opencl/waiting.h"
#include "sharing.h"
#include "texture.h"
#include "texturereader.h"
#include "uploads.h"

namespace glcl::sharing {

namespace {

/// Number of staging pictures that are used in turn: one per frame in flight.
constexpr size_t pictures = 3;
constexpr size_t none = SIZE_MAX;

/// Bytes from row to row in the host copy of a texture.
size_t stride(const TextureUse &use) {
  return GST_VIDEO_INFO_PLANE_STRIDE(&use.memory->info, use.memory->plane);
}

/// A frame from a gst-glcl element stays in OpenCL's memory (DeviceFrame). For all others, a valid
/// host copy is not read back from OpenGL, and a frame that is read on the host next is never
/// uploaded; GstGLMemory knows both.
///
/// If the device shares the host's memory, frames are copied directly, and waited for. Otherwise
/// they go through pinned memory (Uploads) without waiting.
class CopySharing : public Sharing {
 public:
  explicit CopySharing(bool discrete_memory) : discrete_memory_(discrete_memory) {}

  bool acquire_held(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) override;
  void release(Queue &queue, TextureUse *uses, size_t count, bool complete) override;
  GstBufferPool *make_pool(GstGLContext *context, ErrorHandler report) override {
    return sharing::make_pool(context, nullptr, std::move(report));
  }

 private:
  /// A frame between acquire and release.
  struct HeldFrame {
    DeviceFrame *frame = nullptr;  // null if the memory has none
    size_t place = none;           // in read_
    bool written = false;          // the picture was uploaded from the host
  };

  void begin_uploads(Queue &queue, Layout layout, TextureUse *uses, size_t count);
  void upload(Queue &queue, Layout layout, size_t index, TextureUse &use);
  void upload_pinned(Queue &queue, Layout layout, size_t index, TextureUse &use);
  bool read_texture(const TextureUse &use, void *rows, size_t row_bytes);
  void mark_use(Queue &queue, const TextureUse *uses, bool complete);
  void finish_transfers(Queue &queue, TextureUse *uses, size_t count);
  void download(Queue &queue, TextureUse &use);
  const cl::CommandQueue &reads(const Queue &queue);
  /// Counts a frame once, with its first plane.
  const std::shared_ptr<Copies> &counter(const TextureUse &use) const {
    return use.memory->plane ? other_planes_ : copies_;
  }

  std::shared_ptr<Copies> other_planes_ = std::make_shared<Copies>(0);
  std::vector<HeldFrame> held_;
  bool transfers_ = false;  // true while GstGL's host memory is being transferred
  cl::CommandQueue reads_;

  // True if the device has discrete memory; only then the members below are used.
  const bool discrete_memory_;
  std::unique_ptr<Uploads> uploads_;
  std::unique_ptr<TextureReader> reader_;
  std::unique_ptr<RowCopier> copier_;
  std::vector<cl::Event> read_;  // until when each picture of Sharing::staging is read
  size_t turn_ = 0;              // index into these pictures
};

/// Uploads the host copy of a texture.
void CopySharing::upload(Queue &queue, Layout layout, size_t index, TextureUse &use) {
  DeviceFrame *frame = held_[index].frame;
  if (GST_MEMORY_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD))
    ++*counter(use);
  const void *host = use.map(0);
  use.picture = frame ? frame->write(queue, use, layout) : staging(queue, index, use, layout);
  transfers_ = true;
  write_picture(queue.cl(), use.picture, host, stride(use), CL_FALSE);
}

/// The same through pinned memory. Staging pictures are used in turn.
void CopySharing::upload_pinned(Queue &queue, Layout layout, size_t index, TextureUse &use) {
  HeldFrame &held = held_[index];
  std::vector<cl::Event> after;
  if (held.frame) {
    use.picture = held.frame->write(queue, use, layout, after);
  } else {
    const size_t place = turn_ * held_.size() + index;
    use.picture = staging(queue, place, use, layout);
    read_.resize(std::max(read_.size(), place + 1));
    held.place = place;
    if (read_[held.place]()) after.push_back(read_[held.place]);
  }
  if (!copier_) copier_ = std::make_unique<RowCopier>();
  if (!uploads_ || uploads_->context() != queue.context().cl()())
    uploads_ = std::make_unique<Uploads>(queue.context());
  if (GST_MEMORY_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD)) {
    ++*counter(use);
    use.map(GST_MAP_GL);
    if (uploads_->upload(queue, use.picture, after, [&](void *rows, size_t row_bytes) {
          return read_texture(use, rows, row_bytes);
        }))
      return;
    use.unmap();
  }
  const void *host = use.map(0);
  uploads_->upload(queue, use.picture, after, [&](void *rows, size_t row_bytes) {
    copier_->begin({static_cast<char *>(rows), row_bytes, static_cast<const char *>(host),
                    stride(use), row_bytes, use.height()});
    copier_->finish();
    return true;
  });
}

/// Reads the texture to the host; false if its GL context is not current on this thread.
bool CopySharing::read_texture(const TextureUse &use, void *rows, size_t row_bytes) {
  GstGLContext *context = use.memory->mem.context;
  if (context != gst_gl_context_get_current()) return false;
  if (!reader_ || reader_->context() != context) reader_ = std::make_unique<TextureReader>(context);
  return reader_->read(use.memory, *use.picture.format, *copier_, rows, row_bytes);
}

/// Marks until when the queue reads the pictures. Uploaded pictures are valid from then on.
void CopySharing::mark_use(Queue &queue, const TextureUse *uses, bool complete) {
  cl::Event end;
  for (size_t i = 0; i < held_.size(); i++) {
    const HeldFrame &held = held_[i];
    if (uses[i].access == Access::write || (!held.frame && held.place == none)) continue;
    if (!end()) {
      try {
        queue.cl().enqueueMarkerWithWaitList(nullptr, &end);
      } catch (...) {
        wait_noexcept(queue.cl());
        throw;
      }
    }
    if (held.frame)
      held.frame->read_until(queue, end);
    else
      read_[held.place] = end;
    if (held.frame && held.written && complete) held.frame->uploaded(queue, end);
  }
}

void CopySharing::download(Queue &queue, TextureUse &use) {
  void *host = use.map(0);
  transfers_ = true;
  read_picture(queue.cl(), use.picture, host, stride(use), CL_FALSE);
  ++*counter(use);
}

/// The queue for downloads. It waits for one frame, not for later frames like `queue`.
const cl::CommandQueue &CopySharing::reads(const Queue &queue) {
  const Context &context = queue.context();
  if (!reads_() || reads_.getInfo<CL_QUEUE_CONTEXT>()() != context.cl()())
    reads_ = cl::CommandQueue(context.cl(), context.device().device);
  return reads_;
}

/// Waits until the host memory of frames is free. If the device is given up, the memory stays
/// mapped forever.
void CopySharing::finish_transfers(Queue &queue, TextureUse *uses, size_t count) {
  transfers_ = false;
  try {
    finish(queue.cl());
  } catch (...) {
    if (is_abandoned(queue.context().cl()))
      for (size_t i = 0; i < count; i++) uses[i].leak_mapping();
    throw;
  }
}

/// OpenGL is needed for a frame that only OpenGL has. The host memory of a shared frame may be a
/// pixel buffer that another user maps on the GL thread, so it is read on that thread, too.
bool CopySharing::acquire_held(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  const bool needs_gl = std::any_of(uses, uses + count, [&](const TextureUse &use) {
    const DeviceFrame *frame = DeviceFrame::find(use.memory);
    return use.access != Access::write && !(frame && frame->is_valid(queue, layout)) &&
           (use.shared ||
            GST_MEMORY_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD));
  });
  if (needs_gl) {
    if (!discrete_memory_) wait_noexcept(queue.cl());  // wait here, not on the GL thread
    return false;
  }
  begin_uploads(queue, layout, uses, count);
  return true;
}

/// Waits for the uploads, so that the host memory is free again when the GL thread continues.
void CopySharing::acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  begin_uploads(queue, layout, uses, count);
  if (transfers_) finish_transfers(queue, uses, count);
  for (size_t i = 0; i < count; i++) uses[i].unmap();
}

void CopySharing::begin_uploads(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  held_.assign(count, {});
  turn_ = (turn_ + 1) % (discrete_memory_ ? pictures : 1);
  for (size_t i = 0; i < count; i++) {
    TextureUse &use = uses[i];
    DeviceFrame *frame = hands_over(use.memory) ? &DeviceFrame::of(use.memory) : nullptr;
    held_[i].frame = frame;
    if (use.access == Access::write) {
      const Texture *texture = Texture::find(use.memory);
      if (texture && texture->holder()) {
        use.map(GST_MAP_GL);  // hands it to OpenGL, on the thread of its GL context
        use.unmap();
      }
      use.picture = frame ? frame->write(queue, use, layout) : staging(queue, i, use, layout);
      continue;
    }
    if (frame && frame->read(queue, layout, use.picture)) continue;
    if (frame && frame->device_only())
      held_[i].frame = nullptr;  // another device has the frame and keeps it
    if (discrete_memory_)
      upload_pinned(queue, layout, i, use);
    else
      upload(queue, layout, i, use);
    held_[i].written = true;
    ++*counter(use);
  }
}

void CopySharing::release(Queue &queue, TextureUse *uses, size_t count, bool complete) {
  for (size_t i = 0; i < held_.size(); i++) {
    if (uses[i].access != Access::write) continue;
    if (held_[i].frame && complete) {
      held_[i].frame->written(queue, reads(queue), counter(uses[i]));
      GST_MINI_OBJECT_FLAG_UNSET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD |
                                                     GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    } else if (held_[i].frame) {
      held_[i].frame->invalidate();
    } else if (complete) {
      download(queue, uses[i]);
    }
  }
  mark_use(queue, uses, complete);
  if (transfers_)
    finish_transfers(queue, uses, count);
  else
    queue.cl().flush();
  for (size_t i = 0; i < count; i++) uses[i].unmap();
  held_.clear();
}

}  // namespace

const SharingMethod SharingMethod::copy = {
    "copy", "Frames are copied through host memory; works everywhere",
    [](GstGLContext *, const Device &device) -> Factory {
      return {[discrete_memory = Uploads::serve(device)] {
        return std::make_unique<CopySharing>(discrete_memory);
      }};
    }};

}  // namespace glcl::sharing
