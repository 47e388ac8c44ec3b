// SPDX-License-Identifier: LGPL-2.1-or-later
// Equalised planes against the reference in double precision.
#include "histogram/equalizer.h"

#include "kernels/planes.h"
#include "reference/histogram/present.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::histogram::Equalizer;

static const Colorimetry limited{0.2126, 0.0722, false}, full{0.299, 0.114, true};

/// Counts of three channels: tables with slopes up to 1.6.
static std::vector<cl_uint> some_counts() {
  std::vector<cl_uint> counts;
  for (int i = 0; i < 3 * 256; i++)
    counts.push_back(static_cast<cl_uint>(1000 + 600 * std::sin(0.05 * i)));
  return counts;
}

template <class Work>
static void for_all(Bench &bench, const Work &work) {
  std::vector<cl_uint> counts = some_counts();
  const cl::Buffer counted(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                           counts.size() * sizeof(cl_uint), counts.data());
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    for (const Colorimetry &colorimetry : {limited, full})
      for (const auto &[width, height] : {std::pair(1, 1), {33, 7}, {66, 48}}) {
        Equalizer equalizer(*bench.context, FrameFormat(layout, format, colorimetry));
        const PlanarFrame frame = random_planes(format, width, height, false);
        const Picture in = upload(bench, frame, layout),
                      out = upload(bench, PlanarFrame(format, width, height), layout);
        work(equalizer, frame, in, out, colorimetry, counts, counted);
      }
  });
}

TEST(test_luma_equals_the_reference) {
  Bench bench;
  for_all(bench, [&](Equalizer &equalizer, const PlanarFrame &frame, const Picture &in,
                     const Picture &out, const Colorimetry &colorimetry,
                     const std::vector<cl_uint> &counts, const cl::Buffer &counted) {
    const PixelFormat &format = *frame.format;
    equalizer.run_luma(*bench.queue, counted, in, out);
    const PlanarFrame got = download(bench, out, format);
    reference::Colours grey(Frame(frame.width, frame.height));
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        grey.at(x, y).fill(reference::equalized_level(
            reference::luma_level_at(frame, colorimetry, x, y), counts.data(), format.bits > 8));
    check_values(got, format.bits == 16 ? 0.6 : 0.51, format.name, [&](int plane, int x, int y) {
      return plane ? std::vector<double>()
                   : reference::values_at(grey, format, colorimetry, plane, x, y);
    });
    for (int i = 1; i < format.plane_count; i++)
      fail_unless(got.planes[i].values == frame.planes[i].values, "%s: chroma remains",
                  format.name);
  });
}

TEST(test_rgb_equals_the_reference) {
  Bench bench;
  for_all(bench, [&](Equalizer &equalizer, const PlanarFrame &frame, const Picture &in,
                     const Picture &out, const Colorimetry &colorimetry,
                     const std::vector<cl_uint> &counts, const cl::Buffer &counted) {
    const PixelFormat &format = *frame.format;
    equalizer.run_rgb(*bench.queue, counted, in, out);
    reference::Colours colours(frame, colorimetry);
    for (auto &pixel : colours.pixels)
      for (int i = 0; i < 3; i++)
        pixel[i] = reference::equalized_level(pixel[i], &counts[256 * i], format.bits > 8);
    // A level between two of 8 bits may be rounded either way.
    check_planes(download(bench, out, format), colours, colorimetry, format.bits == 8 ? 1.7 : 0.6,
                 format.name);
  });
}
