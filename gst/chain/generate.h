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
  bool live = false;  ///< parameters are arguments of each launch; else constants
};

constexpr size_t map_bytes = 4 * 256;  ///< of a Map

/// The OpenCL text of all passes: kernels glcl_pass_0 …. Their arguments are the input picture and,
/// for a stage of several frames, the earlier ones; the output picture; width, height; values_of()
/// the chain, twice; cubes_of() the chain; the maps; if the pass reads_moment(), the Moment's time,
/// in two floats, and frame; and if it reads_picture(), the picture's buffer, pitch and size, and
/// its px per px of the frame. The kernels glcl_map_0 … compute the maps; they have 256 items and
/// the arguments from the values to the maps. If the chain keeps_input(), there is also glcl_keep,
/// which copies a frame to a buffer of pixels with 16 bits per channel; its arguments are both,
/// width, height.
std::string generate(const Description &chain, const std::vector<Stage> &stages,
                     const std::vector<Pass> &passes, const CodegenOptions &options);

/// True if the first pass needs the frame in a buffer: frames of planes that are images, or of
/// which it reads several.
bool keeps_input(const std::vector<Stage> &stages, const FrameFormat &frame);

/// True if a filter of a pass reads the moment of the frame.
bool reads_moment(const Description &chain, const std::vector<Stage> &stages, const Pass &pass);
/// True if a filter of a pass reads the picture.
bool reads_picture(const Description &chain, const std::vector<Stage> &stages, const Pass &pass);

/// Parameters, tables and weights of a chain, in the order in which its kernels read them.
std::vector<float> values_of(const Description &chain);
/// The points of all tables of colours, in the order in which its kernels read them.
std::vector<float> cubes_of(const Description &chain);

}  // namespace glcl::chain
