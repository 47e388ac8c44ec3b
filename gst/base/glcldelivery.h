// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "opencl/readback.h"

namespace glcl {

/// Hands on what a Readback has: on the thread that takes frames and, where no frame comes, on one
/// of its own, a few milliseconds after the device is done. So no result depends on another frame.
class Delivery {
 public:
  /// Runs work; false where it threw, which is then posted. Any thread.
  using Guard = std::function<bool(const std::function<void()> &work)>;

  explicit Delivery(Guard guard) : guard_(std::move(guard)) {}
  ~Delivery() { stop(); }
  Delivery(const Delivery &) = delete;

  Readback &reads() { return reads_; }

  /// As Readback::deliver(); false where a read has failed, also on the other thread.
  bool deliver(size_t under_way);
  /// Hands on what has arrived; the other thread hands on the rest. False as above.
  bool deliver_as_it_arrives();
  /// Ends the other thread, until it is needed again. Not from a result that is handed on.
  void stop();

 private:
  void run();

  const Guard guard_;
  Readback reads_;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::thread thread_;
  bool left_ = false;  // something to hand on
  bool stopping_ = false;
};

}  // namespace glcl
