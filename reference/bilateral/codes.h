// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reference/conversion/conversion.h"
#include "reference/frames.h"

namespace reference {

/// The channels of a frame in RGBA as numbers of 8 or 16 bits, rows without gaps.
struct Codes {
  explicit Codes(const Frame &frame);
  /// For PixelFormat::rgba64.
  explicit Codes(const PlanarFrame &frame);

  Frame frame() const;
  PlanarFrame planar_frame() const;

  uint16_t *at(int x, int y) { return values.data() + (size_t(y) * width + x) * 4; }
  const uint16_t *at(int x, int y) const { return values.data() + (size_t(y) * width + x) * 4; }

  int width, height;  ///< px
  double full_scale;  ///< the largest number
  std::vector<uint16_t> values;
};

/// Shows `in` left of column round(split * width) of `out`, and a white line there unless that is
/// an edge of the frame.
void show_split(const Codes &in, Codes &out, double split);

}  // namespace reference
