// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ransac.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "opencl/error.h"

namespace glcl::camera {

namespace {

constexpr int spread = 16;     // px between vectors, or the size of a block
constexpr int most = 1 << 14;  // largest number of vectors

size_t group_items(Context &context) {
  return context.device().is_cpu() ? 1 : std::min<size_t>(512, one_group(context.device().device));
}

/// Step along one axis in cells of `cell` px: the vector of one cell per step is used.
int step_of(int cell, int width, int height) {
  int step = std::max(spread / cell, 1);
  const auto along = [&](int length) { return length / (cell * step) + 1; };
  while (int64_t(along(width)) * along(height) > most) step++;
  return step;
}

}  // namespace

Ransac::Settings Ransac::defaults(const Device &device) {
  Settings settings;
  if (!device.is_cpu()) settings.min_iterations = 150;
  return settings;
}

Ransac::Ransac(Context &context) : Ransac(context, group_items(context)) {}

Ransac::Ransac(Context &context, size_t items) {
  kernel_ = Kernel(context, context.program("camera/ransac.cl", "-DITEMS=" + std::to_string(items)),
                   "camera_ransac", {});
  try {
    const cl_uint none[2]{};
    best_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none,
                       const_cast<cl_uint *>(none));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the camera motion on " + context.device().name + ".",
                error);
  }
}

void Ransac::run(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count,
                 const cl::Buffer &state) {
  const int rounds = std::max(
      (settings.max_iterations + settings.min_iterations - 1) / settings.min_iterations, 1);
  kernel_(queue, {settings.min_iterations * kernel_.group().x, 1}, vectors, best_, state,
          RansacRun{{{settings.width, settings.height}},
                    count,
                    settings.seed,
                    rounds,
                    settings.max_error,
                    settings.converged,
                    settings.translation,
                    settings.directed});
}

BlockVectors::BlockVectors(Context &context, int width, int height) : size_{{width, height}} {
  kernel_ = Kernel(context, context.program("camera/ransac.cl", "-DITEMS=16"), "camera_collect",
                   {context.device().is_cpu() ? size_t(8) : size_t(32), 1});
  try {
    list_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, size_t(most) * sizeof(cl_float4));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the vectors of the camera motion on " +
                    context.device().name + ".",
                error);
  }
}

void BlockVectors::run(Queue &queue, const motion::BlockMotion &motion) {
  const motion::VectorField &field = motion.field();
  const motion::LumaPlane &plane = motion.current();
  const int step = step_of(field.cell, size_.s[0], size_.s[1]);
  columns_ = std::max(field.columns / step, 1);
  rows_ = std::max(field.rows / step, 1);
  // A field smaller than a step uses its first cell.
  const int taken = std::min({step, 2 * field.columns - 1, 2 * field.rows - 1});
  kernel_(queue, {size_t(columns_), size_t(rows_)}, plane.buffer, motion.vectors(),
          motion.noise().variances(), list_,
          VectorGrid{{{columns_, rows_}}, size_, plane.pitch, field.cell, field.columns, taken});
}

}  // namespace glcl::camera
