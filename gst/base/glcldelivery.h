// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "opencl/readback.h"

namespace glcl {

/// Delivers the results of a Readback: on the streaming thread or, if no frame arrives, on its own
/// thread a few milliseconds after the device is done. So no result depends on a later frame.
class Delivery {
 public:
  /// Runs work and posts its exceptions; false after an exception. Any thread.
  using Guard = std::function<bool(const std::function<void()> &work)>;

  explicit Delivery(Guard guard) : guard_(std::move(guard)) {}
  ~Delivery() { stop(); }
  Delivery(const Delivery &) = delete;

  Readback &reads() { return reads_; }

  /// Like Readback::deliver(); false if a read has failed, also on the other thread.
  bool deliver(size_t max_pending);
  /// Delivers the results that have arrived; the other thread delivers the rest. Returns false as
  /// above.
  bool deliver_as_it_arrives();
  /// Ends the other thread until it is needed again. Do not call it from a result's callback.
  void stop();

 private:
  void run();

  const Guard guard_;
  Readback reads_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::thread thread_;
  bool pending_ = false;  // results are not delivered yet
  bool stopping_ = false;
};

}  // namespace glcl
