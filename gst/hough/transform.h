// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "positionestimator.h"
#include "rotationestimator.h"
#include "scaleestimator.h"

namespace glcl::hough {

/// Estimates the similarity transform between two pictures from their edge pairs in three steps
/// (Gómez Luna 2012). The correlation of the counts gives the rotation, modulo 180°, because
/// directions are those of lines. Pairs of the same kind vote for the scale by the ratio of their
/// lengths. Their edges, rotated and scaled, vote for the position.
class Transform {
 public:
  static constexpr int scales = ScaleEstimator::scales;

  struct Settings {
    int fine = 0;           ///< positions are squares of 2^fine px
    int copies = 1;         ///< of the array of positions; work-items alternate between them
    int max_rotation = 45;  ///< maximum rotation to either side, steps of 2°
    /// Selects the scale that most exceeds the votes of wrongly rotated pairs, not the one with the
    /// most votes.
    bool against_chance = false;
  };
  /// For `after` pictures of width × height px; `before` may have another size. Throws
  /// Error::failed if the device refuses kernels or memory.
  Transform(Context &context, int width, int height, const Settings &settings,
            EdgePairs::Form form);

  /// Enqueues all steps for edge pairs with lists. `after` has the size of the constructor.
  void run(Queue &queue, const EdgePairs &before, const EdgePairs &after);
  /// The steps of run(), in this order: rotation, scale, position.
  void find_rotation(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
    rotation_.run(queue, before, after);
  }
  void find_scale(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
    scale_.run(queue, before, after, rotation());
  }
  void find_position(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
    position_.run(queue, before, after, rotation(), scale());
  }

  /// The rotation: int, steps of 2° clockwise.
  const cl::Buffer &rotation() const { return rotation_.rotation(); }
  /// The scale: two uint, its votes and its number.
  const cl::Buffer &scale() const { return scale_.scale(); }
  /// The position of the first picture's middle: two uint, its votes and its number, row by row.
  const cl::Buffer &position() const { return position_.position(); }
  /// The correlation, ulong per rotation; the votes, uint per scale and uint per position.
  const cl::Buffer &correlation() const { return rotation_.correlation(); }
  const cl::Buffer &scale_votes() const { return scale_.votes(); }
  const cl::Buffer &position_votes() const { return position_.votes(); }
  /// An int2 per scale and rotation: cosine and sine, multiplied by the scale and 4096.
  const cl::Buffer &rotations() const { return position_.rotations(); }

 private:
  Transform(Context &context, const Program &program, int width, int height,
            const Settings &settings);

  RotationEstimator rotation_;
  ScaleEstimator scale_;
  PositionEstimator position_;
};

}  // namespace glcl::hough
