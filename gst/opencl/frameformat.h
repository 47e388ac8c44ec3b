// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "format.h"
#include "picture.h"

namespace glcl {

/// How the values of luma and chroma relate to colours.
struct Colorimetry {
  double kr = 0.299, kb = 0.114;  ///< weights of red and blue in luma
  bool full_range = false;        ///< black is 0, else 16 of 255
};

/// The position of a chroma sample along each axis: on the first of the pixels that share it, or in
/// their middle.
struct ChromaSite {
  bool left = false, top = false;
};

/// How kernels access frames, and the meaning of the frames' values.
struct FrameFormat {
  Layout layout = Layout::image;
  const PixelFormat *pixels = &PixelFormat::rgba;
  Colorimetry colorimetry{};
  ChromaSite chroma_site{};  ///< not in build options: most kernels use a sample for all its pixels

  FrameFormat() = default;
  /// Frames in RGBA. Not explicit, because engines need only the layout of RGBA frames.
  FrameFormat(Layout layout) : layout(layout) {}
  FrameFormat(Layout layout, const PixelFormat &pixels, const Colorimetry &colorimetry)
      : layout(layout), pixels(&pixels), colorimetry(colorimetry) {}

  /// True if grey values are luma in both formats, or the mean of R, G and B in both. Otherwise
  /// frames can't be compared.
  bool same_grey(const FrameFormat &other) const {
    return pixels->has_luma() == other.pixels->has_luma();
  }
};

/// Build options of common/frame.clh, common/luma.clh and common/planes.clh.
std::string frame_options(const FrameFormat &frame);

/// Throws Error::settings if a picture has a different size, layout or format: "NAME was set up for
/// frames of …".
void check_picture(const Picture &picture, int width, int height, const FrameFormat &frame,
                   const std::string &name);

}  // namespace glcl
