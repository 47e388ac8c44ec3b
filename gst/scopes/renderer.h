// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "counts.h"
#include "drawing/canvas.h"
#include "graticule.h"
#include "marks.h"

namespace glcl::scopes {

/// Draws scopes of counted frames.
class ScopeRenderer {
 public:
  /// Throws Error::failed if the device refuses the programs.
  ScopeRenderer(Context &context, int width, int height, const FrameFormat &frame);

  /// Enqueues the drawing of the area of a frame that `counts` has counted, for what the settings
  /// display: the frame with the scopes over it, or the scopes alone. `frame` is in its own format.
  /// Never waits.
  void run(Queue &queue, const ScopeSettings &settings, const Picture &frame,
           const drawing::Canvas &canvas, ScopeCounts &counts, const Rect &area,
           ScopeTransfer transfer);
  /// Forgets earlier frames, which peaking compares. Call it for frames without peaking too.
  void reset() { marks_.reset(); }

 private:
  /// The inputs of the layer.
  struct Painted {
    ScopeSettings settings;
    ScopeValues values;
    ScopeTransfer transfer;
    ScopeLayout layout;
    bool is(const ScopeSettings &settings, const ScopeValues &values, ScopeTransfer transfer) const;
  };
  const ScopeLayout &paint(Queue &queue, const ScopeSettings &settings, const ScopeValues &values,
                           ScopeTransfer transfer);

  int width_, height_, plot_rows_;
  Kernel waveform_, vectors_, bars_;
  ScopeMarks marks_;
  std::optional<Painted> painted_;
  cl::Buffer layer_;
};

/// The colours of the channels' traces.
std::vector<cl_float4> trace_colours(const ScopeSettings &settings, ScopeMode mode);

}  // namespace glcl::scopes
