// SPDX-License-Identifier: LGPL-2.1-or-later
#include "circlefinder.h"

#include <algorithm>
#include <cmath>

#include "foundlist.h"
#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int strengths = 1024;

int divided_up(int length, int by) { return (length + by - 1) / by; }

/// log2 of the side of a cell, px: the votes of edges spread with the radius.
int cell_bits(int radius_max) {
  int bits = 0;
  while (bits < CIRCLE_CELL_BITS && radius_max >= 48 << bits) bits++;
  return bits;
}

}  // namespace

CircleFinder::CircleFinder(Context &context, int width, int height)
    : CircleFinder(context, width, height, context.device().is_cpu() ? 1 : 64) {}

CircleFinder::CircleFinder(Context &context, int width, int height, unsigned items) try
    : context_(context.cl()), size_{{width, height}
}  // namespace glcl::hough
, strongest_(context, 0, strengths, 0xffff, most_centres) {
  const Program program = context.program("hough/circles.cl");
  vote_ = Kernel(context, program, "circle_vote", {items, 1});
  centres_ = Kernel(context, program, "circle_centres", {32, 4});
  radii_ = Kernel(context, program, "circle_radii", {items > 1 ? 2 * items : 1, 1});
  fit_ = Kernel(context, program, "circle_fit", {items, 1});
  keep_ = Kernel(context, program, "circle_keep", {items, 1});
  rank_ = Kernel(context, program, "circle_rank", {items, 1});
  seeds_ = make_buffer(context_, most_candidates * sizeof(cl_int4));
  fitted_ = make_buffer(context_, most_candidates * sizeof(cl_int4));
  kept_ = make_buffer(context_, most_candidates);
  result_ = make_buffer(context_, result_bytes);
}
catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the search for circles on " + context.device().name + ".",
              error);
}

void CircleFinder::run(Queue &queue, const CircleSettings &settings, const cl::Buffer &edges,
                       bool weak, const Rect &region) {
  const int radius_max = std::max(settings.radius_max, settings.radius_min),
            bits = cell_bits(radius_max);
  const cl_int2 cells{{divided_up(size_.s[0], 1 << bits), divided_up(size_.s[1], 1 << bits)}};
  const CircleSearch search{{{region.x, region.y, region.right(), region.bottom()}},
                            size_,
                            cells,
                            weak ? 0xffff : EDGE_STRONG,
                            bits,
                            settings.radius_min,
                            radius_max,
                            static_cast<cl_int>(std::lround(1024 * settings.min_circle_score))};
  const auto groups = [](const Kernel &kernel, int count) {
    return Size{count * kernel.group().x, 1};
  };
  const size_t count = size_t(cells.s[0]) * cells.s[1];
  ensure_size(votes_, context_, count * sizeof(cl_uint));
  ensure_size(strengths_, context_, count * sizeof(cl_ushort));
  queue.cl().enqueueFillBuffer(votes_, cl_uint(0), 0, count * sizeof(cl_uint));
  vote_(queue,
        groups(vote_, divided_up(size_.s[0], CIRCLE_TILE) * divided_up(size_.s[1], CIRCLE_TILE)),
        edges, search, votes_);
  centres_(queue, {size_t(cells.s[0]), size_t(cells.s[1])}, votes_, search, strengths_);
  strongest_.run(queue, strengths_, cells.s[0], cells.s[1], {0, 0, cells.s[0], cells.s[1]});
  radii_(queue, groups(radii_, most_centres), edges, search, votes_, strongest_.indices(),
         strongest_.counts(), seeds_,
         cl::Local(size_t(radius_max - settings.radius_min + 1) * sizeof(cl_uint)));
  fit_(queue, groups(fit_, most_candidates), edges, search, seeds_, fitted_,
       cl::Local(fit_.group().x * sizeof(cl_long16)));
  keep_(queue, groups(keep_, most_candidates), fitted_, most_candidates, kept_);
  rank_(queue, groups(rank_, most_candidates + 1), fitted_, most_candidates, kept_,
        settings.circles, result_);
}

std::vector<FoundCircle> CircleFinder::read(const void *result) {
  return read_list<FoundCircle>(result, CircleSettings::most_circles);
}

}  // namespace glcl::hough
