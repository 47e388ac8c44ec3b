// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines and circles in the frames of glclhough: search, fields of messages and metas.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/glclproperties.h"
#include "base/glclresult.h"
#include "hough/circlefinder.h"
#include "hough/linefinder.h"
#include "hough/renderer.h"
#include "opencl/lazy.h"

namespace glcl::hough {

/// The settings of ShapeSearch.
struct ShapeSettings : LineSettings, CircleSettings {};

/// Adds the properties of ShapeSettings.
template <class Settings>
void add_shape_properties(Properties<Settings> &properties) {
  properties
      .number("lines", "Lines",
              "Maximum number of straight line segments reported; the strongest are kept. 0 "
              "searches no lines",
              &Settings::lines, 0, LineSettings::most_lines)
      .number("min-line-length", "Minimum line length", "Minimum length of a line in px",
              &Settings::min_line_length, LineSettings::least_length, LineSettings::most_length)
      .number("max-line-gap", "Maximum line gap",
              "Maximum gap inside a line, in px: longer gaps without an edge separate two lines",
              &Settings::max_line_gap, 0, LineSettings::most_gap)
      .number("circles", "Circles",
              "Maximum number of circles reported; the best are kept. 0 searches no circles",
              &Settings::circles, 0, CircleSettings::most_circles)
      .number("radius-min", "Minimum radius", "Minimum radius of a circle in px",
              &Settings::radius_min, CircleSettings::least_radius, CircleSettings::most_radius)
      .number("radius-max", "Maximum radius",
              "Maximum radius of a circle in px. A value below radius-min counts as radius-min",
              &Settings::radius_max, CircleSettings::least_radius, CircleSettings::most_radius)
      .number("min-circle-score", "Minimum circle score",
              "Minimum score of a circle: the fraction of its circumference that lies on an edge",
              &Settings::min_circle_score, 0, 1);
}

/// Searches the lines and circles in the frames of an element. If a search is switched on while
/// frames pass, its kernels are built in the background, and some frames have no such shapes.
class ShapeSearch {
 public:
  /// The largest of results(), bytes.
  static constexpr size_t most_bytes =
      std::max(LineFinder::result_bytes, CircleFinder::result_bytes);

  void prepare(const std::shared_ptr<Context> &context, int width, int height);
  void unprepare();

  /// Enqueues the search. `edges`, `weak`, `region`: see LineFinder::run().
  void run(Queue &queue, const ShapeSettings &settings, const cl::Buffer &edges, bool weak,
           const Rect &region);

  /// The results of the last run() on the device; null of shapes that were not searched.
  const ShapeResults &results() const { return results_; }
  /// Adds the arrays of results() to those of a meta, which fill the first `bytes` of its buffer.
  /// Returns the bytes of all.
  size_t add_arrays(std::vector<ResultArray> &arrays, size_t bytes) const;
  /// Enqueues copying results() to that buffer.
  void copy(Queue &queue, const cl::Buffer &to, size_t bytes) const;

 private:
  std::shared_ptr<Context> context_;
  cl_int2 size_{};  // of the frames, px
  bool begun_ = false;
  Lazy<std::unique_ptr<LineFinder>> lines_;
  Lazy<std::unique_ptr<CircleFinder>> circles_;
  ShapeResults results_;
};

/// The fields of a line or circle, in a structure of this name.
GstStructure *fields_of(const FoundLine &line, const char *name);
GstStructure *fields_of(const FoundCircle &circle, const char *name);

/// Sets the field `lines` or `circles` of a message.
void set_lines(GstStructure *message, const std::vector<FoundLine> &lines);
void set_circles(GstStructure *message, const std::vector<FoundCircle> &circles);

}  // namespace glcl::hough
