// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "plane.h"

namespace glcl::motion {

/// The current frame of a search and the frame in which it searches.
struct SearchPlanes {
  const LumaPlane &current, &reference;
};

/// The luma planes of the last frames of a stream. With several devices searches last longer than a
/// frame, so it has more planes, and a frame waits until the search that uses its plane ends.
class LumaHistory {
 public:
  /// For frames of width × height px. Throws Error::failed if the device refuses the kernels,
  /// cl::Error if it refuses memory.
  LumaHistory(Context &context, int width, int height, const FrameFormat &frame);
  /// Sets another format of the next frames. The planes stay.
  void set_format(Context &context, const FrameFormat &frame) {
    converter_ = LumaConverter(context, frame);
  }
  /// Keeps `count` planes, and waits for those in use. Throws cl::Error.
  void keep(const cl::Context &context, size_t count);

  /// Begins the next frame; then number(), current() and reference() are those of this frame.
  void begin_frame() {
    frames_++;
    number_++;
  }
  /// Enqueues its luma on `queue`. `results`, which then uses the planes, waits for it.
  void add(Queue &queue, Queue &results, const Picture &in);
  /// Makes the next frame a first one.
  void reset() { frames_ = 0; }

  uint64_t frames() const { return frames_; }  ///< since the last reset
  uint64_t number() const { return number_; }  ///< of the last frame, never reset
  const LumaPlane &current() const { return plane(number_); }
  /// The previous frame; for a first frame, the frame itself.
  const LumaPlane &reference() const { return plane(frames_ > 1 ? number_ - 1 : number_); }

 private:
  const LumaPlane &plane(uint64_t number) const { return planes_[number % planes_.size()]; }
  void wait_for_plane(Queue &queue);

  LumaConverter converter_;
  std::vector<LumaPlane> planes_;  // of the last frames, in turn
  uint64_t frames_ = 0, number_ = 0;
  std::shared_ptr<Queue> last_queue_;  // `results` of the last frame, after keep()
  std::vector<cl::Event> plane_ends_;  // of the use of planes_ on that queue; empty before keep()
};

}  // namespace glcl::motion
