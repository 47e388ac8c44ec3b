// SPDX-License-Identifier: LGPL-2.1-or-later
// The conversion of frames to RGBA and back against the reference in double precision.
#include "conversion/converter.h"

#include "kernels/planes.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::conversion::Converter;

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
    Converter converter(*bench.context, width, height, FrameFormat(layout, format, colorimetry));
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

/// A frame none of whose pixels is like that one's.
static PlanarFrame other_planes(const Frame &frame, const PixelFormat &format) {
  PlanarFrame other(format, frame.width, frame.height);
  PlanarFrame::Plane &first = other.planes[0];
  for (size_t i = 0; i < first.values.size(); i++)
    first.values[i] = frame.rgba[4 * (i / first.channels)] < 128 ? 0xff : 0;
  return other;
}

TEST(test_from_rgba_equals_the_reference) {
  Bench bench;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    const std::string what = name_of(format, colorimetry, width, height, layout);
    Converter converter(*bench.context, width, height, FrameFormat(layout, format, colorimetry));
    for (const Frame &frame :
         {reference::random_frame(width, height), reference::natural_frame(width, height)}) {
      const Picture in = upload(bench, other_planes(frame, format), layout),
                    out = upload(bench, PlanarFrame(format, width, height), layout);
      converter.to_rgba(*bench.queue, in);
      glcl::copy_picture(*bench.queue, bench.upload(frame, layout), converter.rgba_out());
      converter.from_rgba(*bench.queue, in, out);
      // Of 16 bits, 14 after the point of a level's 257 steps.
      check_planes(download(bench, out, format), reference::Colours(frame), colorimetry,
                   format.bits == 16 ? 1.5 : tolerance(format), what);
    }
  });
}

// With kept chroma, luma is as without; chroma is that of the input, but for samples of a column.
// Even in that column, pixels that do not change keep theirs.
TEST(test_kept_chroma) {
  Bench bench;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    if (!format.has_luma()) return;
    const std::string what = name_of(format, colorimetry, width, height, layout);
    Converter converter(*bench.context, width, height, FrameFormat(layout, format, colorimetry));
    const Frame frame = reference::random_frame(width, height);
    const PlanarFrame before = other_planes(frame, format);
    const Picture in = upload(bench, before, layout);
    const auto result = [&](std::optional<int> keeps_chroma, bool changes = true) {
      const Picture out = upload(bench, PlanarFrame(format, width, height), layout);
      const Picture &same = converter.to_rgba(*bench.queue, in);
      glcl::copy_picture(*bench.queue, changes ? bench.upload(frame, layout) : same,
                         converter.rgba_out());
      converter.from_rgba(*bench.queue, in, out, keeps_chroma);
      return download(bench, out, format);
    };
    const PlanarFrame usual = result({});
    for (const int column : {-1, width / 2}) {
      const PlanarFrame kept = result(column), unchanged = result(column, false);
      for (int i = 1; i < format.plane_count; i++)
        fail_unless(unchanged.planes[i].values == before.planes[i].values, "%s: plane %d",
                    what.c_str(), i);
      fail_unless(kept.planes[0].values == usual.planes[0].values, "%s: luma", what.c_str());
      for (int i = 1; i < format.plane_count; i++) {
        const PlanarFrame::Plane &plane = kept.planes[i];
        for (size_t k = 0; k < plane.values.size(); k++) {
          const int x = static_cast<int>(k) % (plane.width * plane.channels) / plane.channels;
          const bool usual_here = column >= 0 && x == column >> format.chroma_shift;
          fail_unless(plane.values[k] == (usual_here ? usual : before).planes[i].values[k],
                      "%s: plane %d, sample %zu, column %d", what.c_str(), i, k, column);
        }
      }
    }
  });
}

/// `out` with the pixel (x, y) of `in` in another colour.
static void draw_pixel(Bench &bench, Converter &converter, const Picture &in, const Picture &out,
                       int x, int y) {
  Frame frame = bench.download(converter.to_rgba(*bench.queue, in));
  for (int i = 0; i < 3; i++) frame.at(x, y)[i] ^= 0x80;
  glcl::copy_picture(*bench.queue, bench.upload(frame, in.layout), converter.rgba_out());
  converter.from_rgba(*bench.queue, in, out);
}

