// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "shots.h"

namespace glcl::histogram {

/// Chooses a frame of each shot: the sharpest of its first seconds. Plain C++.
class SharpestFrames {
 public:
  /// Shots reports a boundary at most so many frames after it. A choice waits for these, because
  /// the shot may have ended earlier.
  static constexpr size_t late = 65;
  static constexpr uint64_t no_time = UINT64_MAX;

  struct ShotFrame {
    uint64_t shot, frame;  ///< first frame of the shot, and the chosen one
    double sharpness;
  };

  /// Frames less than `within` after the first one of their shot may be chosen, ns. The first one
  /// always may.
  void set_within(uint64_t within) { within_ = within; }
  /// Adds a frame, by its number and its time, ns or `no_time`. The first frame begins a shot.
  void add(uint64_t frame, uint64_t time, double sharpness);
  /// A shot begins.
  void begin(const Shots::Shot &shot);
  /// Returns the choices that are now certain, in the order of the shots.
  std::vector<ShotFrame> choose() { return choose(false); }
  /// Chooses for all shots, from the frames so far; later choices use later frames.
  std::vector<ShotFrame> settle();
  /// The first frame that may still be chosen, or `otherwise`.
  uint64_t oldest(uint64_t otherwise) const {
    return frames_.empty() ? otherwise : frames_.front().number;
  }

 private:
  struct Frame {
    uint64_t number, time;
    double sharpness;
  };
  /// A shot for which no frame is chosen yet.
  struct Undecided {
    uint64_t first;         // frame
    uint64_t previous_end;  // the previous shot has only frames before this one
  };

  std::vector<ShotFrame> choose(bool all);
  void forget();

  uint64_t within_ = 0;
  std::deque<Frame> frames_;
  std::deque<Undecided> shots_;  // in the order of their frames
  bool begun_ = false;           // a frame was added
};

}  // namespace glcl::histogram
