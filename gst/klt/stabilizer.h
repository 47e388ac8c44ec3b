// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/ransac.h"
#include "klt.h"
#include "klt/interface.h"

namespace glcl::klt {

/// Stabilises the picture by the tracked points. Each point is anchored where it was first seen in
/// the steady picture. camera::Ransac finds the similarity that brings most points back to their
/// anchors. Anchors follow by a sixteenth of the residual, so errors decay. There is no motion if
/// fewer than 6 points, or fewer than an eighth, agree, or if these do not reach across the frame.
///
/// The steady picture has a camera of its own, which follows the real one's place and pace by a
/// filter that is critically damped: even motion is followed without lag. The filter forgets faster
/// as the margin is used up, so that a pan that begins does not let the shake through. It never
/// leaves the margin.
///
/// In a blank frame the picture stays where it was.
///
/// Everything stays on the device, and nothing waits.
class Stabilizer {
 public:
  struct Settings {
    bool stabilize = false;
    int smoothing = 50;   ///< frames; 0: the picture stays where it is as long as the margin lasts
    double margin = 0.1;  ///< part of width and height on each side, 0 … 0.4: the shown part is so
                          ///< much smaller and may move by as much
  };

  /// For frames of a size; `aspect`: by how much their pixels are shown wider than high. Throws
  /// Error::failed where the device refuses kernels or memory.
  Stabilizer(Context &context, int width, int height, const FrameFormat &frame, float aspect = 1);

  /// After Klt::run(), for every frame: enqueues where it lies in the steady picture.
  void run(Queue &queue, const Settings &settings, const Klt &klt);
  /// Enqueues the output for a frame, or for a picture in RGBA of its size.
  void show(Queue &queue, const Picture &in, const Picture &out);
  /// Restarts with the next frame.
  void forget() { known_ = false; }
  /// A StabilizerState, of the last frame.
  const cl::Buffer &state() const { return now_; }

 private:
  SteadyView view_;
  camera::Ransac ransac_;
  camera::Ransac::Settings usual_;
  Kernel displacements_kernel_, hold_, show_, show_planes_;
  cl::Buffer displacements_, anchors_, camera_, before_, now_;
  bool known_ = false;
};

}  // namespace glcl::klt
