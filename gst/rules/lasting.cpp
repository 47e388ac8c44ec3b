// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lasting.h"

#include "path.h"

namespace glcl::rules {

namespace {

constexpr int least_frames = 5;

}  // namespace

std::optional<LastingChange> LastingState::step(bool on, bool off, uint64_t now, uint64_t least,
                                                uint64_t rest) {
  if (begun_) {
    if (off && !ends_) resting_ = now;
    ends_ = off;
    if (!off || elapsed(now, resting_) < rest) return {};
    const uint64_t last = resting_;
    return end(last);
  }
  if (!on) {
    frames_ = 0;
    return {};
  }
  if (!frames_ || now < since_) since_ = now, frames_ = 0;
  frames_++;
  if (frames_ < least_frames || elapsed(now, since_) < least) return {};
  begun_ = true;
  return LastingChange{true, elapsed(now, since_)};
}

std::optional<LastingChange> LastingState::end(uint64_t now) {
  const bool ended = begun_;
  const uint64_t since = since_;
  *this = {};
  if (!ended) return {};
  return LastingChange{false, elapsed(now, since)};
}

}  // namespace glcl::rules
