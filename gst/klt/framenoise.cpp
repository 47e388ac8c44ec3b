// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framenoise.h"

#include <algorithm>
#include <utility>

namespace glcl::klt {

namespace {

constexpr int first_frames = 8;  // noise is measured in each of them
// Frames between later measurements: a prime, because sources may repeat every n-th frame.
constexpr int noise_frames = 11;

}  // namespace

bool FrameNoise::update(Queue &queue, double level, int frames, const Plane &previous,
                        const Plane &current) {
  const bool first = frames == 0;
  if (level >= 0 || (first && !known_)) {
    const double given = std::max(level, 0.0);
    const bool sets = std::exchange(level_, given) != given || first;
    if (sets) noise_.set(queue, given);
    known_ = level >= 0;
    return sets;
  }
  if (!first && (!known_ || level_ >= 0 || frames <= first_frames || frames % noise_frames == 0)) {
    noise_.measure(queue, previous, current, true);
    known_ = true;
    level_ = -1;
  }
  return false;
}

}  // namespace glcl::klt
