// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/camera.h"
#include "noise/noise.h"
#include "objects/interface.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Finds the overlay on the device: edges that stay in place in the picture while the camera moves,
/// such as those of logos, clocks and subtitles, and the plain areas next to them. An object that a
/// camera follows is not one, since its edges move by some tenths of a pixel. Nothing waits.
class OverlayDetector {
 public:
  OverlayDetector() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  OverlayDetector(Context &context, const camera::FrameGeometry &frame);

  /// Enqueues the update by a reduced frame, after camera::Align updated `state`. `restart`: the
  /// frame does not follow another. Marks the pixels of the background model that are behind the
  /// overlay in `marks`, for BackgroundModel::run().
  void run(Queue &queue, const cl::Buffer &small, const cl::Buffer &state,
           const noise::Noise &noise, bool restart, const cl::Buffer &marks);

  /// StillPixel: of the last frame.
  const cl::Buffer &still() const { return still_[now_]; }

 private:
  camera::FrameGeometry frame_{};
  Kernel update_, mark_;
  cl::Buffer still_[2];
  int now_ = 0;
};

}  // namespace glcl::objects
