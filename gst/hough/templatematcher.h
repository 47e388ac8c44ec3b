// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "edgepacker.h"
#include "houghsettings.h"
#include "preparedtemplate.h"
#include "topk.h"

namespace glcl::hough {

/// Counts for every pose of a template the points that meet an edge of their direction, and lists
/// the poses whose count exceeds chance most: the candidates for CandidateVerifier.
class TemplateMatcher {
 public:
  static constexpr int most_candidates = 512;  ///< per template

  /// Throws Error::failed if the device refuses kernels or memory.
  explicit TemplateMatcher(Context &context);

  /// Enqueues the search for a template in the packed edges of a frame, and updates the template's
  /// offsets.
  void match(Queue &queue, const HoughSettings &settings, const SearchGrid &grid,
             const EdgePacker &edges, PreparedTemplate &prepared);

  /// The last template's best pose and its strength for each group of poses, row and column of
  /// cells: ushort. See the kernel `match`.
  const cl::Buffer &votes() const { return votes_; }
  const cl::Buffer &poses() const { return poses_; }
  /// The last template's candidates, as indices of poses().
  const TopK &candidates() const { return candidates_; }

 private:
  void update_offsets(Queue &queue, const SearchGrid &grid, const ScaleBins &bins,
                      PreparedTemplate &prepared);

  cl::Context context_;
  size_t lanes_;
  Kernel density_kernel_, offsets_kernel_, match_, maxima_;
  TopK candidates_;
  cl::Buffer density_, votes_, poses_, maxima_buffer_;
};

}  // namespace glcl::hough
