// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines and circles in scenes, so that it is known where they are.
#pragma once

#include <array>

#include "reference/frames.h"

namespace reference {

/// The ends of a line, px.
struct Stroke {
  double x1, y1, x2, y2;
};

/// The border of a disc, px, over angles from `from` to `to`, degrees clockwise from +x.
struct Arc {
  double x, y, radius;
  double from = 0, to = 360;
};

/// A frame of this level.
Frame level_frame(int width, int height, int level);
/// Draws a line `thickness` px wide.
void draw(Frame &frame, const Stroke &stroke, double thickness, int level);
/// Makes all pixels on the right of a line, seen along it, brighter by `step`.
void raise(Frame &frame, const Stroke &border, int step);
/// Draws an arc `thickness` px wide.
void draw(Frame &frame, const Arc &arc, double thickness, int level);
/// Fills a disc.
void fill(Frame &frame, const Arc &disc, int level);

}  // namespace reference
