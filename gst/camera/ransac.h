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
    int least = 50, most = 300;  ///< iterations, 1 … 4096; see usual()
    float error = 1.5f;          ///< px
    float converged = 0.75f;
    bool translation = false;     ///< of that alone
    float width = 0, height = 0;  ///< of the frame, px; 0: what agrees need not be spread over it
  };

  /// Of a device: one whose work-groups run side by side has 150 iterations at least.
  static Settings usual(const Device &device);

  Ransac() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  explicit Ransac(Context &context);
  Ransac(Context &context, size_t items);

  /// Enqueues it over `count` float4 (x, y, vx, vy), px, places from the frame's centre: vectors
  /// from there to the next frame; x from 1e9 on is none. `state`: a State; its vectors, inliers,
  /// counted, sure and confidence are written.
  void run(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count,
           const cl::Buffer &state);

 private:
  Kernel kernel_;
  cl::Buffer best_;
};

/// A list of vectors, for Ransac, of those blocks whose pixels show where they went: in squares
/// of 16 px around their middles the mean squared gradient along the direction with least of it is
/// 3 levels² more than noise. Of blocks smaller than 16 px only some count.
class BlockVectors {
 public:
  BlockVectors() = default;
  /// For frames of width × height px. Throws Error::failed.
  BlockVectors(Context &context, int width, int height);

  /// Enqueues it for the last frame of a search.
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
