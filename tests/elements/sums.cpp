// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element, method and display gives the same pixels on shared textures as on copied frames.
// Each element's own program says which pixels are right.
#include "pipeline.h"

using test::Chain;
using test::Frame;

namespace {

/// Frames in which everything moves, in colour where the width is even.
std::vector<Frame> moving_frames(int width, int height) {
  const Frame whole = reference::natural_frame(width + 16, height + 8);
  std::vector<Frame> frames;
  for (int i = 0; i < 4; i++) frames.push_back(reference::crop(whole, 3 * i, 2 * i, width, height));
  return frames;
}

void expect_same_pixels(const std::string &element) {
  Chain shared(element + " name=tried sharing=gl"), copied(element + " sharing=copy");
  for (const auto &[width, height] : {std::pair(65, 47), std::pair(96, 64)})
    for (const Frame &frame : moving_frames(width, height))
      test::expect_same(copied.filter(frame), shared.filter(frame),
                        element + " on " + std::to_string(width) + "×" + std::to_string(height));
  test::expect_none(shared.messages().errors());
  test::expect_none(copied.messages().errors());
  test::expect(test::stat_text(shared["tried"], "sharing") == "gl", element + " shares textures");
}

}  // namespace

TEST(filters) {
  expect_same_pixels("glclinvert");
  for (const char *weight : {"intensity", "color", "per-channel"})
    expect_same_pixels(std::string("glclbilateral method=brute-force radius=3 weight=") + weight);
  for (const char *weight : {"intensity", "per-channel"})
    expect_same_pixels(std::string("glclbilateral method=grid sigma-space=8 split=0.3 weight=") +
                       weight);
  for (const char *filters : {"gauss(sigma=2) ! grey", "saturation ! gamma ! invert",
                              "median ! sobel ! threshold", "unsharp ! motionblur ! lut", "box*3"})
    expect_same_pixels(std::string("glclchain filters=\"") + filters + "\"");
}

TEST(histograms) {
  for (const char *mode : {"luma", "rgb", "color-8", "color-16"})
    expect_same_pixels(std::string("glclhistogram display=overlay mode=") + mode);
  for (const char *display : {"parade", "stack"})
    expect_same_pixels(std::string("glclhistogram mode=rgb display=") + display);
  for (const char *equalize : {"luma", "rgb"})
    expect_same_pixels(std::string("glclhistogram bins=64 roi=<8,8,40,30> equalize=") + equalize);
}

TEST(scopes) {
  for (const char *mode : {"luma", "rgb", "ycbcr"})
    expect_same_pixels(std::string("glclscope display=waveform+parade+vectorscope mode=") + mode);
  expect_same_pixels("glclscope display=waveform+vectorscope layout=replace roi=<8,8,40,30>");
  expect_same_pixels("glclscope display=zebra zebra-low=30 zebra-high=60");
  expect_same_pixels("glclscope display=false-color+peaking+gamut");
}

TEST(motion) {
  for (const char *search : {"full", "hierarchical", "hexagon"})
    expect_same_pixels(std::string("glclmotion display=vectors search=") + search);
  for (const char *display : {"none", "prediction", "residual"})
    expect_same_pixels(std::string("glclmotion subpel=quarter partitions=true display=") + display);
  expect_same_pixels("glclmotion detect=true display=objects");
}

TEST(flow) {
  for (const char *method : {"lucas-kanade", "pyramidal", "census"})
    expect_same_pixels(std::string("glopenclflow display=color check-backward=true method=") +
                       method);
  for (const char *display : {"none", "overlay", "arrows"})
    expect_same_pixels(std::string("glopenclflow legend=true display=") + display);
}

TEST(points) {
  for (const char *display : {"points", "tracks"})
    expect_same_pixels(std::string("glclklt features=200 display=") + display);
  expect_same_pixels("glclklt stabilize=true");
}

TEST(shapes) {
  for (const char *hysteresis : {"false", "true"})
    expect_same_pixels(std::string("glclhough display=edges hysteresis=") + hysteresis);
}
