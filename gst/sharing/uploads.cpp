// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uploads.h"

#include "opencl/transfer.h"
#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

/// Waits for an event. Ignores its failure, which its frame has reported. Throws if the wait itself
/// failed.
void wait_for_end(const cl::Event &event) {
  try {
    glcl::wait(event);
  } catch (const cl::Error &) {
    if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) throw;
  }
}

}  // namespace

bool Uploads::serve(const Device &device) {
  cl_bool unified = CL_TRUE;
  return clGetDeviceInfo(device.device(), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified,
                         nullptr) == CL_SUCCESS &&
         !unified;
}

Uploads::Uploads(Context &context)
    : context_(context.cl()), queue_(context_, context.device().device) {}

Uploads::~Uploads() {
  wait_noexcept(queue_);
  for (const Upload &upload : pending_)  // a failed wait may have left work on the device
    wait_noexcept(upload.sent);
}

bool Uploads::upload(Queue &queue, const Picture &picture, const std::vector<cl::Event> &after,
                     const Fill &fill) {
  const size_t row_bytes = size_t(picture.width) * picture.format->bytes;
  const size_t bytes = row_bytes * picture.height;
  if (pending_.size() == most_pending) {
    wait_for_end(pending_.front().sent);
    pending_.pop_front();
  }
  if (!pool_ || pool_->bytes() != bytes)
    pool_ = std::make_unique<PinnedPool>(queue.context(), bytes);
  Upload upload{pool_->take(), {}};
  if (!fill(upload.rows->data(), row_bytes)) return false;
  try {
    write_picture(queue_, picture, upload.rows->data(), row_bytes, CL_FALSE, &after, &upload.sent);
    queue_.flush();
    const std::vector<cl::Event> sent{upload.sent};
    pending_.push_back(std::move(upload));
    queue.cl().enqueueBarrierWithWaitList(&sent);
  } catch (...) {
    wait_noexcept(queue_);  // nothing else waits for the queue
    throw;
  }
  return true;
}

}  // namespace glcl::sharing
