// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "layout.h"

namespace glcl::scopes {

/// How the signal relates to light.
enum class ScopeTransfer { sdr, pq, hlg };

/// A line of the graticule.
struct ScopeMark {
  int level;  ///< value of the channel
  std::string label;
  bool limit;  ///< black or white, by the range of the frame
};

/// The lines for a channel. In nits they need PQ, or HLG, which is shown as on a display of 1000
/// nits; other signals are marked in per cent.
std::vector<ScopeMark> scope_marks(const ScopeValues &values, int channel, ScopeUnits units,
                                   ScopeTransfer transfer);
/// The number of characters of the longest label of all channels.
int longest_label(const ScopeValues &values, ScopeUnits units, ScopeTransfer transfer);

/// The signal, 0 to 1, of a luminance in nits.
double signal_of_nits(double nits, ScopeTransfer transfer);

/// Chroma of a colour in steps of 8 bits from grey.
struct ScopeChroma {
  double cb, cr;
};
/// Of R, G and B, 0 to 1.
ScopeChroma chroma_of(const Colorimetry &colorimetry, double red, double green, double blue);

/// The hue of skin, counter-clockwise from +Cb.
constexpr double skin_degrees = 123;

/// The pixel of a plot of `size` px that shows a value of `levels`.
inline int pixel_of(double level, int levels, int size) {
  return static_cast<int>((level + 0.5) * size / levels);
}

/// Paints background, graticule and text of the panel: premultiplied RGBA.
std::vector<cl_uchar4> paint_graticule(const ScopeSettings &settings, const ScopeValues &values,
                                       ScopeTransfer transfer, const ScopeLayout &layout);

}  // namespace glcl::scopes
