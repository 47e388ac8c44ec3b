// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "drawing/arrows.h"
#include "flow.h"

namespace glcl::opticalflow {

/// Statistics, samples and pictures of a flow field. If a confidence is below `min_confidence`,
/// both it and its vector count as 0.
class FlowRenderer {
 public:
  enum class Display {
    none,     ///< the unchanged frame
    color,    ///< direction as hue, speed as brightness; static pixels are black
    overlay,  ///< the frame, tinted in proportion to the speed
    arrows,   ///< the frame with arrows from the centres of cells
  };

  /// For frames of width × height px. Throws cl::Error or Error::failed.
  FlowRenderer(Context &context, int width, int height, Layout layout);

  /// Enqueues the summary() of a field. `gain`: px per frame at full brightness. 0 means three
  /// times the rms magnitude, at least 1 px; the gain moves there by a tenth per frame, or at once
  /// if `fresh`.
  void summarize(Queue &queue, const FlowField &field, float min_confidence, float gain,
                 bool fresh);
  /// A FlowSummary on the device.
  const cl::Buffer &summary() const { return summary_; }

  /// Enqueues the vectors in the centres of cells of grid × grid px: float2 [rows, columns], then
  /// their confidences, float [rows, columns]. Below `min_confidence` both components of a vector
  /// are `unknown`.
  void sample(Queue &queue, const FlowField &field, float min_confidence, int grid, float unknown,
              const cl::Buffer &result);
  /// The number of cells of `grid` px along a side of `px` pixels.
  static int cells(int px, int grid) { return (px + grid - 1) / grid; }
  static size_t sample_bytes(int width, int height, int grid) {
    return size_t(cells(width, grid)) * cells(height, grid) * 3 * sizeof(cl_float);
  }

  struct FlowStyle {
    Display display = Display::color;
    bool legend = false;  ///< a colour wheel with its radius in px per frame
    int spacing = 0;      ///< px between arrows, at least 4; 0: derived from the size of the frame
    cl_uint color = 0;    ///< of arrows, 0xAARRGGBB; alpha 0: the colour of their direction
    cl_uint outline_color = 0xff000000;
  };
  /// Enqueues drawing `field` with the gain of the last summarize(). Without a field,
  /// Display::color is black and the others draw nothing. Throws cl::Error.
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
