// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/picture.h"
#include "opencl/pinned.h"
#include "opencl/queue.h"
#include "sharing.h"

namespace glcl::sharing {

/// Record of the method `copy` on a GstGLMemory of our pools: the frame as a picture in OpenCL's
/// memory, which the next gst-glcl element reads without a transfer. After OpenCL has written it,
/// only this picture is valid: OpenGL and the host get the frame when they map the memory. It is
/// stored as qdata of the memory. From any thread.
class DeviceFrame {
 public:
  /// The record of a memory; the first call creates it. Do not make that call on two threads at
  /// once.
  static DeviceFrame &of(GstGLMemory *memory);
  /// The record, or null if it does not exist yet.
  static DeviceFrame *find(GstGLMemory *memory);

  /// True if the picture is valid for commands of the queue.
  bool is_valid(const Queue &queue, Layout layout) const;
  /// Gets the picture for the next commands of the queue; false if the picture is not valid.
  bool read(Queue &queue, Layout layout, Picture &picture);
  /// Gets the picture for the queue to overwrite completely. Waits for the previous write, so that
  /// the host is at most as many frames ahead of the device as there are pictures. Throws.
  Picture write(Queue &queue, const TextureUse &use, Layout layout);
  /// The same for a write on any queue after the events `after`; does not wait.
  Picture write(Queue &queue, const TextureUse &use, Layout layout, std::vector<cl::Event> &after);

  /// Call it after all work that writes the picture was enqueued, while no other user has the
  /// frame. Downloads to the host go through `reads`, a queue of the same context, and are counted.
  /// Throws.
  void written(Queue &queue, const cl::CommandQueue &reads, std::shared_ptr<Copies> copies);
  /// Marks the picture as equal to the host's copy, once the queue has reached the event.
  void uploaded(Queue &queue, const cl::Event &event);
  /// Records that the queue reads the picture until this event.
  void read_until(const Queue &queue, const cl::Event &event);
  /// Marks the picture as invalid: the frame was written elsewhere, or only partly.
  void invalidate();

  /// True if only OpenCL's copy is valid.
  bool device_only() const;
  /// Waits until OpenCL has written the frame, if only OpenCL has it. Its readers report failures.
  void wait_until_written() const;
  /// Waits for the frame and downloads it to the host, in rows of `stride` bytes. Throws.
  void download(void *host, size_t stride);
  /// The same for OpenGL's host memory, which is valid from then on.
  void downloaded();
  /// Waits for the frame and returns it on the host without OpenGL, in rows of `stride` bytes; null
  /// if another copy is valid too. Throws.
  std::shared_ptr<const Pinned> on_host(size_t stride);

 private:
  /// The frame's picture and the events of its last uses.
  struct Content {
    Picture picture;
    cl::Event written;
    std::map<cl_command_queue, cl::Event> read;  // last read of each queue
    cl::CommandQueue reads;
    std::shared_ptr<Copies> copies;
  };

  bool suits(const Queue &queue, Layout layout) const;
  std::vector<cl::Event> uses_before(const Queue &queue, bool all) const;
  void prepare(Queue &queue, const TextureUse &use, Layout layout);
  static void download(const Content &content, void *host, size_t stride);

  mutable std::mutex mutex_;
  cl_context context_ = nullptr;
  std::shared_ptr<Queue> writer_;  // the queue that wrote the picture last
  Content content_;
  bool valid_ = false, device_only_ = false;

  std::mutex host_mutex_;
  std::shared_ptr<Pinned> host_;  // the frame on the host, once it was mapped
  cl_context host_context_ = nullptr;
  bool host_valid_ = false;
};

}  // namespace glcl::sharing
