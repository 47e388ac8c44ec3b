// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/frameformat.h"
#include "opencl/kernel.h"

namespace glcl::histogram {

/// Equalises frames with a luma plane at full bit depth: afterwards all levels are about equally
/// frequent. Values of more than 8 bits are interpolated between the counted levels.
class Equalizer {
 public:
  /// Throws Error::failed if the device refuses the kernels.
  Equalizer(Context &context, const FrameFormat &frame);

  /// Enqueues `out`, all planes: luma by the counts of 256 levels, chroma unchanged.
  void run_luma(Queue &queue, const cl::Buffer &counts, const Picture &in, const Picture &out);
  /// R, G and B separately, by the counts of 256 levels of each.
  void run_rgb(Queue &queue, const cl::Buffer &counts, const Picture &in, const Picture &out);

 private:
  Kernel make_tables_, make_values_, luma_, rgb_;
  size_t value_count_;          // number of luma values
  cl::Buffer tables_, values_;  // new level of each level; new value of each luma value
};

}  // namespace glcl::histogram
