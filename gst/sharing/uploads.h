// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "opencl/picture.h"
#include "opencl/pinned.h"
#include "opencl/queue.h"

namespace glcl::sharing {

/// Frames on their way to a device that has memory of its own. Each is written into pinned memory,
/// goes from there by a queue that does nothing else, and nobody waits: the transfer runs beside
/// the kernels of the frame before it, its download, and what the host does next. From one thread.
class Uploads {
 public:
  /// Whether the device's memory is not the host's, as far as its driver tells.
  static bool serve(const Device &device);

  explicit Uploads(Context &context);
  /// Waits for all of them.
  ~Uploads();
  Uploads(const Uploads &) = delete;

  cl_context context() const { return context_(); }

  /// Writes the rows of a frame, so many bytes apart; false where it can't.
  using Fill = std::function<bool(void *rows, size_t row_bytes)>;
  /// Has `fill` write the frame and brings it to the picture once `after` have completed; what the
  /// queue does next comes after that. Gives what `fill` gave: where it is false nothing has
  /// happened. Waits only where three frames are still on their way. Throws.
  bool upload(Queue &queue, const Picture &picture, const std::vector<cl::Event> &after,
              const Fill &fill);

 private:
  struct UploadSlot {
    std::unique_ptr<Pinned> rows;
    cl::Event sent;
  };

  cl::Context context_;
  cl::CommandQueue queue_, mapping_;
  std::array<UploadSlot, 3> slots_;
  size_t next_ = 0;
};

}  // namespace glcl::sharing
