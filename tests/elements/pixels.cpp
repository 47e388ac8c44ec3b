// SPDX-License-Identifier: LGPL-2.1-or-later
// Every pixel of every frame: all sizes, changing frames, between GL and gst-glcl elements, after a
// tee.
#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

/// Pushes this many frames of noise, each different, and compares the output with `expected`.
void check_noise(Chain &chain, int width, int height, int frames,
                 const std::function<Frame(const Frame &)> &expected, const std::string &what) {
  for (int i = 0; i < frames; i++) {
    const Frame in = reference::random_frame(width, height, 1000 + i);
    expect_same(expected(in), chain.filter(in), what + ", frame " + std::to_string(i));
  }
}

Frame same(const Frame &frame) { return frame; }

}  // namespace

TEST(every_size) {
  const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {17, 13}, {33, 7}, {641, 479}, {640, 480}};
  Chain chain("glclinvert");
  for (const auto &size : sizes)
    check_noise(chain, size[0], size[1], 3, inverted,
                std::to_string(size[0]) + "×" + std::to_string(size[1]));
}

TEST(widest_frame) {
  Chain chain("glclinvert");
  check_noise(chain, 16384, 2, 2, inverted, "16384×2");
}

TEST(strength_zero_copies) {
  Chain chain("glclinvert strength=0");
  check_noise(chain, 61, 47, 3, same, "strength=0");
}

// Noise with OpenGL drawing before and after the element. If OpenCL reads a frame before OpenGL has
// drawn it, or the reverse, an earlier frame would be visible.
TEST(order_with_opengl) {
  Chain chain("gleffects_identity ! glclinvert ! gleffects_identity");
  check_noise(chain, 640, 480, 120, inverted, "between two GL effects");
}

TEST(order_among_several) {
  Chain chain(
      "glcolorscale ! gleffects_identity ! glclinvert ! glclinvert ! gleffects_identity ! "
      "glclinvert ! queue ! gleffects_identity");
  check_noise(chain, 320, 240, 100, inverted, "three of ours with GL effects and a queue");
}

// Frames queued between the threads: many are in flight at a time.
TEST(frames_in_flight) {
  Chain chain("gleffects_identity ! queue ! glclinvert ! queue ! glclinvert strength=0 ! queue");
  constexpr int count = 100;
  for (int i = 0; i < count; i++)
    expect(chain.push(reference::random_frame(160, 120, i)) == GST_FLOW_OK, "push failed");
  for (int i = 0; i < count; i++)
    expect_same(inverted(reference::random_frame(160, 120, i)), chain.pull(),
                "frame " + std::to_string(i));
}

// All sharing methods of a device produce the same pixels.
TEST(methods_agree) {
  Chain direct("glclinvert ! gleffects_identity ! glclbilateral radius=2");
  Chain copied(
      "glclinvert sharing=copy ! gleffects_identity ! glclbilateral radius=2 sharing=copy");
  for (int i = 0; i < 40; i++) {
    const Frame in = reference::random_frame(120, 90, i);
    expect_same(copied.filter(in), direct.filter(in), "frame " + std::to_string(i));
  }
  for (const char *name : {"glclinvert", "glclbilateral"}) {
    expect(test::stat_text(direct[name], "sharing") == test::expected_method(),
           "the method in use");
    expect(test::stat_text(copied[name], "sharing") == "copy", "the requested method");
    expect(test::stat_text(copied[name], "device") == test::stat_text(direct[name], "device"),
           "both ran on one device");
  }
}

// After a tee, glupload makes a texture per frame and the driver reuses its id at once: an image
// cached by id would show the first frame forever.
TEST(tee_before_upload) {
  Pipeline pipeline(
      "videotestsrc pattern=snow num-buffers=40 ! video/x-raw,format=RGBA,width=160,height=120 ! "
      "tee name=t ! queue ! glupload ! glcolorconvert ! glclinvert ! gldownload ! "
      "video/x-raw,format=RGBA ! fakesink name=out  t. ! queue ! fakesink name=in");
  const auto &out = pipeline.collect("out"), &in = pipeline.collect("in");
  expect(pipeline.run(), "the pipeline failed");
  expect(in.size() == 40 && out.size() == 40, "all frames arrive");
  expect(in[0].rgba != in[1].rgba, "frames differ");
  for (size_t i = 0; i < in.size(); i++)
    expect_same(inverted(in[i]), out[i], "frame " + std::to_string(i));
}

TEST(tee_after_upload) {
  Pipeline pipeline(
      "videotestsrc pattern=snow num-buffers=40 ! video/x-raw,format=RGBA,width=160,height=120 ! "
      "glupload ! glcolorconvert ! tee name=t ! queue ! glclinvert ! gldownload ! "
      "video/x-raw,format=RGBA ! fakesink name=out  "
      "t. ! queue ! gldownload ! video/x-raw,format=RGBA ! fakesink name=in");
  const auto &out = pipeline.collect("out"), &in = pipeline.collect("in");
  expect(pipeline.run(), "the pipeline failed");
  expect(in.size() == 40 && out.size() == 40, "all frames arrive");
  for (size_t i = 0; i < in.size(); i++)
    expect_same(inverted(in[i]), out[i], "frame " + std::to_string(i));
}

TEST(opengl_source) {
  Pipeline pipeline(
      "gltestsrc num-buffers=20 ! video/x-raw(memory:GLMemory),width=160,height=120 ! tee name=t ! "
      "queue ! glclinvert ! glclinvert ! gldownload ! video/x-raw,format=RGBA ! fakesink name=out  "
      "t. ! queue ! gldownload ! video/x-raw,format=RGBA ! fakesink name=in");
  const auto &out = pipeline.collect("out"), &in = pipeline.collect("in");
  expect(pipeline.run(), "the pipeline failed");
  expect(in.size() == 20 && out.size() == 20, "all frames arrive");
  for (size_t i = 0; i < in.size(); i++) expect_same(in[i], out[i], "frame " + std::to_string(i));
}
