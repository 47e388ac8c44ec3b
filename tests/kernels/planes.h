// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in other formats than RGBA, for tests of kernels.
#pragma once

#include <random>

#include "kernels/engine.h"
#include "reference/conversion/conversion.h"

using glcl::PixelFormat;
using reference::PlanarFrame;

/// Formats with a plane of luma, in buffers and in images that the device has.
template <class Work>
void for_luma(Bench &bench, const Work &work) {
  int formats = 0;
  for (const PixelFormat *format : PixelFormat::all())
    for (const Layout layout : {Layout::buffer, Layout::image})
      if (format->model != PixelFormat::Model::rgb &&
          (layout == Layout::buffer || glcl::supports_images(bench.context->cl(), *format))) {
        work(*format, layout);
        formats++;
      }
  fail_unless(formats >= 5, "%d formats", formats);
}

/// Pictures of all planes, with the frame's values; rows of buffers have gaps.
inline Picture upload(Bench &bench, const PlanarFrame &frame, Layout layout) {
  return reference::upload(*bench.queue, frame, layout, layout == Layout::buffer ? 3 : 0);
}

inline PlanarFrame download(Bench &bench, const Picture &picture, const PixelFormat &format) {
  return reference::download(*bench.queue, picture, format);
}

/// Any values that the format can store, or those of soft colours that RGB can hold.
inline PlanarFrame random_planes(const PixelFormat &format, int width, int height, bool soft) {
  PlanarFrame frame(format, width, height);
  std::mt19937 random(width * 131 + height);
  for (PlanarFrame::Plane &plane : frame.planes)
    for (uint16_t &value : plane.values) {
      const int bits = format.bits == 16 ? 8 : format.bits, unit = 1 << (bits - 8);
      value = soft ? static_cast<uint16_t>((112 + random() % 32) * unit + random() % unit)
                   : static_cast<uint16_t>(random() % (256 * unit));
      value = static_cast<uint16_t>(value << format.padding);
    }
  return frame;
}

/// Checks that the planes hold the values of `values_at (plane, x, y)`, but for `tolerance` steps,
/// and nothing in unused bits.
template <class ValuesAt>
void check_values(const PlanarFrame &got, double tolerance, const std::string &what,
                  const ValuesAt &values_at) {
  const PixelFormat &format = *got.format;
  for (int i = 0; i < format.plane_count; i++) {
    const PlanarFrame::Plane &plane = got.planes[i];
    for (int y = 0; y < plane.height; y++)
      for (int x = 0; x < plane.width; x++) {
        const std::vector<double> values = values_at(i, x, y);
        for (size_t k = 0; k < values.size(); k++) {
          const int stored = format.bits == 16 ? plane.at(x, y, 0) + 256 * plane.at(x, y, 1)
                                               : plane.at(x, y, static_cast<int>(k));
          fail_unless(std::fabs((stored >> format.padding) - values[k]) <= tolerance &&
                          (stored & ((1 << format.padding) - 1)) == 0,
                      "%s: plane %d at (%d, %d)[%zu] %d, reference %.3f", what.c_str(), i, x, y, k,
                      stored >> format.padding, values[k]);
        }
      }
  }
}

/// Checks that the planes hold such colours, but for `tolerance` steps.
inline void check_planes(const PlanarFrame &got, const reference::Colours &expected,
                         const glcl::Colorimetry &colorimetry, double tolerance,
                         const std::string &what) {
  check_values(got, tolerance, what, [&](int plane, int x, int y) {
    return reference::values_at(expected, *got.format, colorimetry, plane, x, y);
  });
}
