// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of glclinvert against its scalar reference.
#include "reference/invert/invert.h"

#include "kernels/planes.h"

static void run(Bench &bench, const glcl::FrameFormat &frame, Size group, const Picture &in,
                const Picture &out, float strength) {
  glcl::Kernel kernel(*bench.context,
                      bench.context->program("invert/invert.cl", glcl::frame_options(frame)),
                      "invert", group);
  kernel(*bench.queue, glcl::block_items(in), in, out, in.width, in.height, strength);
}

TEST(test_equals_the_reference) {
  Bench bench;
  Agreement agreement;
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {33, 7}, {161, 121}})
    for (const Frame &frame :
         {reference::random_frame(width, height), reference::flat_frame(width, height),
          reference::gradient_frame(width, height), reference::natural_frame(width, height)})
      for (const Layout layout : {Layout::image, Layout::buffer})
        for (const Size group : {Size{1, 1}, Size{16, 16}, Size{64, 2}})
          for (const float strength : {0.0f, 0.25f, 1.0f}) {
            const Picture in = bench.upload(frame, layout, 3),
                          out = bench.upload(Frame(width, height), layout, 5);
            run(bench, layout, group, in, out, strength);
            agreement.check(bench.download(out), reference::invert(frame, strength),
                            std::to_string(width) + "×" + std::to_string(height) + ", strength " +
                                std::to_string(strength));
          }
}

// With all bits. Any values, also of colours that RGB can't show.
TEST(test_equals_the_reference_in_planes) {
  Bench bench;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    for (const glcl::Colorimetry &colorimetry :
         {glcl::Colorimetry{}, {0.2126, 0.0722, false}, {0.2627, 0.0593, true}})
      for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {1, 2}, {33, 7}, {64, 48}})
        for (const float strength : {0.0f, 0.25f, 1.0f}) {
          const PlanarFrame frame = random_planes(format, width, height, false);
          const Picture in = upload(bench, frame, layout),
                        out = upload(bench, PlanarFrame(format, width, height), layout);
          run(bench, {layout, format, colorimetry}, {16, 16}, in, out, strength);
          const PlanarFrame got = download(bench, out, format);
          const std::string what = std::string(format.name) + " " + std::to_string(width) + "×" +
                                   std::to_string(height) + ", strength " +
                                   std::to_string(strength);
          const reference::Colours colours(frame, colorimetry);
          check_planes(got, reference::invert(colours, strength), colorimetry, 0.502, what);
          for (size_t i = 0; strength == 0 && i < got.planes.size(); i++)
            fail_unless(got.planes[i].values == frame.planes[i].values, "%s: plane %zu changes",
                        what.c_str(), i);
        }
  });
}
