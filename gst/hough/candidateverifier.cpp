// SPDX-License-Identifier: LGPL-2.1-or-later
#include "candidateverifier.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "opencl/buffer.h"
#include "searchgrid.h"

namespace glcl::hough {

namespace {

constexpr int most_candidates = TemplateMatcher::most_candidates;

/// The cosine and sine of each step of a direction.
std::vector<cl_float2> unit_normals() {
  std::vector<cl_float2> normals;
  for (int step = 0; step < 2 * Template::steps; step++) {
    const double angle = step * std::acos(-1.0) / Template::steps;
    normals.push_back(
        {{static_cast<cl_float>(std::cos(angle)), static_cast<cl_float>(std::sin(angle))}});
  }
  return normals;
}

}  // namespace

CandidateVerifier::CandidateVerifier(Context &context, int width, int height)
    : size_{{width, height}} {
  const bool cpu = context.device().is_cpu();
  const Program verifying = context.program("hough/verify.cl", cpu ? "-DSINGLE_ITEM" : "");
  near_kernel_ = Kernel(context, verifying, "verify_near", {64, 1}).in_bands();
  verify_ = Kernel(context, verifying, "verify", {cpu ? 1u : 128u, 1}).in_bands();
  const Program selection =
      context.program("hough/objects.cl", one_group_option(context.device().device));
  select_ = Kernel(context, selection, "hough_select_objects", {});
  normals_ = upload_values(context.cl(), unit_normals());
  near_ = make_buffer(context.cl(), size_t(width) * height * sizeof(cl_ushort));
  verified_ = make_buffer(context.cl(),
                          HoughSettings::most_templates * most_candidates * sizeof(FoundTemplate));
  result_ = make_buffer(context.cl(), result_bytes);
}

void CandidateVerifier::set_edges(Queue &queue, const SearchGrid &grid, const cl::Buffer &edges) {
  edges_ = edges;
  near_kernel_(queue, {size_t(size_.s[0]), size_t(size_.s[1])}, edges, size_,
               std::max(grid.cell / 4, 1), near_);
}

void CandidateVerifier::verify(Queue &queue, const HoughSettings &settings, const SearchGrid &grid,
                               const TemplateMatcher &matcher, const PreparedTemplate &prepared,
                               size_t index) {
  const Verification search{
      grid,
      scale_bins(settings),
      size_,
      {{static_cast<cl_float>(settings.scale_min), static_cast<cl_float>(settings.scale_max)}},
      {{static_cast<cl_float>(-settings.angle_max),
        static_cast<cl_float>(settings.rotation_range())}},
      prepared.templ->radius,
      prepared.level_count(),
      static_cast<cl_int>(index),
      static_cast<cl_int>(index * most_candidates)};
  const TopK &candidates = matcher.candidates();
  verify_(queue, {verify_.group().x, most_candidates}, edges_, near_, candidates.indices(),
          candidates.counts(), matcher.poses(), prepared.points, normals_, prepared.levels,
          verified_, search, cl::Local(FIT_SUMS * verify_.group().x * sizeof(cl_float)));
}

void CandidateVerifier::select(Queue &queue, const HoughSettings &settings, size_t templates,
                               const cl::Buffer &edge_count) {
  select_(queue, select_.group(), verified_, static_cast<cl_int>(templates * most_candidates),
          static_cast<cl_float>(settings.min_score),
          std::min(settings.max_objects, HoughSettings::most_objects), edge_count, result_,
          cl::Local(select_.group().x * sizeof(cl_float2)));
}

}  // namespace glcl::hough
