// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks that move alike, pixel by pixel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "camera/camera.h"
#include "reference/motion/motion.h"

namespace reference {

/// The group of each block of a frame. See glcl::objects::MotionGroups.
struct BlockGroups {
  int columns = 0, rows = 0;                ///< blocks
  int side = 0;                             ///< of a block, px of reduced frames
  std::vector<int> numbers;                 ///< per block; negative for neighbours of a group
  std::vector<std::array<float, 2>> moved;  ///< relative to the camera, px of frames
};

/// As glcl::objects::MotionGroups.
class MotionGroups {
 public:
  MotionGroups(int width, int height, const glcl::camera::FrameGeometry &frame);

  /// Compares the blocks of a frame with the previous frame. `foreground`: of the reduced frame.
  void next(const Plane &current, const Plane &previous, const Field &field,
            const glcl::camera::CameraState &state, const std::vector<uint8_t> &foreground);
  /// The groups of the last frame. A decision closer to its limit than rounding is `close`. The
  /// device's groups lie between those for false and true.
  BlockGroups groups(bool close) const;

  struct Block {
    std::array<float, 2> moved;  ///< relative to the camera, px of frames
    double slack;                ///< it moves if this is at least 0
    bool vague;                  ///< rounding decides which pixels are compared
  };
  std::vector<Block> blocks;

 private:
  Block block(int column, int row, const Plane &current, const Plane &previous, const Field &field,
              const glcl::camera::CameraState &state, const std::vector<uint8_t> &foreground) const;
  bool alike(const Block &a, const Block &b, bool close) const;
  std::vector<int> first_blocks(const std::vector<bool> &moves, bool close) const;

  int width_, height_, side_, reach_;
  glcl::camera::FrameGeometry frame_;
  BlockGroups layout_;
};

}  // namespace reference
