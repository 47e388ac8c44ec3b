// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linefinder.h"

#include <algorithm>

#include "foundlist.h"
#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int strengths = 1024;

int tiles_of(int length) { return (length + LINE_TILE - 1) / LINE_TILE; }

/// Votes that a line needs in one of its tiles: a short line may lie in three of them.
int least_votes(int min_length) { return std::clamp(min_length / 3, 6, 14); }

}  // namespace

LineFinder::LineFinder(Context &context, int width, int height)
    : LineFinder(context, width, height, context.device().is_cpu() ? 1 : 64) {}

LineFinder::LineFinder(Context &context, int width, int height, unsigned items) try
    : size_{{width, height}
}  // namespace glcl::hough
, tiles_{{tiles_of(width), tiles_of(height)}},
    strongest_(context, 0, strengths, 0xffff, most_candidates) {
  const Program search = context.program("hough/lines.cl"),
                selection = context.program("hough/lineselection.cl");
  seeds_kernel_ = Kernel(context, search, "line_seeds", {items, 1});
  follow_ = Kernel(context, search, "line_follow", {items, 1});
  unique_ = Kernel(context, selection, "line_unique", {std::min(items, 32u), 1});
  keep_ = Kernel(context, selection, "line_keep", {std::min(items, 32u), 1});
  rank_ = Kernel(context, selection, "line_rank", {std::min(items, 32u), 1});
  const auto count = size_t(seeds());
  seeds_ = make_buffer(context.cl(), count * sizeof(cl_uint));
  segments_ = make_buffer(context.cl(), count * sizeof(LineSegment));
  strengths_ = make_buffer(context.cl(), count * sizeof(cl_ushort));
  kept_ = make_buffer(context.cl(), most_candidates);
  result_ = make_buffer(context.cl(), result_bytes);
}
catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the search for lines on " + context.device().name + ".",
              error);
}

void LineFinder::run(Queue &queue, const LineSettings &settings, const cl::Buffer &edges, bool weak,
                     const Rect &region) {
  const LineSearch search{{{region.x, region.y, region.right(), region.bottom()}},
                          size_,
                          tiles_,
                          weak ? 0xffff : EDGE_STRONG,
                          least_votes(settings.min_line_length),
                          settings.min_line_length,
                          settings.max_line_gap};
  const auto groups = [](const Kernel &kernel, int count) {
    return Size{count * kernel.group().x, 1};
  };
  const size_t words = size_t(std::max(size_.s[0], size_.s[1])) / 32 + 1;
  seeds_kernel_(queue, groups(seeds_kernel_, tiles_.s[0] * tiles_.s[1]), edges, search, seeds_);
  follow_(queue, groups(follow_, seeds()), edges, search, seeds_, segments_,
          cl::Local(words * sizeof(cl_uint)), cl::Local(follow_.group().x * sizeof(cl_long8)));
  unique_(queue, groups(unique_, seeds()), segments_, search, strengths_);
  strongest_.run(queue, strengths_, seeds(), 1, {0, 0, seeds(), 1});
  keep_(queue, groups(keep_, most_candidates), segments_, strongest_.indices(), strongest_.counts(),
        kept_);
  rank_(queue, groups(rank_, most_candidates + 1), segments_, strongest_.indices(),
        strongest_.counts(), kept_, settings.lines, result_);
}

std::vector<FoundLine> LineFinder::read(const void *result) {
  return read_list<FoundLine>(result, LineSettings::most_lines);
}

}  // namespace glcl::hough
