// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <deque>
#include <functional>
#include <mutex>

namespace glcl {

/// Messages of an element from the GL thread, and from the work on a frame, wait here until they
/// can be sent. A handler of the application may query neighbours, and these may wait for the GL
/// thread. Any thread.
class Outbox {
 public:
  using Sending = std::function<void()>;

  /// While it lives, its thread works on a frame or waits for the GL thread. At its end it sends
  /// the messages.
  class Scope {
   public:
    explicit Scope(Outbox &outbox);
    ~Scope();
    Scope(const Scope &) = delete;

   private:
    Outbox &outbox_;
  };

  /// While it lives, messages of its thread wait as well: the thread has textures that the GL
  /// thread may be waiting for.
  class Deferral {
   public:
    Deferral();
    ~Deferral();
    Deferral(const Deferral &) = delete;
  };

  /// True on a thread that a GL context is current on, and during a Deferral.
  static bool must_wait();

  /// Keeps the item and returns true where it must wait, and wherever an earlier item still waits,
  /// so that the order stays. Returns false where the caller sends it now.
  bool keep(Sending item);
  /// Sends everything in order, without a lock. Not where messages must wait.
  void send();
  /// True if messages wait and no thread is going to send them: no Scope lives.
  bool needs_sender() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Sending> items_;
  int scopes_ = 0;
  bool sending_ = false;
};

}  // namespace glcl