// A drawing changes the pixels that it covers, and the chroma that they share. All others keep
// their values, whatever rounding they would get.
TEST(test_unchanged_pixels_keep_their_values) {
  Bench bench;
  int frames = 0;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    if (format.channels[0]) return;  // no rounding, and X is no value
    const std::string what = name_of(format, colorimetry, width, height, layout);
    const PlanarFrame frame = random_planes(format, width, height, false);
    Converter converter(*bench.context, width, height, FrameFormat(layout, format, colorimetry));
    const Picture in = upload(bench, frame, layout),
                  out = upload(bench, PlanarFrame(format, width, height), layout);
    const int x = width / 2, y = height / 2;
    draw_pixel(bench, converter, in, out, x, y);
    const PlanarFrame got = download(bench, out, format);
    for (int i = 0; i < format.plane_count; i++) {
      const int shift = i ? format.chroma_shift : 0, channels = got.planes[i].channels;
      for (size_t k = 0; k < got.planes[i].values.size(); k++) {
        const int at = static_cast<int>(k) / channels, wide = got.planes[i].width;
        const bool drawn = at % wide == x >> shift && at / wide == y >> shift;
        fail_unless(drawn || got.planes[i].values[k] == frame.planes[i].values[k],
                    "%s: plane %d changed at %d", what.c_str(), i, at);
      }
    }
    fail_unless(got.planes[0].values != frame.planes[0].values, "%s: nothing is drawn",
                what.c_str());
    frames++;
  });
  fail_unless(frames > 0);
}

/// Runs work on all formats of more than 8 bits, with a converter to 16 bits per channel.
template <class Work>
static void for_deep(Bench &bench, const Work &work) {
  int formats = 0;
  for_all(bench, [&](const PixelFormat &format, const Colorimetry &colorimetry, int width,
                     int height, Layout layout) {
    if (format.bits == 8) return;
    Converter converter(*bench.context, width, height, FrameFormat(layout, format, colorimetry),
                        PixelFormat::rgba64);
    work(converter, format, colorimetry, layout, width, height,
         name_of(format, colorimetry, width, height, layout));
    formats++;
  });
  fail_unless(formats > 0);
}

TEST(test_deep_equals_the_reference) {
  Bench bench;
  for_deep(bench,
           [&](Converter &converter, const PixelFormat &format, const Colorimetry &colorimetry,
               Layout layout, int width, int height, const std::string &what) {
             const PlanarFrame frame = random_planes(format, width, height, false);
             const Picture in = upload(bench, frame, layout),
                           out = upload(bench, PlanarFrame(format, width, height), layout);
             const PlanarFrame got =
                 download(bench, converter.to_rgba(*bench.queue, in), PixelFormat::rgba64);
             for (int y = 0; y < height; y++)
               for (int x = 0; x < width; x++) {
                 const auto expected = reference::levels_at(frame, colorimetry, x, y);
                 for (int i = 0; i < 4; i++)
                   fail_unless(std::fabs(got.planes[0].at(x, y, i) - 257 * expected[i]) <= 1,
                               "%s: at (%d, %d)[%d] %d, reference %.3f", what.c_str(), x, y, i,
                               got.planes[0].at(x, y, i), 257 * expected[i]);
               }

             PlanarFrame codes(PixelFormat::rgba64, width, height);
             reference::Colours colours{Frame(width, height)};
             std::mt19937 random(width);
             for (size_t i = 0; i < codes.planes[0].values.size(); i++) {
               codes.planes[0].values[i] = static_cast<uint16_t>(random());
               colours.pixels[i / 4][i % 4] = codes.planes[0].values[i] / 257.0;
             }
             glcl::copy_picture(*bench.queue, upload(bench, codes, layout), converter.rgba_out());
             converter.from_rgba(*bench.queue, in, out);
             check_planes(download(bench, out, format), colours, colorimetry, 0.52, what);
           });
}

// Values that RGB can show come back, also where a pixel counts as changed because its alpha is.
TEST(test_deep_loses_no_bit) {
  Bench bench;
  for_deep(bench, [&](Converter &converter, const PixelFormat &format,
                      const Colorimetry &colorimetry, Layout layout, int width, int height,
                      const std::string &what) {
    (void)colorimetry;
    const PlanarFrame frame = random_planes(format, width, height, true);
    const Picture in = upload(bench, frame, layout),
                  out = upload(bench, PlanarFrame(format, width, height), layout);
    PlanarFrame codes = download(bench, converter.to_rgba(*bench.queue, in), PixelFormat::rgba64);
    for (size_t i = 3; i < codes.planes[0].values.size(); i += 4) codes.planes[0].values[i] = 0;
    glcl::copy_picture(*bench.queue, upload(bench, codes, layout), converter.rgba_out());
    converter.from_rgba(*bench.queue, in, out);
    const PlanarFrame got = download(bench, out, format);
    for (int i = 0; i < format.plane_count; i++)
      fail_unless(got.planes[i].values == frame.planes[i].values, "%s: plane %d", what.c_str(), i);
  });
}
