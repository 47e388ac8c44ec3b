// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "points.h"
#include "pyramid.h"

namespace glcl::klt {

/// Detects blank frames: black, white, grey or damaged ones, or an obstacle in front of the lens.
///
/// A frame is blank under three conditions. More than half of the points are lost; after a blank
/// frame more than a quarter suffices. Two thirds of these have lost the texture around them. The
/// remaining texture belongs to tracked points, which is not so after a cut.
///
/// A flash saturates parts of the picture, and the others agree with the frame before. It is blank
/// for up to five frames. A frame that agrees at another place shows a fast pan: it is no cut.
///
/// A cover that comes over several frames takes points one by one. Then the scene of the last
/// selection returns if the frame is blank beside it, see keep(). After a blank frame a
/// third of the lost points may have texture, in half of the windows.
///
/// In a blank frame the points keep their state. The pyramid and the noise become those of the last
/// frame that was not blank, so the next frame is tracked from that one. After 30 blank frames in a
/// row the points are lost.
class BlankFrames {
 public:
  struct Limits {
    int levels;    ///< of the pyramids that are built
    int slots;     ///< of points
    bool allowed;  ///< the frame may be blank
  };

  /// `spare`: a pyramid of its own. Throws Error::failed if the device refuses kernels, cl::Error
  /// if it refuses memory.
  BlankFrames(Context &context, const cl::Buffer &spare);

  /// Enqueues the detection after tracking points between two pyramids. In a blank frame it writes
  /// `after`, `noise` and `points`.
  void run(Queue &queue, const Pyramids &pyramids, const cl::Buffer &before,
           const cl::Buffer &after, const cl::Buffer &noise, const Limits &limits, Points &points);
  /// Enqueues keeping the scene of a frame once its points are selected. `pyramid` stays in use.
  void keep(Queue &queue, const Points &points, const cl::Buffer &pyramid);
  /// Exchanges a pyramid that is in use, so that it can be overwritten.
  void release(cl::Buffer &pyramid);
  /// Forgets the kept scene.
  void forget() { kept_ = {}; }

 private:
  Kernel find_, keep_;
  cl::Buffer kept_;  // pyramid of the scene that may return; null without one
  cl::Buffer spare_, kept_points_;
  cl::Buffer last_noise_;  // of the last frame that was not blank
};

}  // namespace glcl::klt
