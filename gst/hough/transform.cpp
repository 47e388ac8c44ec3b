// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#include <string>

#include "opencl/error.h"

namespace glcl::hough {

Transform::Transform(Context &context, int width, int height, const Settings &settings,
                     EdgePairs::Form form)
    : Transform(context, EdgePairs::program(context, form), width, height, settings) {}

Transform::Transform(Context &context, const Program &program, int width, int height,
                     const Settings &settings) try
    : rotation_(context, program, settings.max_rotation),
      scale_(context, program, settings.against_chance),
      position_(context, program, width, height, settings.fine, settings.copies) {
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the votes of the Hough transform on " +
                  context.device().name + ".",
              error);
}

void Transform::run(Queue &queue, const EdgePairs &before, const EdgePairs &after) {
  find_rotation(queue, before, after);
  find_scale(queue, before, after);
  find_position(queue, before, after);
}

}  // namespace glcl::hough
