// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera.h"
#include "motion/motion.h"
#include "noise/noise.h"
#include "opencl/kernel.h"

namespace glcl::camera {

/// Estimates the motion of a camera by RANSAC over vectors on the device, in one launch. The result
/// depends only on the vectors and the seed, not on the order of the work. Without two vectors
/// there is no motion. The confidence also checks that the inliers reach across the frame, which an
/// object before a plain wall does not. Nothing waits. docs/methods/camera.md has the rules.
class Ransac {
 public:
  struct Settings {
    cl_uint seed = 0;
    int min_iterations = 50, max_iterations = 300;  ///< 1 … 4096; see defaults()
    float max_error = 1.5f;                         ///< of an inlier, px
    float converged = 0.75f;      ///< it stops once the fraction of outliers is smaller
    bool translation = false;     ///< estimates neither rotation nor scaling
    float width = 0, height = 0;  ///< of the frame, px; 0: inliers need not reach across it
    bool directed = false;        ///< inliers must also span part of the frame along their motion
  };

  /// The defaults of a device: at least 150 iterations if its work-groups run in parallel.
  static Settings defaults(const Device &device);

  Ransac() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  explicit Ransac(Context &context);
  Ransac(Context &context, size_t items);

  /// Enqueues the estimate from `count` vectors, float4 (x, y, vx, vy), px: the place relative to
  /// the frame's centre, and the motion to the next frame. x ≥ 1e9 marks an unused one. Writes
  /// vectors, inliers, counted, reliable and confidence of `state`, a CameraState.
  void run(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count,
           const cl::Buffer &state);

 private:
  Kernel kernel_;
  cl::Buffer best_;
};

/// The vectors of blocks with texture, for Ransac: in squares of 16 px around their centres, the
/// mean squared gradient along its weakest direction exceeds the noise by 3 levels². Only some
/// blocks smaller than 16 px are used.
class BlockVectors {
 public:
  BlockVectors() = default;
  /// For frames of width × height px. Throws Error::failed.
  BlockVectors(Context &context, int width, int height);

  /// Enqueues the list for the last frame of a search.
  void run(Queue &queue, const motion::BlockMotion &motion);

  const cl::Buffer &list() const { return list_; }
  int count() const { return columns_ * rows_; }

 private:
  cl_int2 size_{};
  int columns_ = 0, rows_ = 0;
  Kernel kernel_;
  cl::Buffer list_;
};

}  // namespace glcl::camera
