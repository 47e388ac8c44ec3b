// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings over frames in planes against the reference in double precision.
#include "conversion/blender.h"

#include "kernels/planes.h"

using glcl::ChromaSite;
using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::Rect;
using glcl::conversion::Blender;

static const Colorimetry limited{0.2126, 0.0722, false}, full{0.299, 0.114, true};
static const std::pair<Colorimetry, ChromaSite> meanings[] = {{limited, {false, false}},
                                                              {full, {true, false}},
                                                              {full, {false, true}},
                                                              {limited, {true, true}}};

// Fixed point loses so much of a step, beside the half that rounding takes.
static double tolerance(const PixelFormat &format) { return format.bits == 16 ? 1.5 : 0.54; }

/// A drawing with parts of any opacity: B, G, R, A, premultiplied. Two of three pixels have none.
static Frame drawing_of(const Frame &colours, bool opaque) {
  Frame drawing(colours.width, colours.height);
  for (int y = 0; y < drawing.height; y++)
    for (int x = 0; x < drawing.width; x++) {
      const uint8_t *colour = colours.at(x, y);
      const int alpha = opaque ? 255 : (x / 3 + y / 2) % 3 ? 0 : colour[3];
      for (int i = 0; i < 3; i++)
        drawing.at(x, y)[i] = static_cast<uint8_t>(colour[2 - i] * alpha / 255);
      drawing.at(x, y)[3] = static_cast<uint8_t>(alpha);
    }
  return drawing;
}

/// The colours of such a drawing, R, G, B, A; none outside of an area.
static reference::Colours colours_of(const Frame &drawing, const Rect &covered) {
  Frame frame(drawing.width, drawing.height);
  for (int y = covered.y; y < covered.bottom(); y++)
    for (int x = covered.x; x < covered.right(); x++)
      for (int i = 0; i < 4; i++) frame.at(x, y)[i] = drawing.at(x, y)[i < 3 ? 2 - i : 3];
  return reference::Colours(frame);
}

/// The whole frame, an odd and an even part of it, and the last pixel.
static std::vector<Rect> areas_of(int width, int height) {
  const auto part = [&](int x, int y) {
    return Rect{std::min(x, width - 1), std::min(y, height - 1), std::max(width / 3, 1),
                std::max(height / 2, 1)};
  };
  return {{0, 0, width, height},
          part(width / 4 | 1, height / 3 | 1),
          part(width / 4 & ~1, height / 3 & ~1),
          {width - 1, height - 1, 1, 1}};
}

template <class Work>
static void for_all(Bench &bench, const Work &work) {
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    for (const auto &[colorimetry, site] : meanings) {
      FrameFormat access(layout, format, colorimetry);
      access.chroma_site = site;
      for (const auto &[width, height] :
           {std::pair(1, 1), {2, 1}, {1, 2}, {3, 2}, {33, 7}, {66, 48}})
        work(access, width, height,
             std::string(format.name) + (layout == Layout::image ? ", image " : ", buffer ") +
                 std::to_string(width) + "×" + std::to_string(height) +
                 (site.left ? ", left" : "") + (site.top ? ", top" : ""));
    }
  });
}

TEST(test_drawings_equal_the_reference) {
  Bench bench;
  for_all(bench, [&](const FrameFormat &access, int width, int height, const std::string &what) {
    Blender blender(*bench.context, width, height, access);
    const PixelFormat &format = *access.pixels;
    const PlanarFrame frame = random_planes(format, width, height, false);
    const Picture in = upload(bench, frame, access.layout);
    for (const Frame &colours :
         {reference::random_frame(width, height), reference::natural_frame(width, height)})
      for (const bool opaque : {false, true}) {
        const Frame drawing = drawing_of(colours, opaque);
        const Picture over = bench.upload(drawing, access.layout, 5);
        for (const Rect &covered : areas_of(width, height)) {
          const Picture out = upload(bench, PlanarFrame(format, width, height), access.layout);
          blender.run(*bench.queue, in, over, covered, out);
          const reference::Colours expected = colours_of(drawing, covered);
          check_values(download(bench, out, format), tolerance(format), what,
                       [&](int plane, int x, int y) {
                         return reference::blended_at(frame, expected, access.colorimetry, plane, x,
                                                      y, access.chroma_site);
                       });
        }
      }
  });
}

// An opaque drawing is what the conversion of its colours gives, and none changes nothing.
TEST(test_all_and_nothing) {
  Bench bench;
  for_all(bench, [&](const FrameFormat &access, int width, int height, const std::string &what) {
    Blender blender(*bench.context, width, height, access);
    const PixelFormat &format = *access.pixels;
    const PlanarFrame frame = random_planes(format, width, height, false);
    const Picture in = upload(bench, frame, access.layout),
                  out = upload(bench, PlanarFrame(format, width, height), access.layout);
    const Rect whole{0, 0, width, height};
    const Frame colours = reference::gradient_frame(width, height);
    blender.run(*bench.queue, in, bench.upload(drawing_of(colours, true), access.layout), whole,
                out);
    check_values(download(bench, out, format), tolerance(format), what,
                 [&](int plane, int x, int y) {
                   return reference::values_at(reference::Colours(colours), format,
                                               access.colorimetry, plane, x, y, access.chroma_site);
                 });
    blender.run(*bench.queue, in, bench.upload(Frame(width, height), access.layout), whole, out);
    const PlanarFrame same = download(bench, out, format);
    for (int i = 0; i < format.plane_count; i++)
      fail_unless(same.planes[i].values == frame.planes[i].values, "%s: plane %d changes",
                  what.c_str(), i);
  });
}
