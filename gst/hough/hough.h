// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "candidateverifier.h"
#include "edgepacker.h"
#include "searchgrid.h"
#include "templatematcher.h"

namespace glcl::hough {

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
  using Settings = HoughSettings;

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
  /// Settings::most_templates, Error::failed if the device refuses memory.
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
  const cl::Buffer &result() const { return verifier_.result(); }
  static constexpr size_t result_bytes = CandidateVerifier::result_bytes;
  /// The matches in a downloaded result(). `templates`: those of the search.
  static TemplateMatches read(const void *result,
                              const std::vector<std::shared_ptr<const Template>> &templates);

 private:
  cl_int2 size_;  // of the frames, px
  cl::Context context_;
  size_t lanes_;  // see match_lanes()
  Canny canny_;
  EdgePacker packer_;
  TemplateMatcher matcher_;
  CandidateVerifier verifier_;
  SearchGrid grid_{};  // of the last search
  std::vector<std::shared_ptr<const Template>> templates_;
  std::vector<PreparedTemplate> prepared_;  // the same templates
};

}  // namespace glcl::hough
