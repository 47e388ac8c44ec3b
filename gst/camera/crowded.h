// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>

#include "camera/interface.h"

namespace glcl::camera {

/// True if large things or their shadows move in front of a camera that stands: most vectors are
/// zero, but not nearly all. Then pixels follow these things where the ground is plain, so the
/// motion by pixels is not that of the camera.
inline bool is_crowded(const CameraState &state) {
  constexpr float least = 0.5f, nearly_all = 0.9f;  // parts of the vectors
  constexpr float still = 0.5f, turning = 0.002f;  // px per frame, whole ones are measured; of both
  const SimilarityMotion &motion = state.vector_motion;
  const float share = state.inliers / std::max(state.vector_count, 1.0f);
  return share >= least && share < nearly_all && std::hypot(motion.x, motion.y) < still &&
         std::hypot(motion.dilation, motion.rotation) < turning;
}

}  // namespace glcl::camera
