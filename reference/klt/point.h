// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "klt/klt.h"

namespace reference::klt {

using Settings = glcl::klt::Klt::Settings;

/// Windows stay this far from the frame's edge, px.
constexpr int frame_margin = glcl::klt::FRAME_MARGIN;

/// The patch of a point where it was chosen: the texels around it, relative to its centre, with
/// their slopes.
struct Template {
  struct Texel {
    int i, j;
    double value, gx, gy;
  };
  int radius = 0;
  float middle = 0;
  std::vector<Texel> texels;
};

/// A point that is followed.
struct Point {
  int id = 0, age = 0;
  float x = 0, y = 0;  ///< the reported place
  float tracked_x = 0, tracked_y = 0;
  float vx = 0, vy = 0, residue = 0;
  bool alive = false;
  float eigenvalue = 0;           ///< where it was chosen
  double similarity[2] = {1, 0};  ///< how it is grown and turned since, a complex number
  int growth = 0;                 ///< texels, of the window's radius
  int residual = 0;               ///< of the deviation, 1024ths, after the last fit; -1 without one
  int doubts = 0;                 ///< frames in a row in which it does not look as it did
  Template patch;
};

}  // namespace reference::klt
