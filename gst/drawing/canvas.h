// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

#include "opencl/picture.h"
#include "opencl/rect.h"

namespace glcl::drawing {

/// Converts a colour property, 0xAARRGGBB, for kernels.
inline cl_uchar4 bytes_of(cl_uint argb) {
  const auto part = [argb](int bit) { return static_cast<cl_uchar>(argb >> bit & 255); };
  return {{part(16), part(8), part(0), part(24)}};
}
inline cl_float4 floats_of(cl_uint argb) {
  const cl_uchar4 bytes = bytes_of(argb);
  cl_float4 floats;
  for (int i = 0; i < 4; i++) floats.s[i] = static_cast<cl_float>(bytes.s[i]) / 255.0f;
  return floats;
}

/// Size of a dot of the 5×7 font in px, so that text is readable in a frame of this size.
inline int dot(int width, int height) { return std::max(2, (std::min(width, height) + 135) / 270); }

/// A part of a frame of this size, px: clipped to the frame, never empty. `x`, `y`, `width` and
/// `height`: fractions of the frame's width and height.
Rect panel(double x, double y, double width, double height, int frame_width, int frame_height);

/// Target of a drawing: over the frame `in`, or a separate overlay that is blended later. Then
/// `out` is premultiplied BGRA, whatever its format says.
struct Canvas {
  const Picture &in, &out;
  bool overlay = false;
  bool has_frame = true;  ///< false for a separate overlay: `in` is undefined

  /// Enqueues the background of a drawing that does not cover all pixels: the frame, or nothing.
  void begin(Queue &queue) const;
};

}  // namespace glcl::drawing
