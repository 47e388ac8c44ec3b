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

/// Makes a template from an RGBA picture on the device, and waits for it. Throws Error::settings as
/// Template() does, Error::failed if OpenCL refuses.
std::shared_ptr<const Template> make_template(Queue &queue, const std::string &name,
                                              const Canny::Settings &settings,
                                              const Picture &picture);

/// Finds templates in a frame at any rotation and scale by a generalised Hough transform (Ballard
/// 1981), gathered instead of voted.
///
/// A pose is a cell of 3 to 8 px, one of 72 rotations, and a scale in steps of 10 %. For each pose
/// it counts the template points that meet an edge of their direction, and compares the count with
/// chance. The most significant poses are candidates, which least squares refine. The score
/// combines two fractions of points that meet an edge: in the whole template, and in its best part.
/// The rest may be occluded. docs/methods/hough.md has the numbers.
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
    double angle_min = -180, angle_max = 180;  ///< degrees; the range is counter-clockwise from min
    Rect region;                               ///< the searched region; empty: the whole frame
  };

  /// A template found in a frame.
  struct TemplateMatch {
    std::shared_ptr<const Template> templ;
    double x, y;   ///< of the template's middle, px
    double angle;  ///< degrees counter-clockwise, above -180 to 180
    double scale;  ///< relative to the template's picture
    double score;  ///< 0 … 1
  };
  /// The best matches in a frame, at most `max_objects`.
  struct TemplateMatches {
    std::vector<TemplateMatch> objects;  ///< sorted by score, best first
    unsigned edges;                      ///< number in the region that reach the upper threshold
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  Hough(Context &context, int width, int height, const FrameFormat &frame);

  /// Changes the pixel format of the next frames. The previous frame, the measured noise and the
  /// templates stay.
  void set_format(Context &context, const FrameFormat &frame) { canny_.set_format(context, frame); }

  /// Sets the templates and allocates their buffers. Throws Error::settings for more than
  /// most_templates, Error::failed if the device refuses memory.
  void set_templates(std::vector<std::shared_ptr<const Template>> templates);
  const std::vector<std::shared_ptr<const Template>> &templates() const { return templates_; }
  /// The points of template `templ` at its own size, see Template::ScaleLevel, and their number.
  const cl::Buffer &points(size_t templ) const { return prepared_[templ].outline; }
  int points_count(size_t templ) const { return prepared_[templ].outline_count; }

  /// Enqueues the detection of edges and, if `objects`, the search for templates. Throws
  /// Error::settings for other pictures, cl::Error if OpenCL refuses.
  void run(Queue &queue, const Settings &settings, const Picture &in, bool objects = true);
  /// The searched region; the whole frame if the settings have none.
  Rect region(const Settings &settings) const;
  /// Forgets the previous frame and the measured noise.
  void reset() { canny_.reset(); }

  const Canny &canny() const { return canny_; }
  /// The maps of the search for the last template, for tests. A ushort by group of poses, row and
  /// column each: the strength of the best pose, and the pose.
  struct MatchMaps {
    cl::Buffer votes, poses;
    int scales, columns, rows, pitch, cell, half_width;
    float first_scale;  ///< log2 of the lower end of the first scale bin
  };
  MatchMaps matches(const Settings &settings) const;
  /// The result for read(), result_bytes.
  const cl::Buffer &result() const { return result_; }
  static constexpr size_t result_bytes = (1 + most_objects) * sizeof(FoundTemplate);
  /// The matches in a downloaded result(). `templates`: those of the search.
  static TemplateMatches read(const void *result,
                              const std::vector<std::shared_ptr<const Template>> &templates);

 private:
  /// A template's data on the device, for the current grid and scales.
  struct TemplateBuffers {
    cl::Buffer points, levels, match_points, outline;
    int outline_count;
    cl::Buffer offsets;                // of its match points in the map, by pose
    std::array<float, 6> offsets_key;  // grid and scales of `offsets`
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
  size_t map_size_ = 0, bits_size_ = 0, positions_size_ = 0;
  SearchGrid grid_{};
  size_t lanes_;
  std::vector<std::shared_ptr<const Template>> templates_;
  std::vector<TemplateBuffers> prepared_;
};

}  // namespace glcl::hough
