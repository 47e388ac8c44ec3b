// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/camera.h"
#include "motion/lumahistory.h"
#include "noise/noise.h"
#include "objects/interface.h"
#include "opencl/kernel.h"

namespace glcl::objects {

/// Measures the picture for events of the scene: level, detail and colour per cell, and where the
/// luma is that of the frame before. Nothing waits.
class SceneMeasurement {
 public:
  SceneMeasurement() = default;
  SceneMeasurement(Context &context, const camera::FrameGeometry &frame);

  /// A frame to measure.
  struct Frame {
    motion::SearchPlanes planes;
    const cl::Buffer &small;    ///< the reduced frame
    const cl::Buffer *colours;  ///< of the reduced frame, or null
    const noise::Noise *noise;  ///< null: unknown
  };
  /// Enqueues the measurement into `list`, a RegionList with SceneSums after it.
  void run(Queue &queue, const Frame &frame, const cl::Buffer &list);

  /// Columns and rows of cells. All have at least a pixel.
  static cl_int2 cells_of(const camera::FrameGeometry &frame);
  /// The distance of measured pixels of the reduced frame along both axes.
  static int spacing_of(const camera::FrameGeometry &frame);
  /// The number of measured pixels in a cell.
  static int area_of(const camera::FrameGeometry &frame, int cell);
  /// The detail of noise of variance 1, which is part of SceneCell::detail, levels² per pixel.
  static double noise_detail(const camera::FrameGeometry &frame);

 private:
  camera::FrameGeometry frame_{};
  Kernel kernel_;
};

}  // namespace glcl::objects
