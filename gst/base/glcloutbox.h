// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <deque>
#include <functional>
#include <mutex>

namespace glcl {

/// Holds messages of an element that come from the GL thread or from the work on a frame, until
/// they can be sent. A handler of the application may query neighbours, and these may wait for the
/// GL thread. Any thread.
class Outbox {
 public:
  using Sending = std::function<void()>;

  /// During its lifetime its thread works on a frame or waits for the GL thread. Its destructor
  /// sends the messages.
  class Scope {
   public:
    explicit Scope(Outbox &outbox);
    ~Scope();
    Scope(const Scope &) = delete;

   private:
    Outbox &outbox_;
  };

  /// During its lifetime, messages of its thread wait as well: the thread has reserved textures,
  /// and the GL thread may be waiting for them.
  class Deferral {
   public:
    Deferral();
    ~Deferral();
    Deferral(const Deferral &) = delete;
  };

  /// True if a GL context is current on this thread, and during a Deferral.
  static bool must_wait();

  /// Keeps the item and returns true if it must wait, or if an earlier item still waits: this keeps
  /// the order. Returns false if the caller must send it now.
  bool keep(Sending item);
  /// Sends everything in order, without a lock. Do not call it if must_wait().
  void send();
  /// True if messages wait and no Scope exists that would send them.
  bool needs_sender() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Sending> items_;
  int scopes_ = 0;
  bool sending_ = false;
};

}  // namespace glcl
