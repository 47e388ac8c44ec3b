// SPDX-License-Identifier: LGPL-2.1-or-later
#include "values.h"

#include <algorithm>
#include <cmath>

#include "opencl/program.h"

namespace glcl::scopes {

namespace {

constexpr int most_bits = 10, part_fraction = 14, step_fraction = 16;

using glcl::define;

/// The same for a number in fixed point.
std::string define(const std::string &name, double number, int fraction) {
  return define(name, static_cast<int>(std::lround(std::ldexp(number, fraction))));
}

}  // namespace

ScopeValues::ScopeValues(const FrameFormat &frame, ScopeMode wish)
    : frame(frame),
      mode(frame.pixels->model == PixelFormat::Model::grey ? ScopeMode::luma : wish),
      channels(mode == ScopeMode::luma ? 1 : 3),
      bits(std::min(frame.pixels->bits, most_bits)),
      levels(1 << bits) {}

int ScopeValues::black(int channel) const {
  const bool computed = mode == ScopeMode::rgb && frame.pixels->has_luma();
  return frame.colorimetry.full_range || computed ? 0 : 16 << (bits - 8);
}

int ScopeValues::white(int channel) const {
  const bool computed = mode == ScopeMode::rgb && frame.pixels->has_luma();
  if (frame.colorimetry.full_range || computed) return levels - 1;
  return (is_chroma(channel) ? 240 : 235) << (bits - 8);
}

std::pair<int, int> ScopeValues::rgb_limits(double tolerance) const {
  const ScopeValues rgb(frame, ScopeMode::rgb);
  const int black = rgb.mode == ScopeMode::rgb ? rgb.black(0) : 0,
            white = rgb.mode == ScopeMode::rgb ? rgb.white(0) : levels - 1;
  const auto more = static_cast<int>(std::lround(tolerance / 100 * (white - black)));
  return {black - more, white + more};
}

std::string ScopeValues::options() const {
  const double kr = frame.colorimetry.kr, kb = frame.colorimetry.kb, kg = 1 - kr - kb;
  const bool full = frame.colorimetry.full_range;
  std::string options = define("LEVELS", levels) + define("CODE_SHIFT", frame.pixels->bits - bits);
  if (!frame.pixels->has_luma()) {
    // Chroma has 224 steps where luma has 219.
    const double range = full ? 1 : 224.0 / 219, cb = range / (2 * (1 - kb)),
                 cr = range / (2 * (1 - kr));
    return options + define("RED_IN_LUMA", kr, part_fraction) +
           define("BLUE_IN_LUMA", kb, part_fraction) +
           define("RED_IN_CB", -cb * kr, part_fraction) +
           define("BLUE_IN_CB", cb * (1 - kb), part_fraction) +
           define("RED_IN_CR", cr * (1 - kr), part_fraction) +
           define("BLUE_IN_CR", -cr * kb, part_fraction);
  }
  const int most = (1 << frame.pixels->bits) - 1, unit = 1 << (frame.pixels->bits - 8);
  const double luma = (levels - 1.0) / (full ? most : 219 * unit),
               chroma = (levels - 1.0) / (full ? most : 224 * unit);
  return options + define("RGB_OF_LUMA", luma, step_fraction) +
         define("RED_OF_CR", 2 * (1 - kr) * chroma, step_fraction) +
         define("GREEN_OF_CB", -2 * (1 - kb) * kb / kg * chroma, step_fraction) +
         define("GREEN_OF_CR", -2 * (1 - kr) * kr / kg * chroma, step_fraction) +
         define("BLUE_OF_CB", 2 * (1 - kb) * chroma, step_fraction);
}

const char *channel_name(ScopeMode mode, int channel) {
  static const char *const rgb[] = {"R", "G", "B"}, *const ycbcr[] = {"Y", "Cb", "Cr"};
  return mode == ScopeMode::rgb ? rgb[channel] : ycbcr[channel];
}

const char *mode_name(ScopeMode mode) {
  static const char *const names[] = {"luma", "rgb", "ycbcr"};
  return names[static_cast<int>(mode)];
}

}  // namespace glcl::scopes
