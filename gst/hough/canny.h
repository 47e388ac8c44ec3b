// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "hough/interface.h"
#include "noise/noise.h"
#include "opencl/kernel.h"

namespace glcl::hough {

/// Finds edges (Canny 1986) in integers, so all devices find the same ones.
///
/// Luma (77 R + 150 G + 29 B) / 256 is smoothed by (1 1)⁸ across and differentiated by (1 1)⁷ (1
/// -1) along each axis: about a Gaussian of 1.4 px. A pixel is an edge if its gradient reaches the
/// upper threshold and is the largest of the three along its direction. Hysteresis adds pixels
/// above the lower threshold that are connected with such an edge, by eight neighbours.
///
/// Automatic thresholds follow the measured noise: 4 times the gradient of noise at the pixel's
/// brightness, at least 3 levels per px, and half of that for the lower one. The noise is known
/// from the third frame on; before, it counts as 2 levels.
class Canny {
 public:
  static constexpr int steps = STEPS;               ///< of a line's direction, 2° each
  static constexpr double most = 127;               ///< levels per px
  static constexpr int strengths = EDGE_STRENGTHS;  ///< of a level per px
  static constexpr int turned = EDGE_TURNED;        ///< of an edge
  static constexpr int strong = EDGE_STRONG;

  struct Settings {
    double low = -1, high = -1;  ///< levels per px, 0 … most; below 0 by the noise
    bool hysteresis = false;
  };

  /// For pictures of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Canny(Context &context, int width, int height, const FrameFormat &frame);
  /// The implementation over pixels. Work-groups share tiles, or each work-item processes rows of a
  /// tile, sixteen pixels at a time, which suits CPUs. Both find the same edges.
  enum class Form { tiles, rows };
  /// With another work-group, of one item for rows, and another tile, a multiple of 16 px wide for
  /// rows.
  Canny(Context &context, int width, int height, const FrameFormat &frame, Form form, Size group,
        Size tile);

  /// Enqueues the search in a picture. With `weak` all edges stay that reach the lower threshold,
  /// unless there is hysteresis. Never waits.
  void run(Queue &queue, const Settings &settings, const Picture &in, bool weak = false);
  /// The next picture does not follow the last one: its noise is not known.
  void reset() {
    followed_ = known_ = false;
    count_ = 0;
  }

  /// A ushort per pixel, rows without gaps: 0, or an edge. Bits 0–6 are the step of the gradient's
  /// direction + 1, the line at twice so many degrees from +x to +y; 7–13 the strength in levels
  /// per px; 14 stands where the gradient points the other way along that line, 15 where the upper
  /// threshold is reached.
  const cl::Buffer &edges() const { return edges_[now_]; }
  /// The same for the previous picture, or null.
  const cl::Buffer *before() const { return count_ > 1 ? &edges_[1 - now_] : nullptr; }
  /// 256 pairs of uint: the squares of the thresholds by the pixel's luma, in levels per px / 256.
  const cl::Buffer &thresholds() const { return thresholds_; }
  const noise::Noise &noise() const { return noise_; }

 private:
  Plane luma(int which) const;

  int width_, height_, pitch_;
  FrameFormat frame_;
  Size tile_;
  Form form_;
  noise::Noise noise_;
  Kernel thresholds_kernel_, edges_kernel_, join_, keep_;
  cl::Context context_;
  cl::Buffer luma_[2], edges_[2], thresholds_;
  cl::Buffer labels_;        // with hysteresis
  cl::Buffer has_weak_;      // of rows, for each sixteen px
  int now_ = 0, count_ = 0;  // of the buffers the last one, of pictures since reset() up to 2
  bool followed_ = false, known_ = false;  // there is a last picture, its noise
  std::array<double, 2> given_{-1, -1};    // the thresholds last given; below 0 automatic
};

}  // namespace glcl::hough
