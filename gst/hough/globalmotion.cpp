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

}  // namespace

GlobalMotion::GlobalMotion(Context &context, int width, int height) try
    : before_(context, width, height, edges, edge_pairs, EdgePairs::form_for(context.device())),
      after_(context, width, height, edges, edge_pairs, EdgePairs::form_for(context.device())),
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
                       const Rect &region) {
  before_.run(queue, before, region);
  after_.run(queue, after, region);
  transform_.run(queue, before_, after_);
  alignment_.run(queue, after,
                 {before_.edges(), before_.edge_begins(), transform_.rotation(), transform_.scale(),
                  transform_.position()},
                 result_);
  moved_edges_.run(queue, before, after, region, result_);
}

std::optional<GlobalMotion::Estimate> GlobalMotion::read(const void *result) {
  cl_float values[6];
  std::memcpy(values, result, sizeof values);
  if (values[5] < least_edges || !(values[4] >= least_agreement)) return {};
  return Estimate{-std::atan2(values[1], values[0]) * 180 / std::acos(-1.0),
                  std::hypot(values[0], values[1]), values[2], values[3], values[4]};
}

}  // namespace glcl::hough
