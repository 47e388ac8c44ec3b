// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgethresholds.h"
#include "hough/interface.h"
#include "hysteresis.h"

namespace glcl::hough {

/// Detects edges (Canny 1986) with integers, so all devices find the same edges.
///
/// Luma is (77 R + 150 G + 29 B) / 256. Its derivative along an axis is (1 1)⁷ (1 -1) along that
/// axis and (1 1)⁸ across, about a Gaussian of 1.4 px. A pixel is an edge if its gradient reaches
/// the upper threshold and is the largest of the three along its direction. Hysteresis adds such
/// maxima above the lower threshold that are connected with an edge through eight neighbours.
///
/// Automatic thresholds follow the noise at the pixel's brightness. The upper threshold is 4
/// standard deviations of the noise's gradient, at least 3 levels per px; the lower one is half of
/// it. Up to the second frame the noise counts as 2 levels; later thresholds use measured noise.
class Canny {
 public:
  static constexpr int steps = STEPS;               ///< number of directions of a line, 2° each
  static constexpr double most = 127;               ///< maximum threshold, levels per px
  static constexpr int strengths = EDGE_STRENGTHS;  ///< number of strengths, a level per px each
  static constexpr int reversed = EDGE_REVERSED;    ///< bit of an edge, see edges()
  static constexpr int strong = EDGE_STRONG;        ///< the same

  struct Settings {
    double low = -1, high = -1;  ///< thresholds, levels per px, 0 … most; below 0: automatic
    bool hysteresis = false;
  };

  /// For pictures of width × height px. Throws Error::failed if the device refuses kernels or
  /// memory.
  Canny(Context &context, int width, int height, const FrameFormat &frame);
  /// The implementation; both find the same edges.
  enum class Form {
    tiles,  ///< work-groups share tiles in local memory
    rows,   ///< an item processes the rows of a tile, 16 px at a time; for CPUs
  };
  /// The same with this work-group and tile, px. Form::rows needs groups of one item and tiles
  /// whose width is a multiple of 16 px.
  Canny(Context &context, int width, int height, const FrameFormat &frame, Form form, Size group,
        Size tile);

  /// Changes the pixel format of the next pictures. The previous one and the measured noise stay.
  void set_format(Context &context, const FrameFormat &frame);

  /// Enqueues the detection in a picture; never waits. `weak`: without hysteresis, also keeps edges
  /// between both thresholds. Throws Error::settings for other pictures.
  void run(Queue &queue, const Settings &settings, const Picture &in, bool weak = false);
  /// Forgets the previous picture and the measured noise.
  void reset() {
    thresholds_.reset();
    reset_ = number_;
  }

  /// A ushort per pixel, rows without gaps: 0, or an edge. Bits 0–6 are the step of the gradient's
  /// line plus 1; a step is 2° from +x towards +y. Bits 7–13 are the strength in levels per px. Bit
  /// 14 is set if the gradient points in the opposite direction along that line. Bit 15 is set if
  /// the strength reaches the upper threshold.
  const cl::Buffer &edges() const { return edges_[1 - number_ % 2]; }
  /// The edges of the previous picture; null for the first picture after reset().
  const cl::Buffer *before() const { return number_ > reset_ + 1 ? &edges_[number_ % 2] : nullptr; }
  /// The number of the picture, from 1; reset() does not change it.
  uint64_t number() const { return number_; }
  /// A uint2 per level of luma: the squares of the lower and the upper threshold, in units of 1/256
  /// level per px.
  const cl::Buffer &thresholds() const { return thresholds_.thresholds(); }
  const noise::Noise &noise() const { return thresholds_.noise(); }

 private:
  void detect(Queue &queue, const Picture &in, bool weak, bool labeled);

  cl_int2 size_;  // of the pictures, px
  FrameFormat frame_;
  Form form_;
  Size group_, tile_;
  Kernel edges_kernel_;
  EdgeThresholds thresholds_;
  Hysteresis hysteresis_;
  cl::Buffer edges_[2];
  uint64_t number_ = 0, reset_ = 0;  // of the current picture, and of the last one before reset()
};

}  // namespace glcl::hough
