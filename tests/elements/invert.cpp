// SPDX-License-Identifier: LGPL-2.1-or-later
// glclinvert in pipelines: pixels, and the property, also while playing.
#include "reference/invert/invert.h"
#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_near;
using test::Frame;

TEST(every_size) {
  Chain chain("glclinvert");
  for (const auto &[width, height] : {std::pair{1, 1}, {17, 13}, {320, 240}}) {
    const Frame in = reference::random_frame(width, height);
    expect_near(reference::invert(in, 1), chain.filter(in), 1, "inverted");
  }
}

TEST(strength_while_playing) {
  Chain chain("glclinvert");
  const Frame in = reference::natural_frame(61, 47);
  for (const double strength : {1.0, 0.0, 0.4}) {
    g_object_set(chain["glclinvert"], "strength", strength, nullptr);
    expect_near(reference::invert(in, strength), chain.filter(in), 1,
                "strength " + std::to_string(strength));
  }
}

TEST(stop_and_start) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=5 ! glupload ! glcolorconvert ! glclinvert ! fakesink");
  for (int i = 0; i < 3; i++) {
    expect(pipeline.run(), "the pipeline failed");
    expect(pipeline.reach(GST_STATE_NULL), "it can't be stopped");
  }
  test::expect_none(pipeline.messages().errors());
}
