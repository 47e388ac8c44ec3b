// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of a fuzz.
#pragma once

#include <string>

#include "random.h"

struct RandomPipeline {
  std::string text;       ///< for gst_parse_launch; elements under test are called "ours…"
  bool draws = false;     ///< the source draws textures
  bool branches = false;  ///< a tee or a mixer
  /// GStreamer's own OpenGL filters take part, which abort where a stop meets their negotiation:
  /// they propose a pool of a GL context that they no longer have.
  bool fragile = false;
  int area = 0;  ///< px
};

struct Dimensions {
  int width, height;
};

/// From 1 × 1 to about 2000 px on a side, with few pixels in all.
Dimensions random_size(Random &random);
/// Pixels of the largest frame, mixed or not, that a source of this size leads to.
int max_area(Dimensions size);
/// Of the filter "size".
std::string caps_of(Dimensions size, const std::string &format);

RandomPipeline random_pipeline(Random &random);
