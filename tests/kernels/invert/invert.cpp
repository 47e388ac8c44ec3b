// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of glclinvert against its scalar reference.
#include "reference/invert/invert.h"

#include "kernels/engine.h"
#include "opencl/kernel.h"

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
            glcl::Kernel kernel(
                *bench.context,
                bench.context->program("invert/invert.cl", glcl::frame_options(layout)), "invert",
                group);
            const Picture in = bench.upload(frame, layout, 3),
                          out = bench.upload(Frame(width, height), layout, 5);
            kernel(*bench.queue, {size_t(width), size_t(height)}, in, out, width, height, strength);
            agreement.check(bench.download(out), reference::invert(frame, strength),
                            std::to_string(width) + "×" + std::to_string(height) + ", strength " +
                                std::to_string(strength));
          }
}
