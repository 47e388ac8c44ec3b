// SPDX-License-Identifier: LGPL-2.1-or-later
#include "globalmotion.h"

#include <cmath>
#include <cstring>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr size_t edges = 2048, edge_pairs = size_t(1) << 16;
constexpr int fine = 2;           // see Transform::Settings: positions are squares of 4 px
constexpr int max_rotation = 10;  // steps of 2°
constexpr float least_edges = 40, least_agreement = 0.5f;

EdgePairs pairs_of(Context &context, int width, int height) {
  return {context, width, height, edges, edge_pairs, EdgePairs::form_for(context.device())};
}

}  // namespace

GlobalMotion::GlobalMotion(Context &context, int width, int height) try
    : pairs_{pairs_of(context, width, height), pairs_of(context, width, height)},
      transform_(context, width, height, {fine, 1, max_rotation, true},
                 EdgePairs::form_for(context.device())),
      alignment_(context, width, height, edges, fine),
      moved_edges_(context, width, height) {
  result_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, result_bytes);
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the global motion on " + context.device().name + ".",
              error);
}

void GlobalMotion::run(Queue &queue, const cl::Buffer &before, const cl::Buffer &after,
                       const Rect &region, uint64_t number) {
  const bool goes_on = number_ > 0 && number == number_ + 1 && region == region_;
  later_ = 1 - later_;
  number_ = 0;  // until all is enqueued
  EdgePairs &first = pairs_[1 - later_], &second = pairs_[later_];
  if (!goes_on) first.run(queue, before, region);
  second.run(queue, after, region);
  transform_.run(queue, first, second);
  alignment_.run(queue, after,
                 {first.edges(), first.edge_begins(), transform_.rotation(), transform_.scale(),
                  transform_.position()},
                 result_);
  moved_edges_.run(queue, before, after, region, result_);
  number_ = number;
  region_ = region;
}

std::optional<GlobalMotion::Estimate> GlobalMotion::read(const void *result) {
  cl_float values[6];
  std::memcpy(values, result, sizeof values);
  if (values[5] < least_edges || !(values[4] >= least_agreement)) return {};
  return Estimate{-std::atan2(values[1], values[0]) * 180 / std::acos(-1.0),
                  std::hypot(values[0], values[1]), values[2], values[3], values[4]};
}

}  // namespace glcl::hough
