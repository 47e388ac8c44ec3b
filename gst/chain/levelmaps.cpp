// SPDX-License-Identifier: LGPL-2.1-or-later
#include "levelmaps.h"

#include <algorithm>
#include <string>

#include "generate.h"
#include "opencl/buffer.h"

namespace glcl::chain {

void LevelMaps::set_program(Context &context, const cl::Program &program, size_t count) {
  kernels_.clear();
  for (size_t m = 0; m < count; m++)
    kernels_.emplace_back(context, program, "glcl_map_" + std::to_string(m), Size{64, 1});
  maps_ = make_buffer(context.cl(), map_bytes * std::max<size_t>(count, 1));
  mapped_ = false;
}

void LevelMaps::set_cubes(const cl::Context &context, const std::vector<float> &points) {
  cubes_ = upload_values(context, points);
  mapped_ = false;
}

void LevelMaps::set_values(const cl::Context &context, const std::vector<float> &values) {
  values_ = upload_values(context, values);
  mapped_ = false;
}

void LevelMaps::update(Queue &queue) {
  if (mapped_) return;
  for (Kernel &map : kernels_) map(queue, {256, 1}, values_, values_, cubes_, maps_);
  mapped_ = true;
}

}  // namespace glcl::chain
