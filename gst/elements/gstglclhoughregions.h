// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions of interest of glclhough.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "hough/circlefinder.h"
#include "hough/hough.h"
#include "hough/linefinder.h"

namespace glcl::hough {

/// The shapes in a frame.
struct FoundShapes {
  std::vector<Hough::TemplateMatch> objects;
  std::vector<FoundLine> lines;
  std::vector<FoundCircle> circles;
};

/// Attaches a region of interest to a frame of width × height px for each shape, and a detection
/// where GStreamer has them. Objects are named after their template, the others `line` and
/// `circle`.
void attach_regions(GstBuffer *frame, const FoundShapes &found, int width, int height);

}  // namespace glcl::hough
