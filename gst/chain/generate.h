// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "opencl/picture.h"
#include "plan.h"

namespace glcl::chain {

/// What the kernels of a chain are made for.
struct Make {
  Layout layout = Layout::image;
  Shape shape;
  bool live = false;  ///< parameters come with each launch; else they are constants of the kernel
};

/// The OpenCL text of all passes: kernels glcl_pass_0 …, each with the arguments: its input picture
/// and, for a stage of several frames, the earlier ones; the picture it writes; width, height; and
/// the values() of a live chain.
std::string generate(const Description &chain, const std::vector<Stage> &stages,
                     const std::vector<Pass> &passes, const Make &make);

/// Parameters, tables and weights of a chain, in the order in which its kernels read them.
std::vector<float> values_of(const Description &chain);

}  // namespace glcl::chain
