// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <utility>

#include "opencl/frameformat.h"
#include "scopes/interface.h"

namespace glcl::scopes {

/// The channels that waveform, parade and histogram show.
enum class ScopeMode { luma, rgb, ycbcr };

/// The values that scopes count in frames of a format: code values as they are stored, with 10 bits
/// at most. R, G and B of YCbCr span all values, from black to white.
struct ScopeValues {
  ScopeValues(const FrameFormat &frame, ScopeMode mode);

  /// The least and the largest legal value of a channel. RGB computed from YCbCr has no others.
  int black(int channel) const;
  int white(int channel) const;
  /// The least and the largest legal value of R, G and B, which a tolerance in per cent of their
  /// range widens. They are values of RGB frames, or computed ones of all values.
  std::pair<int, int> rgb_limits(double tolerance) const;
  /// True if a channel is Cb or Cr.
  bool is_chroma(int channel) const { return mode == ScopeMode::ycbcr && channel > 0; }
  /// log2 of the pixels that share a sample of Cb and Cr.
  int chroma_shift() const { return frame.pixels->chroma_shift; }
  bool has_chroma() const { return frame.pixels->model != PixelFormat::Model::grey; }
  /// Build options of scopes/values.clh.
  std::string options() const;

  FrameFormat frame;
  ScopeMode mode;  ///< of frames without colours always luma
  int channels;    ///< 1 or 3
  int bits;        ///< 8 or 10
  int levels;      ///< number of values
};

/// The name of a channel: Y, R, G, B, Cb or Cr.
const char *channel_name(ScopeMode mode, int channel);
/// The name of a mode.
const char *mode_name(ScopeMode mode);

}  // namespace glcl::scopes
