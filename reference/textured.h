// SPDX-License-Identifier: LGPL-2.1-or-later
// Scenes whose motion is known.
#pragma once

#include <functional>

#include "frames.h"
#include "reference/opticalflow/field.h"

namespace reference {

struct Point {
  double x = 0, y = 0;  ///< px
};

/// An affine motion about the middle of the frame: turned by `angle` radians (from +x to +y), grown
/// by `zoom`, then moved.
struct Motion {
  double x = 0, y = 0, angle = 0, zoom = 1;

  Point apply(Point p, int width, int height) const;
  Point undo(Point p, int width, int height) const;
};

/// A textured plane after a motion: the same pixels as with no motion, seen elsewhere. Every seed
/// is another texture, of details of about 3 to 30 px.
Frame textured_frame(int width, int height, const Motion &motion = {}, unsigned seed = 1);

/// The same by a function that says where in the plane a pixel lies.
Frame seen_texture(int width, int height, const std::function<Point(Point)> &undo, unsigned seed);

/// Random levels, smoothed by (1 2 1) / 4 along both axes: details of two pixels.
Frame fine_frame(int width, int height, unsigned seed = 1);

/// Where the pixels of textured_frame(width, height) went.
opticalflow::Field motion_field(int width, int height, const Motion &motion);

/// The frame with every colour multiplied by `gain` and raised by `offset` levels.
Frame relit(const Frame &frame, double gain, double offset);

/// The frame with this number of a sensor that exposes one row after the other, under lamps on the
/// mains: two bands along its height are up to `by` times brighter or darker.
Frame rolling(const Frame &frame, double by, int number);

/// The frame under two lines of letters and a box, which are always at the same place.
Frame captioned(Frame frame);

/// `over` covers part of `frame`: pixels for which `inside` is true.
Frame covered(const Frame &frame, const Frame &over,
              const std::function<bool(int x, int y)> &inside);

}  // namespace reference
