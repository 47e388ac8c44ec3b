// SPDX-License-Identifier: LGPL-2.1-or-later
// The scalar reference of kernels/conversion, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "opencl/frameformat.h"
#include "reference/frames.h"

namespace reference {

/// A frame in another format than RGBA. A plane holds the stored values of its pixels, `channels`
/// of each, rows without gaps.
struct PlanarFrame {
  struct Plane {
    int width, height, channels;
    std::vector<uint16_t> values;
    int at(int x, int y, int channel = 0) const {
      return values[(size_t(y) * width + x) * channels + channel];
    }
  };

  PlanarFrame(const glcl::PixelFormat &format, int width, int height);

  const glcl::PixelFormat *format;
  int width, height;  ///< px
  std::vector<Plane> planes;
};

/// The pixels of a frame, R, G, B and A in levels. Those that RGB can't show lie outside of 0 to
/// 255.
struct Colours {
  explicit Colours(const Frame &frame);
  Colours(const PlanarFrame &frame, const glcl::Colorimetry &colorimetry);

  std::array<double, 4> &at(int x, int y) { return pixels[size_t(y) * width + x]; }
  const std::array<double, 4> &at(int x, int y) const { return pixels[size_t(y) * width + x]; }

  int width, height;  ///< px
  std::vector<std::array<double, 4>> pixels;
};

/// The levels of a pixel of such a frame, R, G, B and A, 0 to 255, not rounded.
std::array<double, 4> levels_at(const PlanarFrame &frame, const glcl::Colorimetry &colorimetry,
                                int x, int y);

/// The code value of a pixel's luma, without padding. Not for RGB.
int luma_code_at(const PlanarFrame &frame, int x, int y);
/// The level of a pixel's luma, 0 to 255, not rounded. Not for RGB.
double luma_level_at(const PlanarFrame &frame, const glcl::Colorimetry &colorimetry, int x, int y);

/// The values, not rounded, that colours have in such a plane, at a pixel of the plane: as many as
/// the plane stores, without padding; a value of two bytes counts as one. Pixels whose chroma
/// sample lies on them count twice as much as those beside it.
std::vector<double> values_at(const Colours &colours, const glcl::PixelFormat &format,
                              const glcl::Colorimetry &colorimetry, int plane, int x, int y,
                              const glcl::ChromaSite &site = {});

/// The values, not rounded, of a frame below a drawing, whose colours are premultiplied by alpha.
/// Not for RGB.
std::vector<double> blended_at(const PlanarFrame &frame, const Colours &drawing,
                               const glcl::Colorimetry &colorimetry, int plane, int x, int y,
                               const glcl::ChromaSite &site);

}  // namespace reference
