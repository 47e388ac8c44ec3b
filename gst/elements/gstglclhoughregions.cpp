// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhoughregions.h"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <cmath>

#include "base/compat.h"
#include "gstglclhoughshapes.h"

namespace glcl::hough {

namespace {

/// The upright bounding box of a shape, px.
struct ShapeBounds {
  double left, top, right, bottom;
};

ShapeBounds bounds_of(const Hough::TemplateMatch &object) {
  const double rotation = object.angle * G_PI / 180;
  const double c = std::abs(std::cos(rotation)), s = std::abs(std::sin(rotation));
  const double half_x = object.scale * (object.templ->width * c + object.templ->height * s) / 2;
  const double half_y = object.scale * (object.templ->width * s + object.templ->height * c) / 2;
  return {object.x - half_x, object.y - half_y, object.x + half_x, object.y + half_y};
}

ShapeBounds bounds_of(const FoundLine &line) {
  return {std::min(line.x1, line.x2), std::min(line.y1, line.y2), std::max(line.x1, line.x2),
          std::max(line.y1, line.y2)};
}

ShapeBounds bounds_of(const FoundCircle &circle) {
  return {circle.x - circle.radius, circle.y - circle.radius, circle.x + circle.radius,
          circle.y + circle.radius};
}

/// Attaches the part of the bounds inside the frame. Takes `fields`.
void attach(GstBuffer *frame, const char *name, const ShapeBounds &bounds, int width, int height,
            GstStructure *fields) {
  const int x0 = std::clamp(static_cast<int>(bounds.left), 0, width - 1);
  const int y0 = std::clamp(static_cast<int>(bounds.top), 0, height - 1);
  const int x1 = std::clamp(static_cast<int>(bounds.right), x0, width - 1);
  const int y1 = std::clamp(static_cast<int>(bounds.bottom), y0, height - 1);
  const int box[] = {x0, y0, x1 - x0 + 1, y1 - y0 + 1};
  double score = 0;
  gst_structure_get_double(fields, "score", &score);
  gst_video_region_of_interest_meta_add_param(
      gst_buffer_add_video_region_of_interest_meta(frame, name, guint(x0), guint(y0), guint(box[2]),
                                                   guint(box[3])),
      fields);
  attach_detection(frame, name, box, static_cast<float>(score));
}

}  // namespace

void attach_regions(GstBuffer *frame, const FoundShapes &found, int width, int height) {
  for (const Hough::TemplateMatch &object : found.objects)
    attach(frame, object.templ->name.c_str(), bounds_of(object), width, height,
           gst_structure_new("glclhough", "x", G_TYPE_DOUBLE, object.x, "y", G_TYPE_DOUBLE,
                             object.y, "angle", G_TYPE_DOUBLE, object.angle, "scale", G_TYPE_DOUBLE,
                             object.scale, "score", G_TYPE_DOUBLE, object.score, nullptr));
  for (const FoundLine &line : found.lines)
    attach(frame, "line", bounds_of(line), width, height, fields_of(line, "glclhough"));
  for (const FoundCircle &circle : found.circles)
    attach(frame, "circle", bounds_of(circle), width, height, fields_of(circle, "glclhough"));
}

}  // namespace glcl::hough
