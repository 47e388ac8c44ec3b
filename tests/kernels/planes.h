// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in other formats than RGBA, for tests of kernels.
#pragma once

#include <random>

#include "kernels/engine.h"
#include "opencl/transfer.h"
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

/// The bytes of a plane in rows without gaps, and back.
inline std::vector<uint8_t> bytes_of(const PlanarFrame::Plane &plane,
                                     const glcl::PlaneFormat &format) {
  const int wide = format.type == CL_UNORM_INT16 ? 2 : 1;
  std::vector<uint8_t> bytes(plane.values.size() * wide);
  for (size_t i = 0; i < plane.values.size(); i++) {
    bytes[i * wide] = static_cast<uint8_t>(plane.values[i] & 255);
    if (wide == 2) bytes[i * 2 + 1] = static_cast<uint8_t>(plane.values[i] >> 8);
  }
  return bytes;
}

inline Picture make_plane(Bench &bench, const PlanarFrame &frame, int plane, Layout layout,
                          int padding) {
  Picture picture =
      glcl::make_picture(bench.context->cl(), frame.planes[plane].width + padding,
                         frame.planes[plane].height, layout, *frame.format->planes[plane]);
  picture.width -= padding;
  return picture;
}

/// Pictures of all planes, with the frame's values; rows of buffers have gaps.
inline Picture upload(Bench &bench, const PlanarFrame &frame, Layout layout) {
  Picture first;
  for (int i = 0; i < frame.format->plane_count; i++) {
    const Picture plane = make_plane(bench, frame, i, layout, layout == Layout::buffer ? 3 + i : 0);
    const std::vector<uint8_t> bytes = bytes_of(frame.planes[i], *frame.format->planes[i]);
    glcl::write_picture(bench.queue->cl(), plane, bytes.data(), bytes.size() / plane.height,
                        CL_TRUE);
    if (i == 0)
      first = plane;
    else
      first.chroma.push_back(plane);
  }
  return first;
}

inline PlanarFrame download(Bench &bench, const Picture &picture, const PixelFormat &format) {
  PlanarFrame frame(format, picture.width, picture.height);
  for (int i = 0; i < format.plane_count; i++) {
    const Picture &plane = i ? picture.chroma[i - 1] : picture;
    std::vector<uint8_t> bytes = bytes_of(frame.planes[i], *format.planes[i]);
    glcl::read_picture(bench.queue->cl(), plane, bytes.data(), bytes.size() / plane.height,
                       CL_TRUE);
    const size_t wide = bytes.size() / frame.planes[i].values.size();
    for (size_t k = 0; k < frame.planes[i].values.size(); k++)
      frame.planes[i].values[k] = wide == 2 ? bytes[2 * k] + 256 * bytes[2 * k + 1] : bytes[k];
  }
  return frame;
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
