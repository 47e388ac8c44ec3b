// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/arrows.h"
#include "flow.h"

namespace glcl::opticalflow {

/// Statistics, samples and pictures of a flow field. A vector with a confidence below
/// `min_confidence` counts as 0, with a confidence of 0.
class FlowRenderer {
 public:
  enum class Display {
    none,     ///< the frame
    color,    ///< direction as hue, speed as brightness, static is black
    overlay,  ///< the frame, tinted in proportion to the speed
    arrows,   ///< the frame with arrows from the centres of cells
  };

  /// Throws Error::failed.
  FlowRenderer(Context &context, int width, int height, Layout layout);

  /// Fills summary(). `gain` 0 means three times the rms, at least 1: at once if `fresh`, else it
  /// follows by a tenth per frame.
  void summarize(Queue &queue, const FlowField &field, float min_confidence, float gain,
                 bool fresh);
  /// A FlowSummary on the device.
  const cl::Buffer &summary() const { return summary_; }

  /// The vectors in the centres of cells of `grid` px, float2 [rows, columns], then their
  /// confidences, float [rows, columns]. Below `min_confidence` both components are `unknown`.
  void sample(Queue &queue, const FlowField &field, float min_confidence, int grid, float unknown,
              const cl::Buffer &result);
  /// The number of cells of `grid` px along a side.
  static int cells(int px, int grid) { return (px + grid - 1) / grid; }
  static size_t sample_bytes(int width, int height, int grid) {
    return size_t(cells(width, grid)) * cells(height, grid) * 3 * sizeof(cl_float);
  }

  struct FlowStyle {
    Display display = Display::color;
    bool legend = false;  ///< a wheel with its radius in px per frame
    int spacing = 0;      ///< px between arrows, at least 4; 0: by the size of the frame
    cl_uint color = 0;    ///< 0xAARRGGBB, of arrows; with alpha 0 the colour of their direction
    cl_uint outline_color = 0xff000000;
  };
  /// Draws `field` with the gain of the last summarize(). Without a field, Display::color is black
  /// and the others draw nothing. Throws.
  void draw(Queue &queue, const FlowStyle &drawing, const FlowField *field, float min_confidence,
            const drawing::Canvas &canvas);

 private:
  void draw_arrows(Queue &queue, const FlowStyle &drawing, const FlowField &field,
                   float min_confidence, const drawing::Canvas &canvas);

  int width_, height_;
  Kernel sums_, summary_kernel_, grid_, color_, overlay_, arrow_, legend_;
  drawing::Arrows arrows_;
  cl::Buffer parts_, summary_, empty_;
};

}  // namespace glcl::opticalflow
