// SPDX-License-Identifier: LGPL-2.1-or-later
// Every step of the bilateral filter against the same computation on the host.
#include "steps.h"
#include "tests/kernels/engine.h"

using Steps = glcl::research::BilateralSteps;

TEST_EACH(test_steps, Steps::equation, Steps::last + 1) {
  Bench bench;
  const auto step = static_cast<Steps::Step>(__i__);
  Steps engine(*bench.context, step);
  for (const auto &[width, height] : {std::pair{97, 53}, {64, 64}, {1, 1}, {3, 70}})
    for (const Frame &frame :
         {reference::random_frame(width, height), reference::flat_frame(width, height),
          reference::gradient_frame(width, height), reference::natural_frame(width, height)}) {
      const Picture in = bench.upload(frame, Layout::image),
                    out = bench.upload(Frame(width, height), Layout::image);
      engine.run(*bench.queue, in, out);
      fail_unless(
          glcl::research::within_a_level(bench.download(out), Steps::reference(frame, step)),
          "step %d, %d×%d", step, width, height);
    }
}
