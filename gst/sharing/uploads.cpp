// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uploads.h"

#include "opencl/transfer.h"
#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

/// Waits for an event, which may have failed: that was its frame's failure. Throws where there was
/// no waiting.
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
    : context_(context.cl()),
      queue_(context_, context.device().device),
      mapping_(context_, context.device().device) {}

Uploads::~Uploads() {
  settle(queue_);
  for (const UploadSlot &slot : slots_)  // it may have failed before the device was done
    if (slot.sent()) settle(slot.sent);
}

bool Uploads::upload(Queue &queue, const Picture &picture, const std::vector<cl::Event> &after,
                     const Fill &fill) {
  UploadSlot &slot = slots_[next_];
  const size_t row_bytes = size_t(picture.width) * picture.plane().bytes;
  const size_t bytes = row_bytes * picture.height;
  if (slot.sent()) wait_for_end(slot.sent);
  slot.sent = {};
  if (!slot.rows || slot.rows->bytes() != bytes) {
    slot.rows.reset();
    slot.rows = std::make_unique<Pinned>(context_, mapping_, bytes);
  }
  if (!fill(slot.rows->data(), row_bytes)) return false;
  next_ = (next_ + 1) % slots_.size();
  try {
    write_picture(queue_, picture, slot.rows->data(), row_bytes, CL_FALSE, &after, &slot.sent);
    queue_.flush();
    const std::vector<cl::Event> sent{slot.sent};
    queue.cl().enqueueBarrierWithWaitList(&sent);
  } catch (...) {
    settle(queue_);  // no other thread knows it
    throw;
  }
  return true;
}

}  // namespace glcl::sharing
