// SPDX-License-Identifier: LGPL-2.1-or-later
// Targets that lie in scenes, turned, scaled and partly covered, so that it is known where they
// are.
#pragma once

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "reference/frames.h"

namespace reference {

/// An object to look for: its colour (0 … 255) and how much of a point is covered (0 … 1), by px
/// from its middle; it lies within `side` / 2 of it.
struct Target {
  std::string name;
  int side;
  std::function<std::array<double, 4>(double x, double y)> look;

  /// A picture of it, on grey.
  Frame picture() const;
};

/// A part of a picture, one of a texture, a logo, a tool and a sign; about 90 px.
std::vector<Target> targets();

struct Pose {
  double x = 0, y = 0;  ///< px, of its middle
  double angle = 0;     ///< degrees, counter-clockwise
  double scale = 1;
};

/// Random discs, boxes, bars and grain, of `seed`.
Frame clutter_frame(int width, int height, unsigned seed);

/// Draws a target into a frame. `hidden`: the part of its area that something from one side covers.
void place(Frame &frame, const Target &target, const Pose &pose, double hidden = 0,
           unsigned seed = 1);

}  // namespace reference
