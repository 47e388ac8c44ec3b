// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "camera/camera.h"
#include "opencl/rect.h"
#include "track.h"

namespace glcl::objects {

/// Learns where things swing in their place: leaves, water, flags, screens. It learns from tracks
/// that do not travel by more than their own size, so traffic never counts.
class Scenery {
 public:
  /// Takes a frame, `seconds` after the previous one.
  void pass(const camera::FrameGeometry &frame, double seconds);
  /// Learns from a track that was found in this frame.
  void follow(Track &track, double seconds);
  /// Learns from a track that ends.
  void end(const Track &track);
  /// True if a track is part of the dynamic background.
  bool contains(const Track &track) const;
  /// Forgets everything.
  void reset() { *this = {}; }

 private:
  void learn(const RectF &box, double seconds);
  struct SceneryCells {
    int left, top, right, bottom;  // cells; right and bottom are exclusive
  };
  SceneryCells span_of(const RectF &box) const;
  bool is_learned(const RectF &box) const;

  int columns_ = 0, rows_ = 0;
  float side_ = 1;            // px of frames per cell
  std::vector<float> cells_;  // s of motion in place
};

}  // namespace glcl::objects
