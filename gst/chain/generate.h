// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "opencl/frameformat.h"
#include "plan.h"

namespace glcl::chain {

/// The options for the kernels of a chain.
struct CodegenOptions {
  FrameFormat frame;
  WorkgroupShape shape;
  bool live = false;  ///< parameters come with each launch; else they are constants of the kernel
};

constexpr size_t map_bytes = 4 * 256;  ///< of a Map

/// The OpenCL text of all passes: kernels glcl_pass_0 …, each with the arguments: its input picture
/// and, for a stage of several frames, the earlier ones; the picture it writes; width, height;
/// values_of() the chain, twice; and what the kernels glcl_map_0 … write, which have 256 items and
/// these three arguments. If the chain keeps_input(), also glcl_keep, which copies a frame to a
/// buffer of pixels of 16 bits a channel: both, width, height.
std::string generate(const Description &chain, const std::vector<Stage> &stages,
                     const std::vector<Pass> &passes, const CodegenOptions &options);

/// Whether the first pass needs the frame in a buffer: planes that are images, or of which it reads
/// several frames.
bool keeps_input(const std::vector<Stage> &stages, const FrameFormat &frame);

/// Parameters, tables and weights of a chain, in the order in which its kernels read them.
std::vector<float> values_of(const Description &chain);

}  // namespace glcl::chain
