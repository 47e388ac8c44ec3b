// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "houghsettings.h"
#include "preparedtemplate.h"
#include "templatematcher.h"

namespace glcl::hough {

/// Refines the candidates of TemplateMatcher by least squares, gives them a score, and selects the
/// objects among them.
class CandidateVerifier {
 public:
  static constexpr size_t result_bytes = (1 + HoughSettings::most_objects) * sizeof(FoundTemplate);

  /// Throws cl::Error.
  CandidateVerifier(Context &context, int width, int height);

  /// Enqueues what verify() needs of a frame's edges, see Canny::edges().
  void set_edges(Queue &queue, const SearchGrid &grid, const cl::Buffer &edges);
  /// Enqueues the verification of the candidates of the template with this index.
  void verify(Queue &queue, const HoughSettings &settings, const SearchGrid &grid,
              const TemplateMatcher &matcher, const PreparedTemplate &prepared, size_t index);
  /// Enqueues the selection among the verified candidates of the first `templates` templates.
  void select(Queue &queue, const HoughSettings &settings, size_t templates,
              const cl::Buffer &edge_count);

  /// Two uint, the numbers of objects and of edges; from the second FoundTemplate on the objects.
  const cl::Buffer &result() const { return result_; }

 private:
  cl_int2 size_;  // of the frame, px
  Kernel near_kernel_, verify_, select_;
  cl::Buffer normals_;   // cosine and sine of each step of a direction
  cl::Buffer edges_;     // of the frame
  cl::Buffer near_;      // the directions of the edges around each pixel
  cl::Buffer verified_;  // candidates of all templates
  cl::Buffer result_;
};

}  // namespace glcl::hough
