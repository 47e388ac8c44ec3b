// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcloutbox.h"

#include <gst/gl/gl.h>

#include <utility>

namespace glcl {

namespace {

thread_local int deferrals = 0;

}  // namespace

Outbox::Scope::Scope(Outbox &outbox) : outbox_(outbox) {
  const std::lock_guard lock(outbox_.mutex_);
  outbox_.scopes_++;
}

Outbox::Scope::~Scope() {
  {
    const std::lock_guard lock(outbox_.mutex_);
    outbox_.scopes_--;
  }
  outbox_.send();
}

Outbox::Deferral::Deferral() { deferrals++; }
Outbox::Deferral::~Deferral() { deferrals--; }

bool Outbox::must_wait() { return deferrals > 0 || gst_gl_context_get_current() != nullptr; }

bool Outbox::keep(Sending item) {
  const std::lock_guard lock(mutex_);
  if (!must_wait() && items_.empty() && !sending_) return false;
  items_.push_back(std::move(item));
  return true;
}

void Outbox::send() {
  std::unique_lock lock(mutex_);
  if (std::exchange(sending_, true)) return;  // the sending thread takes new messages
  while (!items_.empty()) {
    const Sending item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    item();
    lock.lock();
  }
  sending_ = false;
}

bool Outbox::needs_sender() const {
  const std::lock_guard lock(mutex_);
  return !items_.empty() && !sending_ && !scopes_;
}

}  // namespace glcl
