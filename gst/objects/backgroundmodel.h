// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "camera/rowbrightness.h"
#include "noise/noise.h"
#include "objects/interface.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Background model of a scene, per pixel and moved along with the camera: the level seen for
/// longest (the background), a candidate level, and the ages of both in frames (Yi et al. 2013 have
/// two such models per cell). The candidate becomes the background after a third of the
/// background's age: so an object that stops briefly stays foreground, and one that stays becomes
/// background. The measured deviation from the background adds to the noise, because compressed
/// frames have little noise but their blocks change. Nothing waits. docs/methods/objects.md has the
/// rules.
class BackgroundModel {
 public:
  /// A pixel is foreground if it differs by more than the sum of these.
  struct Bounds {
    float deviations;  ///< standard deviations of the noise
    float edges;       ///< part of the contrast around a pixel
  };

  BackgroundModel() = default;
  /// Throws Error::failed if the device refuses kernels or memory.
  BackgroundModel(Context &context, const camera::FrameGeometry &frame);

  /// Columns and rows of cells of BOUNDS_CELL px a side, which may have bounds of their own.
  static cl_int2 cells_of(const camera::FrameGeometry &frame);
  /// Sets bounds for the cells from the next frame on, row by row, which replace those of run()
  /// unless they are below 0. Empty: none.
  void set_bounds(Queue &queue, const std::vector<Bounds> &bounds);

  /// Enqueues the update by a reduced frame, after camera::Align updated `state` and
  /// OverlayDetector::run() filled marks(). If the state says model_empty, the model restarts.
  /// `regions`: the RegionList of the previous frame; in its boxes half of the noise is enough, and
  /// the object itself does not become background at once.
  void run(Queue &queue, const Bounds &bounds, const cl::Buffer &small, const cl::Buffer &state,
           const camera::RowBrightness &rows, const noise::Noise &noise, const cl::Buffer &regions);

  /// Columns and rows of means().
  static cl_int2 standing_cells_of(const camera::FrameGeometry &frame);
  /// Enqueues the means of the background in cells of STANDING_CELL px a side, after run(): ushort,
  /// in 256ths of a level; UNKNOWN_LEVEL where most of a cell is not known yet.
  const cl::Buffer &means(Queue &queue);

  /// For the marks of OverlayDetector::run(), before run() for the same frame. The same as
  /// foreground().
  const cl::Buffer &marks() const { return foreground_; }
  /// float2: the levels of the background and the candidate.
  const cl::Buffer &levels() const { return levels_[now_]; }
  /// camera::PixelHistory: ages and variance.
  const cl::Buffer &history() const { return history_[now_]; }
  /// uchar: 0 where the background is seen, 2 behind an overlay, else the distance from the
  /// background in eighths of the bound.
  const cl::Buffer &foreground() const { return foreground_; }
  /// A Deviation: that of the scene, and the counters for its next update by Regions::run(). The
  /// bounds of cells follow it.
  const cl::Buffer &deviation() const { return deviation_; }

 private:
  camera::FrameGeometry frame_{};
  Kernel kernel_, means_kernel_;
  cl::Buffer levels_[2], history_[2], foreground_, deviation_, means_;
  int now_ = 0;
  bool own_bounds_ = false;
};

}  // namespace glcl::objects
