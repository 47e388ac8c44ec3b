// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "canny.h"
#include "hough/interface.h"
#include "template.h"
#include "topk.h"

namespace glcl::hough {

/// A template from a picture on the device, RGBA. Waits. Throws as Template() does, and
/// Error::failed.
std::shared_ptr<const Template> make_template(Queue &queue, const std::string &name,
                                              const Canny::Settings &settings,
                                              const Picture &picture);

/// Finds templates in a frame at any rotation and scale by a generalised Hough transform (Ballard
/// 1981), gathered instead of voted.
///
/// For cells of some px, 72 rotations and scales in steps of 10 %, it counts the template points
/// that meet an edge of their direction, and compares that with chance. The most significant poses
/// are candidates, which least squares refine. The score is the fraction of points that meet an
/// edge, of the whole template and of its best part, because the rest may be occluded.
/// docs/methods/hough.md has the numbers.
///
/// Directions are those of lines, in 90 steps of 2°. So it does not matter which side of an edge is
/// brighter.
class Hough {
 public:
  static constexpr int most_templates = 16, most_objects = 64;
  static constexpr double least_scale = 0.25, most_scale = 4;

  struct Settings : Canny::Settings {
    double min_score = 0.1;
    int max_objects = 10;                      ///< 1 … most_objects
    double scale_min = 0.5, scale_max = 1.5;   ///< least_scale … most_scale
    double angle_min = -180, angle_max = 180;  ///< degrees counter-clockwise, from min on to max
    Rect region;                               ///< the searched part; the whole frame if empty
  };

  /// A template found in a frame.
  struct TemplateMatch {
    std::shared_ptr<const Template> templ;
    double x, y;   ///< px, of the template's middle
    double angle;  ///< degrees counter-clockwise, above -180 to 180
    double scale;
    double score;  ///< 0 … 1
  };
  /// All templates found in a frame.
  struct TemplateMatches {
    std::vector<TemplateMatch> objects;  ///< by score, the best first
    unsigned edges;                      ///< in the region, that reach the upper threshold
  };

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Hough(Context &context, int width, int height, const FrameFormat &frame);

  /// Sets the templates, at most most_shapes. Allocates. Throws Error::failed, and Error::settings
  /// for too many of them.
  void set_templates(std::vector<std::shared_ptr<const Template>> templates);
  const std::vector<std::shared_ptr<const Template>> &templates() const { return templates_; }
  /// The points of a template at its own size, for kernels, and their number.
  const cl::Buffer &points(size_t templ) const { return prepared_[templ].outline; }
  int points_count(size_t templ) const { return prepared_[templ].outline_count; }

  /// Enqueues the search for edges, and with `objects` that for templates.
  void run(Queue &queue, const Settings &settings, const Picture &in, bool objects = true);
  /// The region that is searched; the whole frame if the settings have none.
  Rect region(const Settings &settings) const;
  /// The next frame does not follow the last one.
  void reset() { canny_.reset(); }

  const Canny &canny() const { return canny_; }
  /// The maps of the search for the last template, for tests: by group, row and column the strength
  /// of the best pose, and the pose itself, as ushort.
  struct MatchMaps {
    cl::Buffer votes, poses;
    int scales, columns, rows, pitch, cell, half;
    float first_scale;  ///< binary logarithm
  };
  MatchMaps matches(const Settings &settings) const;
  /// The result, result_bytes of it, for read().
  const cl::Buffer &result() const { return result_; }
  static constexpr size_t result_bytes = (1 + most_objects) * sizeof(FoundTemplate);
  static TemplateMatches read(const void *result,
                              const std::vector<std::shared_ptr<const Template>> &templates);

 private:
  /// A template's data on the device, for the current grid and scales.
  struct TemplateBuffers {
    cl::Buffer points, levels, match_points, outline;
    int outline_count;
    cl::Buffer offsets;         // where its points fall
    std::array<float, 6> fits;  // the grid and the scales that these are for
  };

  void match(Queue &queue, const Settings &settings, size_t index);
  ScaleBins scales(const Settings &settings) const;
  void make_grid(const Settings &settings);

  int width_, height_;
  cl::Context context_;
  Canny canny_;
  TopK candidates_;
  Kernel rows_kernel_, spread_, pack_, density_kernel_, offsets_kernel_, match_, maxima_,
      near_kernel_, verify_, choose_;
  cl::Buffer edge_count_, rows_, near_, normals_, result_, objects_;
  cl::Buffer map_, bits_, density_, votes_, poses_, maxima_buffer_;
  size_t map_size_ = 0, bits_size_ = 0, places_size_ = 0;
  SearchGrid grid_{};
  size_t lanes_;
  std::vector<std::shared_ptr<const Template>> templates_;
  std::vector<TemplateBuffers> prepared_;
};

}  // namespace glcl::hough
