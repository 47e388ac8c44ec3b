// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhoughshapes.h"

#include <cmath>

namespace glcl::hough {

namespace {

/// The engine: at once for the first frame, later when it is ready. Null until then.
template <class Finder>
Finder *finder_of(Lazy<std::unique_ptr<Finder>> &lazy, bool begun,
                  const std::shared_ptr<Context> &context, cl_int2 size) {
  const auto make = [context, size] {
    return std::make_unique<Finder>(*context, size.s[0], size.s[1]);
  };
  if (!begun) return lazy.get(make).get();
  const auto *made = lazy.poll(make);
  return made ? made->get() : nullptr;
}

}  // namespace

void ShapeSearch::prepare(const std::shared_ptr<Context> &context, int width, int height) {
  unprepare();
  context_ = context;
  size_ = {{width, height}};
}

void ShapeSearch::unprepare() {
  results_ = {};
  lines_ = {};
  circles_ = {};
  begun_ = false;
  context_.reset();
}

void ShapeSearch::run(Queue &queue, const ShapeSettings &settings, const cl::Buffer &edges,
                      bool weak, const Rect &region) {
  results_ = {};
  if (settings.lines > 0)
    if (LineFinder *finder = finder_of(lines_, begun_, context_, size_)) {
      finder->run(queue, settings, edges, weak, region);
      results_.lines = &finder->result();
    }
  if (settings.circles > 0)
    if (CircleFinder *finder = finder_of(circles_, begun_, context_, size_)) {
      finder->run(queue, settings, edges, weak, region);
      results_.circles = &finder->result();
    }
  begun_ = true;
}

size_t ShapeSearch::add_arrays(std::vector<ResultArray> &arrays, size_t bytes) const {
  if (results_.lines) {
    arrays.push_back({"lines-count", "int32", {1}, bytes});
    arrays.push_back(
        {"lines", "float32", {LineSettings::most_lines, 5}, bytes + sizeof(FoundLine)});
    bytes += LineFinder::result_bytes;
  }
  if (results_.circles) {
    arrays.push_back({"circles-count", "int32", {1}, bytes});
    arrays.push_back(
        {"circles", "float32", {CircleSettings::most_circles, 4}, bytes + sizeof(FoundCircle)});
    bytes += CircleFinder::result_bytes;
  }
  return bytes;
}

void ShapeSearch::copy(Queue &queue, const cl::Buffer &to, size_t bytes) const {
  if (results_.lines) {
    queue.cl().enqueueCopyBuffer(*results_.lines, to, 0, bytes, LineFinder::result_bytes);
    bytes += LineFinder::result_bytes;
  }
  if (results_.circles)
    queue.cl().enqueueCopyBuffer(*results_.circles, to, 0, bytes, CircleFinder::result_bytes);
}

GstStructure *fields_of(const FoundLine &line, const char *name) {
  const double across = double(line.x2) - line.x1, down = double(line.y2) - line.y1;
  return gst_structure_new(
      name, "x1", G_TYPE_DOUBLE, double(line.x1), "y1", G_TYPE_DOUBLE, double(line.y1), "x2",
      G_TYPE_DOUBLE, double(line.x2), "y2", G_TYPE_DOUBLE, double(line.y2), "angle", G_TYPE_DOUBLE,
      std::atan2(-down, across) * 180 / std::acos(-1.0), "length", G_TYPE_DOUBLE,
      std::hypot(across, down), "score", G_TYPE_DOUBLE, double(line.score), nullptr);
}

GstStructure *fields_of(const FoundCircle &circle, const char *name) {
  return gst_structure_new(name, "x", G_TYPE_DOUBLE, double(circle.x), "y", G_TYPE_DOUBLE,
                           double(circle.y), "radius", G_TYPE_DOUBLE, double(circle.radius),
                           "score", G_TYPE_DOUBLE, double(circle.score), nullptr);
}

void set_lines(GstStructure *message, const std::vector<FoundLine> &lines) {
  FieldRows rows({"x1", "y1", "x2", "y2", "angle", "length", "score"});
  for (const FoundLine &line : lines) rows.add(fields_of(line, "line"));
  rows.into(message, "lines");
}

void set_circles(GstStructure *message, const std::vector<FoundCircle> &circles) {
  FieldRows rows({"x", "y", "radius", "score"});
  for (const FoundCircle &circle : circles) rows.add(fields_of(circle, "circle"));
  rows.into(message, "circles");
}

}  // namespace glcl::hough
