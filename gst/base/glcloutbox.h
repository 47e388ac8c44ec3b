// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <deque>
#include <functional>
#include <mutex>

namespace glcl {

/// Messages of an element from the GL thread wait here until another thread sends them. A handler
/// of the application may query neighbours, and these may wait for the GL thread. Any thread.
class Outbox {
 public:
  using Sending = std::function<void()>;

  /// While it lives, its thread waits for work of the GL thread. At its end it sends the messages.
  class Scope {
   public:
    explicit Scope(Outbox &outbox);
    ~Scope();
    Scope(const Scope &) = delete;

   private:
    Outbox &outbox_;
  };

  /// True on a thread that a GL context is current on.
  static bool on_gl_thread();

  /// Keeps the item and returns true on a GL thread, and wherever an earlier item still waits, so
  /// that the order stays. Returns false where the caller sends it now.
  bool keep(Sending item);
  /// Sends everything in order, without a lock. Not on a GL thread.
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
