// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "flowsettings.h"
#include "noise/noise.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"

namespace glcl::opticalflow {

/// A level in the buffer of a pyramid, see kernels/opticalflow/level.clh. All fields are in texels.
struct FlowLevel {
  int width, height, pitch, offset;
  cl_int4 cl() const { return {{width, height, pitch, offset}}; }
};

/// The pyramid of a frame.
struct FlowPyramid {
  cl::Buffer grey;          ///< float per texel, levels
  cl::Buffer census;        ///< char4 per texel; null if the channels are grey
  cl::Buffer census_noise;  ///< float: the noise variance for `census`; -1: not computed
  /// The channels that the solver compares.
  const cl::Buffer &texels() const { return census() ? census : grey; }
};

/// The pyramids of the last two frames, with the noise and the change of brightness of these
/// frames.
class FlowPyramids {
 public:
  /// For frames of width × height px. Throws cl::Error or Error::failed.
  FlowPyramids(Context &context, int width, int height, const FrameFormat &frame,
               FlowChannels channels);

  /// Changes the pixel format of the next frames. The previous frame and the noise stay.
  void set_format(Context &context, const FrameFormat &frame);

  /// The maximum number of levels for frames of this size, and the number for levels=0.
  static int most_levels(int width, int height);
  static int automatic_levels(int width, int height);
  /// The number of levels for these settings.
  int levels(const FlowSettings &settings) const;

  /// Takes the next frame and enqueues its larger levels. Returns the first of the smaller levels,
  /// for complete().
  int add_frame(Queue &queue, const FlowSettings &settings, const Picture &in);
  /// Enqueues the levels from `first` on, the change of brightness, and census.
  void complete(Queue &queue, const FlowSettings &settings, int first);
  /// Forgets all frames.
  void reset() {
    known_levels_ = 0;
    noise_.reset();
  }

  /// The number of levels of the last complete frame; 0 without one.
  int known_levels() const { return known_levels_; }
  const FlowPyramid &previous() const { return previous_; }
  const FlowPyramid &current() const { return current_; }
  /// The (gain, offset) that adjusts the current frame to the previous one, and its inverse, both
  /// float2. A second float2 has the difference of the means of both frames, levels, in x.
  const cl::Buffer &brightness() const { return brightness_[0]; }
  const cl::Buffer &reverse_brightness() const { return brightness_[1]; }

  /// The size of the frames, px.
  int width() const { return levels_[0].width; }
  int height() const { return levels_[0].height; }
  /// All levels, finest first.
  const std::vector<FlowLevel> &all_levels() const { return levels_; }
  /// The response of each level to noise, see kernels/opticalflow/noise.clh.
  const std::vector<cl_float4> &gains() const { return gains_; }
  const noise::Noise &noise() const { return noise_; }
  Plane plane(const FlowPyramid &pyramid, int level) const {
    return {pyramid.grey, levels_[level].pitch, levels_[level].offset};
  }

 private:
  void allocate(const cl::Context &context, int width, int height, FlowChannels channels);
  int levels_to_make(const FlowSettings &settings) const;
  Size tiles(int level) const;
  void find_census(Queue &queue, int levels);

  std::vector<FlowLevel> levels_;
  std::vector<cl_float4> gains_;
  cl::Buffer level_table_, gain_table_;
  FlowPyramid previous_, current_;
  cl::Buffer brightness_[2];
  noise::Noise noise_;
  int known_levels_ = 0;
  Kernel grey_, down_, small_, census_;
};

/// Two frames and the change of brightness between them, as FlowPyramids::brightness() has it.
struct FramePair {
  const FlowPyramids &pyramids;
  const FlowPyramid &before, &after;
  cl::Buffer brightness;          ///< measured on the whole frames
  cl::Buffer matched_brightness;  ///< the same, or measured by matching pixels
};

}  // namespace glcl::opticalflow
