// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/rows.h"
#include "noise/noise.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Background model of a scene, per pixel and moved along with the camera: the level seen for
/// longest (the background), a candidate level, and the ages of both in frames (Yi et al. 2013 have
/// two such models per cell). The candidate becomes the background after a third of the
/// background's age: so an object that stops briefly stays foreground, and one that stays becomes
/// background. The measured deviation from the background, of the whole scene and per pixel, adds
/// to the noise, because compressed frames have little noise but their blocks change. Nothing
/// waits. docs/methods/objects.md has the rules.
class Memory {
 public:
  struct Bounds {
    float deviations;  ///< so many deviations of the noise are nothing
    float edges;       ///< and so much of the contrast around a pixel
  };

  Memory() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  Memory(Context &context, const camera::FrameGeometry &frame);

  /// Enqueues the next frame: in small, after camera::Align settled `state`. Where that is fresh,
  /// the frame is all that is known. `result`: a Result, of the frame before; in the boxes of its
  /// regions less stands out from noise, and what is seen becomes no scenery at once.
  void run(Queue &queue, const Bounds &bounds, const cl::Buffer &small, const cl::Buffer &state,
           const camera::Rows &rows, const noise::Noise &noise, const cl::Buffer &result);

  /// float2: the level of the scenery, the other.
  const cl::Buffer &picture() const { return pictures_[now_]; }
  /// uchar2: for how many frames they were seen, 0: never.
  const cl::Buffer &ages() const { return ages_[now_]; }
  /// uchar: 0 where the scenery is seen, else by how many times its bound the pixel is away from
  /// it, in eighths.
  const cl::Buffer &front() const { return front_; }
  /// Deviation of objects/deviation.clh, for Regions::run(): the scene's, and what was counted for
  /// the next one.
  const cl::Buffer &deviation() const { return deviation_; }
  /// ushort: the variance of each pixel about its scenery, levels² / 64.
  const cl::Buffer &variances() const { return variances_[now_]; }

 private:
  camera::FrameGeometry frame_{};
  Kernel kernel_;
  cl::Buffer pictures_[2], ages_[2], variances_[2], front_, deviation_;
  int now_ = 0;
};

}  // namespace glcl::objects
