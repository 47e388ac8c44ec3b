// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "flowsettings.h"
#include "noise/noise.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"

namespace glcl::opticalflow {

/// A pyramid level in its buffer, in the layout of the kernels.
struct FlowLevel {
  int width, height, pitch, offset;
  cl_int4 cl() const { return {{width, height, pitch, offset}}; }
};

/// The pyramid of a frame.
struct FlowPyramid {
  cl::Buffer grey;
  cl::Buffer census;        ///< null if the channels are grey
  cl::Buffer census_noise;  ///< the noise variance that census was computed for; -1: not computed
  /// The channels that the solver compares.
  const cl::Buffer &texels() const { return census() ? census : grey; }
};

/// The pyramids of the last two frames, the change of brightness between these and their noise.
class FlowPyramids {
 public:
  /// For frames of width × height px. Throws cl::Error.
  FlowPyramids(Context &context, int width, int height, const FrameFormat &frame,
               FlowChannels channels);

  /// The maximum number of levels for frames of this size, and the number for levels=0.
  static int most_levels(int width, int height);
  static int automatic_levels(int width, int height);
  /// The number of levels for these settings.
  int levels(const FlowSettings &settings) const;

  /// Takes the next frame and enqueues its larger levels. Returns the first one that complete()
  /// makes.
  int add_frame(Queue &queue, const FlowSettings &settings, const Picture &in);
  /// Enqueues the rest: the levels from `first` on, brightness and census.
  void complete(Queue &queue, const FlowSettings &settings, int first);
  /// Forgets all frames.
  void reset() {
    known_levels_ = 0;
    noise_.reset();
  }

  /// The levels of the last complete frame; 0 without one.
  int known_levels() const { return known_levels_; }
  const FlowPyramid &previous() const { return previous_; }
  const FlowPyramid &current() const { return current_; }
  /// Gain and offset that adjust the current frame to the previous one, and their inverse.
  const cl::Buffer &brightness() const { return brightness_[0]; }
  const cl::Buffer &reverse_brightness() const { return brightness_[1]; }

  /// Of the frames, px.
  int width() const { return levels_[0].width; }
  int height() const { return levels_[0].height; }
  /// All levels, finest first.
  const std::vector<FlowLevel> &all_levels() const { return levels_; }
  /// The response of the levels to noise, see kernels/opticalflow/noise.clh.
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

/// Two frames and the change of brightness between them.
struct FramePair {
  const FlowPyramids &pyramids;
  const FlowPyramid &before, &after;
  cl::Buffer brightness;          ///< of the whole frames
  cl::Buffer matched_brightness;  ///< the same, or measured by matches
};

}  // namespace glcl::opticalflow
