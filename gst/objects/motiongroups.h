// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/camera.h"
#include "motion/motion.h"
#include "objects/interface.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Groups the blocks of a frame that move alike relative to the camera, while the camera moves. So
/// an object with plain parts is one region, and what stands still behind it is not part of it.
/// Nothing waits. docs/methods/objects.md has the rules.
class MotionGroups {
 public:
  MotionGroups() = default;
  /// For frames of width × height px that are reduced to `frame`. Throws Error::failed if the
  /// device refuses kernels or memory.
  MotionGroups(Context &context, int width, int height, const camera::FrameGeometry &frame);

  /// Enqueues the groups of the last frame of a search. `state`: after camera::Align::run();
  /// `foreground`: of BackgroundModel or ShadowDetector. `first`: no vectors, so no groups.
  void run(Queue &queue, const motion::BlockMotion &motion, const cl::Buffer &state,
           const cl::Buffer &foreground, bool first);
  /// Enqueues that no block has a group.
  void clear(Queue &queue);

  /// int per block: its group, from 1 on, if it moves; the negative group of a neighbour; else 0.
  const cl::Buffer &groups() const { return groups_; }
  /// int per group: the first cell of its regions. INT_MAX before Regions::run().
  const cl::Buffer &first_cells() const { return first_cells_; }
  /// float2 per block: its motion relative to the camera, px of frames per frame.
  const cl::Buffer &motions() const { return motions_; }
  const BlockGrid &grid() const { return grid_; }

 private:
  BlockGrid grid_{};
  Kernel motion_kernel_, join_, count_, number_;
  cl::Buffer motions_, labels_, sizes_, groups_, first_cells_;
  bool cleared_ = false;  // no block has a group
};

}  // namespace glcl::objects
