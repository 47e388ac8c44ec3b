// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <memory>
#include <mutex>
#include <vector>

#include "opencl/picture.h"
#include "opencl/pinned.h"
#include "opencl/queue.h"
#include "sharing.h"

namespace glcl::sharing {

/// What `copy` keeps on a GstGLMemory that hands itself over: the frame as a picture in OpenCL's
/// memory, which the next element of ours reads without a transfer. Where OpenCL wrote it nobody
/// else has it: OpenGL and the host get it when they map the memory. It lives as qdata of the
/// memory. From any thread.
class DeviceFrame {
 public:
  /// The record of a memory, made at the first call, on the GL thread.
  static DeviceFrame &of(GstGLMemory *memory);
  /// The record, or null where there is none yet.
  static DeviceFrame *find(GstGLMemory *memory);

  /// The picture with the frame, for what the queue does next; false where it has not got it.
  bool read(Queue &queue, Layout layout, Picture &picture);
  /// The picture, of which the queue is to write all. Waits until what was written before is, so
  /// that the host is no more frames ahead of the device than take turns. Throws.
  Picture write(Queue &queue, const TextureUse &use, Layout layout);
  /// The same for who writes it by another queue, when `after` have completed; does not wait.
  Picture write(Queue &queue, const TextureUse &use, Layout layout, std::vector<cl::Event> &after);

  /// The queue was told all that writes the picture, and nobody else has the frame. What goes to
  /// the host comes by `reads`, a queue of the same context, and is counted. Throws.
  void written(Queue &queue, const cl::CommandQueue &reads, std::shared_ptr<Copies> copies);
  /// The picture has what the host has, or will have, for the queue that writes it.
  void uploaded();
  /// Until this event the queue reads the picture.
  void read_until(const cl::Event &event);
  /// The picture has not got the frame: it was written elsewhere, or is half written.
  void invalidate();

  /// Whether OpenCL alone has the frame.
  bool device_only() const;
  /// Waits for the frame and copies it to the host, in rows of so many bytes. Throws.
  void download(void *host, size_t stride);
  /// The same for OpenGL's own host memory, which has the frame from then on.
  void downloaded();
  /// Waits for the frame and gives it on the host without OpenGL, in rows of so many bytes; null
  /// where others have it too. Throws.
  std::shared_ptr<const Pinned> on_host(size_t stride);

 private:
  struct Content {
    Picture picture;
    cl::Event written, read;
    cl::CommandQueue reads;
    std::shared_ptr<Copies> copies;
  };

  void take_over(Queue &queue);
  void prepare(Queue &queue, const TextureUse &use, Layout layout);
  static void download(const Content &content, void *host, size_t stride);

  mutable std::mutex mutex_;
  cl_context context_ = nullptr;
  std::shared_ptr<Queue> queue_;  // the last that used the picture
  Content content_;
  bool valid_ = false, device_only_ = false;

  std::mutex host_mutex_;
  std::shared_ptr<Pinned> host_;  // for the frame, where somebody maps it
  cl_context host_context_ = nullptr;
  bool host_valid_ = false;
};

}  // namespace glcl::sharing
