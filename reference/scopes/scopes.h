// SPDX-License-Identifier: LGPL-2.1-or-later
// The scalar reference of kernels/scopes.
#pragma once

#include <array>
#include <functional>

#include "reference/conversion/conversion.h"
#include "reference/frames.h"
#include "scopes/graticule.h"
#include "scopes/survey.h"

namespace reference {

/// A frame as scopes read it.
class ScopeFrame {
 public:
  ScopeFrame(const Frame &frame, const glcl::scopes::ScopeValues &values);
  ScopeFrame(const PlanarFrame &frame, const glcl::scopes::ScopeValues &values);

  /// The values of the channels at a pixel.
  std::array<int, 3> values_at(int x, int y) const { return pixels_[size_t(y) * width + x]; }
  /// Cb and Cr of a pixel.
  std::array<int, 2> chroma_at(int x, int y) const { return chroma_[size_t(y) * width + x]; }

  /// R, G and B of a pixel, which exceed the range of RGB in illegal colours.
  const std::array<int, 3> &rgb_at(int x, int y) const { return rgb_[size_t(y) * width + x]; }
  /// Luma of a pixel.
  int luma_at(int x, int y) const { return luma_[size_t(y) * width + x]; }

  glcl::scopes::ScopeValues values;
  int width, height;

 private:
  std::vector<std::array<int, 3>> pixels_, rgb_;
  std::vector<std::array<int, 2>> chroma_;
  std::vector<int> luma_;
};

/// R, G and B, 0 to 1, of code values of YCbCr, not rounded or clamped.
std::array<double, 3> scope_rgb(const glcl::FrameFormat &frame, int luma, int cb, int cr);

/// [channel][value][column].
std::vector<uint32_t> scope_counts(const ScopeFrame &frame, const glcl::Rect &area, int columns);
/// [Cr][Cb].
std::vector<uint32_t> scope_cells(const ScopeFrame &frame, const glcl::Rect &area);
/// [channel][least, most, sum, below, above][column], then samples by saturation and by hue, and
/// the hue of the most saturated sample.
std::vector<uint32_t> scope_numbers(const ScopeFrame &frame, const glcl::Rect &area, int columns);

/// [channel][least, most, sum, below, above][line].
std::vector<uint32_t> scope_lines(const ScopeFrame &frame, const glcl::Rect &area);
/// Pixels out of range, out of gamut and black, and the sum of differences of luma from another
/// frame, if there is one.
std::array<uint64_t, 4> scope_survey(const ScopeFrame &frame, const ScopeFrame *kept,
                                     const glcl::Rect &area,
                                     const glcl::scopes::SurveyLimits &limits);

/// Variance of the noise by luma in levels of 0..255.
using ScopeNoise = std::function<double(double level)>;

/// The drawing over a frame in RGBA: `below`, with the scopes of `counted`.
Frame draw_scopes(
    const Frame &below, const ScopeFrame &counted, const glcl::scopes::ScopeSettings &settings,
    glcl::scopes::ScopeTransfer transfer, const glcl::Rect &area, int columns, bool overlay = false,
    const ScopeNoise &noise = [](double) { return 4.0; });

}  // namespace reference
