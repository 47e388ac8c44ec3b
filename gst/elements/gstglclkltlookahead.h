// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames of glclklt that wait until the motion of the camera in later frames is known.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "gstglclkltreports.h"
#include "klt/pathplanner.h"
#include "klt/stabilizer.h"
#include "opencl/picture.h"

namespace glcl::klt {

/// A frame that waits, on the device.
struct WaitingPicture {
  Picture frame;                  ///< in the format of the stream
  Picture drawing;                ///< over the frame, RGBA; without memory if there never was one
  bool has_drawing = false;       ///< `drawing` belongs to the frame
  bool moves = false;             ///< it is stabilized
  std::optional<int64_t> number;  ///< in PathPlanner; without one `state` says how it is moved
  cl::Buffer state;               ///< StabilizerState
  cl::Buffer summary;             ///< PointSummary, for `report`
  PendingReport report;
};

/// Frames in the order of their arrival. Pictures are used again. GL thread.
class WaitingPictures {
 public:
  /// Adds a frame like `in` with undefined pixels, and returns it.
  WaitingPicture &add(Queue &queue, const Picture &in);
  /// Removes the last frame, because its work failed.
  void remove_last();
  bool empty() const { return waiting_.empty(); }
  WaitingPicture &oldest() { return waiting_.front(); }
  /// Removes the oldest frame, whose work is enqueued.
  void release_oldest();
  /// Removes all frames, and the memory of earlier ones.
  void clear();

 private:
  std::deque<WaitingPicture> waiting_;
  std::vector<WaitingPicture> free_;
};

}  // namespace glcl::klt
