// SPDX-License-Identifier: LGPL-2.1-or-later
// The conversion of frames to RGBA and back against the reference in double precision.
#include "reference/conversion/conversion.h"

#include <random>

#include "conversion/converter.h"
#include "kernels/engine.h"
#include "opencl/transfer.h"

using glcl::Colorimetry;
using glcl::PixelFormat;
using glcl::conversion::Converter;
using reference::PlanarFrame;

// Fixed point loses so much of a level or of a step, beside the half that rounding takes.
static double tolerance(const PixelFormat &format) { return format.bits == 16 ? 0.6 : 0.54; }

static const Colorimetry colorimetries[] = {
    {0.299, 0.114, false}, {0.2126, 0.0722, false}, {0.2126, 0.0722, true}, {0.2627, 0.0593, true}};
static const std::pair<int, int> sizes[] = {{1, 1}, {2, 1}, {1, 2}, {33, 7}, {64, 48}};

static std::string name_of(const PixelFormat &format, const Colorimetry &colorimetry, int width,
                           int height, Layout layout) {
  return std::string(format.name) + " " + std::to_string(width) + "×" + std::to_string(height) +
         (colorimetry.full_range ? ", full range, Kr " : ", limited range, Kr ") +
         std::to_string(colorimetry.kr) + (layout == Layout::image ? ", images" : ", buffers");
}

/// The bytes of a plane in rows without gaps, and back.
static std::vector<uint8_t> bytes_of(const PlanarFrame::Plane &plane,
                                     const glcl::PlaneFormat &format) {
  const int wide = format.type == CL_UNORM_INT16 ? 2 : 1;
  std::vector<uint8_t> bytes(plane.values.size() * wide);
  for (size_t i = 0; i < plane.values.size(); i++) {
    bytes[i * wide] = static_cast<uint8_t>(plane.values[i] & 255);
    if (wide == 2) bytes[i * 2 + 1] = static_cast<uint8_t>(plane.values[i] >> 8);
  }
  return bytes;
}

static Picture make_plane(Bench &bench, const PlanarFrame &frame, int plane, Layout layout,
                          int padding) {
  Picture picture =
      glcl::make_picture(bench.context->cl(), frame.planes[plane].width + padding,
                         frame.planes[plane].height, layout, *frame.format->planes[plane]);
  picture.width -= padding;
  return picture;
}

/// Pictures of all planes, with the frame's values; rows of buffers have gaps.
static Picture upload(Bench &bench, const PlanarFrame &frame, Layout layout) {
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

static PlanarFrame download(Bench &bench, const Picture &picture, const PixelFormat &format) {
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
static PlanarFrame random_planes(const PixelFormat &format, int width, int height, bool soft) {
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

template <class Work>
static void for_all(Bench &bench, const Work &work) {
  for (const PixelFormat *format : PixelFormat::all())
    for (const Colorimetry &colorimetry : colorimetries)
      for (const auto &[width, height] : sizes)
        for (const Layout layout : {Layout::image, Layout::buffer})
          if (!format->is_rgba() &&
              (layout == Layout::buffer || glcl::supports_images(bench.context->cl(), *format)))
            work(*format, colorimetry, width, height, layout);
}

TEST(test_to_rgba_equals_the_reference) {
  Bench bench;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    const std::string what = name_of(format, colorimetry, width, height, layout);
    const PlanarFrame frame = random_planes(format, width, height, false);
    Converter converter(*bench.context, width, height, layout, format, colorimetry);
    const Frame got = bench.download(converter.to_rgba(*bench.queue, upload(bench, frame, layout)));
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const auto expected = reference::levels_at(frame, colorimetry, x, y);
        for (int i = 0; i < 4; i++)
          fail_unless(std::fabs(got.at(x, y)[i] - expected[i]) <= tolerance(format),
                      "%s: at (%d, %d)[%d] %d, reference %.3f", what.c_str(), x, y, i,
                      got.at(x, y)[i], expected[i]);
      }
  });
}

TEST(test_from_rgba_equals_the_reference) {
  Bench bench;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    const std::string what = name_of(format, colorimetry, width, height, layout);
    Converter converter(*bench.context, width, height, layout, format, colorimetry);
    for (const Frame &frame :
         {reference::random_frame(width, height), reference::natural_frame(width, height)}) {
      glcl::copy_picture(*bench.queue, bench.upload(frame, layout), converter.rgba_out());
      const Picture out = upload(bench, PlanarFrame(format, width, height), layout);
      converter.from_rgba(*bench.queue, out);
      const PlanarFrame got = download(bench, out, format);
      for (int i = 0; i < format.plane_count; i++)
        for (int y = 0; y < got.planes[i].height; y++)
          for (int x = 0; x < got.planes[i].width; x++) {
            const std::vector<double> expected =
                reference::values_at(frame, format, colorimetry, i, x, y);
            for (size_t k = 0; k < expected.size(); k++) {
              const PlanarFrame::Plane &plane = got.planes[i];
              const int stored = format.bits == 16 ? plane.at(x, y, 0) + 256 * plane.at(x, y, 1)
                                                   : plane.at(x, y, static_cast<int>(k));
              // Of 16 bits, 14 after the point of a level's 257 steps.
              const double allowed = format.bits == 16 ? 1.5 : tolerance(format);
              fail_unless(std::fabs((stored >> format.padding) - expected[k]) <= allowed &&
                              (stored & ((1 << format.padding) - 1)) == 0,
                          "%s: plane %d at (%d, %d)[%zu] %d, reference %.3f", what.c_str(), i, x, y,
                          k, stored, expected[k]);
            }
          }
    }
  });
}

// Limited range has fewer values than RGB, so that rounding in between loses nothing.
TEST(test_unchanged_frames_stay) {
  Bench bench;
  int frames = 0;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    const bool opaque = format.channels[0] && format.channels[3] == 'x';
    if (format.bits > 8 || opaque ||
        (format.model != PixelFormat::Model::rgb && colorimetry.full_range))
      return;
    const PlanarFrame frame = random_planes(format, width, height, true);
    Converter converter(*bench.context, width, height, layout, format, colorimetry);
    const Picture in = upload(bench, frame, layout),
                  out = upload(bench, PlanarFrame(format, width, height), layout);
    glcl::copy_picture(*bench.queue, converter.to_rgba(*bench.queue, in), converter.rgba_out());
    converter.from_rgba(*bench.queue, out);
    const PlanarFrame got = download(bench, out, format);
    for (int i = 0; i < format.plane_count; i++)
      fail_unless(got.planes[i].values == frame.planes[i].values, "%s: plane %d changed",
                  name_of(format, colorimetry, width, height, layout).c_str(), i);
    frames++;
  });
  fail_unless(frames > 0);
}
