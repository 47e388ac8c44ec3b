// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element, method and display gives the same pixels on shared textures as on copied frames,
// and on the device of GLCL_DEVICE_PROFILE as on PoCL's. Each element's own program says which
// pixels are right.
#include <glib.h>

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

/// An element with the properties of its kind, on frames of a format.
struct Tried {
  std::string element;
  std::string format = "RGBA";

  std::string with(const std::string &properties) const {
    const std::string as = "capsfilter caps=video/x-raw(memory:GLMemory),format=";
    return format == "RGBA" ? element + properties
                            : as + format + " ! " + element + properties + " ! glcolorconvert";
  }
};

/// Expects the same pixels, within a tolerance in levels, from an element with two sets of
/// properties.
void expect_same_pixels(const Tried &tried, const std::string &properties, const std::string &other,
                        int tolerance) {
  Chain one(tried.with(" name=tried " + properties)), two(tried.with(" " + other));
  for (const auto &[width, height] : {std::pair(65, 47), std::pair(96, 64)})
    for (const Frame &frame : moving_frames(width, height))
      test::expect_near(two.filter(frame), one.filter(frame), tolerance,
                        tried.element + " on " + std::to_string(width) + "×" +
                            std::to_string(height) + " in " + tried.format);
  for (Chain *chain : {&one, &two}) {
    test::expect_none(chain->messages().errors());
    test::expect_none(chain->messages().warnings());
  }
  if (!test::copies_frames())
    test::expect(test::stat_text(one["tried"], "sharing") == test::expected_method(),
                 tried.element + " shares textures");
}

void expect_same_pixels(const std::string &element, const std::string &format = "RGBA") {
  if (g_getenv("GLCL_DEVICE_PROFILE"))
    expect_same_pixels({element, format}, "device=0:0 sharing=copy", "device=0:1 sharing=copy", 1);
  else
    expect_same_pixels({element, format}, std::string("sharing=") + test::expected_method(),
                       "sharing=copy", 0);
}

/// Expects one error that names the format and the remedy.
void expect_no_images(const std::string &format) {
  Chain chain(Tried{"glclinvert", format}.with(" name=tried device=0:0 sharing=copy"));
  test::expect(chain.push(moving_frames(64, 48).front()) != GST_FLOW_OK, "it takes " + format);
  int named = 0;
  for (const test::Message &error : chain.messages().errors())
    named += error.source == "tried" && error.names("no images for frames in " + format) &&
             error.names("Put glcolorconvert");
  fail_unless_equals_int(named, 1);
}

}  // namespace

TEST(filters) {
  expect_same_pixels("glclinvert");
  for (const char *weight : {"intensity", "color", "per-channel"})
    expect_same_pixels(std::string("glclbilateral method=brute-force radius=3 weight=") + weight);
  expect_same_pixels("glclbilateral method=brute-force radius=3 amount=0.4 split=0.3");
  for (const char *weight : {"color", "per-channel"})
    expect_same_pixels(
        std::string("glclbilateral method=brute-force radius=2 roi=<7,5,30,20> weight=") + weight);
  const std::string picture = std::string(g_getenv("GLCL_SOURCE")) + "/tests/layer/shape.png";
  expect_same_pixels("glclbilateral method=brute-force radius=3 mask=" + picture);
  expect_same_pixels("glclchain filters=\"watermark(scale=0.5) ! gauss(sigma=1)\" picture=" +
                     picture);
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
  expect_same_pixels(
      "glclhough display=objects post-messages=false high=2 lines=30 min-line-length=12 circles=10 "
      "radius-min=4 radius-max=60 min-circle-score=0.2");
}

// PoCL has no images of two channels, so simulated devices have no images for NV12, and EGLImages
// no NV12 either.
TEST(planes) {
  const char *profile = g_getenv("GLCL_DEVICE_PROFILE");
  const bool least = profile && g_str_has_suffix(profile, "opencl-minimum.json");
  for (const char *format : {"GRAY8", "I420", "NV12"}) {
    if (profile && (least || std::string(format) == "NV12")) {
      expect_no_images(format);
      continue;
    }
    if (!profile && !test::shares_textures() && std::string(format) == "NV12") continue;
    for (const char *element :
         {"glclinvert", "glclbilateral radius=3", "glclchain filters=gauss(sigma=2)",
          "glclhistogram display=overlay mode=rgb", "glclmotion display=vectors",
          "glopenclflow display=color"})
      expect_same_pixels(element, format);
  }
}
