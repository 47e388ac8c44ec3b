// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace glcl::rules {

/// Something that lasts begins or ends.
struct LastingChange {
  bool begins = false;
  uint64_t lasted = 0;  ///< ns so far, or in all
};

/// Decides when something that lasts begins and ends. Every begin has an end.
class LastingState {
 public:
  /// A frame. `on`: it may have begun; it begins after `least` ns and some frames of this. `off`:
  /// it may have ended; it ends after `rest` ns of this.
  std::optional<LastingChange> step(bool on, bool off, uint64_t now, uint64_t least, uint64_t rest);
  /// Ends it at once.
  std::optional<LastingChange> end(uint64_t now);

  /// True from its first frame on, also before it has begun.
  bool lasts() const { return frames_ > 0; }
  /// True between its begin and its end.
  bool begun() const { return begun_; }

 private:
  bool begun_ = false, ends_ = false;
  int frames_ = 0;                    // since its first one
  uint64_t since_ = 0, resting_ = 0;  // its first frame; the first one without it
};

}  // namespace glcl::rules
