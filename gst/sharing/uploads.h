// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "opencl/picture.h"
#include "opencl/pinned.h"
#include "opencl/queue.h"

namespace glcl::sharing {

/// Uploads frames to a device with discrete memory. Each frame is written into pinned memory and
/// uploaded from there by a separate queue, without waiting: the transfer overlaps with the kernels
/// and the download of the previous frame and with the host. Call it from one thread.
class Uploads {
 public:
  /// True if the driver reports discrete memory.
  static bool serve(const Device &device);

  explicit Uploads(Context &context);
  /// Waits for all uploads.
  ~Uploads();
  Uploads(const Uploads &) = delete;

  cl_context context() const { return context_(); }

  /// Writes the rows of a frame, `row_bytes` apart; false on failure.
  using Fill = std::function<bool(void *rows, size_t row_bytes)>;
  /// Calls `fill` to write the frame, and uploads it to the picture once the events `after` have
  /// completed. The next commands of the queue wait for the upload. Returns the result of `fill`;
  /// if it is false, nothing happens. Waits only if three uploads are pending. Throws.
  bool upload(Queue &queue, const Picture &picture, const std::vector<cl::Event> &after,
              const Fill &fill);

 private:
  /// A pending upload.
  struct Upload {
    std::shared_ptr<Pinned> rows;
    cl::Event sent;
  };
  static constexpr size_t most_pending = 3;

  cl::Context context_;
  cl::CommandQueue queue_;
  std::unique_ptr<PinnedPool> pool_;
  std::deque<Upload> pending_;
};

}  // namespace glcl::sharing
