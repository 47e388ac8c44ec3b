// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings in planes of luma and chroma equal those in RGBA, with chroma at its sites. Values
// outside the drawing do not change.
#include <cmath>
#include <memory>
#include <random>

#include "planarchain.h"

using glcl::ChromaSite;
using glcl::Colorimetry;
using glcl::PixelFormat;
using reference::PlanarFrame;
using test::Chain;
using test::expect;
using test::Frame;
using test::PlanarChain;

namespace {

const Colorimetry full{0.299, 0.114, true};
const char *const full_caps = "1:4:0:0";  // the same for caps

// A fixed range, since the range adapts only after its programs are built.
const char *const displays[] = {"glclmotion range=8 display=vectors",
                                "glclmotion range=8 display=vectors partitions=true subpel=quarter",
                                "glclmotion range=8 display=prediction",
                                "glclmotion range=8 display=residual",
                                "glclmotion display=objects detect=true",
                                "glopenclflow display=color legend=true",
                                "glopenclflow display=overlay gain=4",
                                "glopenclflow display=arrows outline-color=0x80ffffff",
                                "glclklt display=points",
                                "glclklt display=tracks color=0x8000ff00",
                                "glclhough display=edges color=0x80ff8000",
                                "glclhistogram display=overlay background-color=0x60804020",
                                "glclhistogram display=parade mode=rgb opacity=0.5",
                                "glclhistogram display=stack mode=color-8 x=0 y=0 width=1 height=1",
                                "glclhistogram equalize=luma",
                                "glclhistogram equalize=rgb display=overlay mode=luma",
                                "glclklt stabilize=true"};

/// A grey scene that moves.
Frame grey_scene(int number, int width, int height) {
  static const Frame all = reference::natural_frame(128, 96);
  Frame frame = reference::crop(all, 3 * number, 2 * number, width, height);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    frame.rgba[i] = i % 4 == 3 ? 255 : frame.rgba[i / 4 * 4 + 1];
  return frame;
}

/// Grey in the full range.
PlanarFrame planes_of(const Frame &grey, const PixelFormat &format) {
  PlanarFrame frame(format, grey.width, grey.height);
  for (int i = 0; i < grey.width * grey.height; i++) {
    const uint8_t level = grey.rgba[4 * size_t(i)];
    if (format.bits == 16)
      frame.planes[0].values[2 * i] = frame.planes[0].values[2 * i + 1] = level;
    else
      frame.planes[0].values[i] = static_cast<uint16_t>(
          std::lround(level * ((1 << format.bits) - 1) / 255.0) << format.padding);
  }
  for (int i = 1; i < format.plane_count; i++)
    for (uint16_t &value : frame.planes[i].values)
      value = static_cast<uint16_t>(1 << (format.bits - 1) << format.padding);
  return frame;
}

/// Number of values that differ from the drawn colours by more than rounding.
size_t count_far(const PlanarFrame &got, const Frame &drawn, const ChromaSite &site,
                 std::string &first) {
  const PixelFormat &format = *got.format;
  const reference::Colours colours(drawn);
  const double tolerance = 1.7 * ((1 << format.bits) - 1) / 255;
  size_t far = 0;
  for (int i = 0; i < format.plane_count; i++)
    for (int y = 0; y < got.planes[i].height; y++)
      for (int x = 0; x < got.planes[i].width; x++) {
        const std::vector<double> values =
            reference::values_at(colours, format, full, i, x, y, site);
        for (size_t k = 0; k < values.size(); k++) {
          const int value = format.bits == 16
                                ? got.planes[i].at(x, y, 0) + 256 * got.planes[i].at(x, y, 1)
                                : got.planes[i].at(x, y, static_cast<int>(k)) >> format.padding;
          if (std::fabs(value - values[k]) <= tolerance) continue;
          if (far++ == 0)
            first = "plane " + std::to_string(i) + " at " + std::to_string(x) + ", " +
                    std::to_string(y) + " is " + std::to_string(value) + " instead of " +
                    std::to_string(values[k]);
        }
      }
  return far;
}

struct Format {
  const char *name, *chroma_site;
  ChromaSite site;
};
const Format formats[] = {{"NV12", "jpeg", {}},
                          {"NV12", "mpeg2", {true, false}},
                          {"I420", "cosited", {true, true}},
                          {"P010_10LE", "mpeg2", {true, false}},
                          {"GRAY8", "", {}},
                          {"GRAY16_LE", "", {}}};

}  // namespace

// The drawing is the same in every format.
TEST(displays_are_those_of_rgba) {
  const test::SharedPrograms shared;
  for (const char *display : displays)
    // GstGL computes another chroma position for frames with odd heights, so heights are even.
    for (const auto &[width, height] : {std::pair(65, 48), {1, 2}}) {
      Chain rgba(display);
      std::vector<Frame> drawn;
      for (int i = 0; i < 4; i++) drawn.push_back(rgba.filter(grey_scene(i, width, height)));
      for (const Format &one : formats) {
        const PixelFormat &format = *PixelFormat::find(one.name);
        PlanarChain chain(display, format, full_caps, one.chroma_site);
        for (int i = 0; i < 4; i++) {
          const PlanarFrame in = planes_of(grey_scene(i, width, height), format),
                            got = chain.filter(in);
          std::string first;
          const size_t far = count_far(got, drawn[i], one.site, first),
                       pixels = size_t(width) * height;
          // With ten bits no level is exact, so some results differ.
          expect(far <= (format.bits == 10 ? pixels / 30 : 0),
                 std::string(display) + " on " + one.name + " " + one.chroma_site + ": " +
                     std::to_string(far) + " values of " + std::to_string(pixels) +
                     " pixels differ in frame " + std::to_string(i) + ": " + first);
          expect(width == 1 || i < 3 || std::string(display).find("objects") != std::string::npos ||
                     got.planes[0].values != in.planes[0].values,
                 std::string(display) + " on " + one.name + " draws");
        }
      }
    }
}

// Outside a drawing no bit of luma and chroma changes.
TEST(values_outside_a_drawing_stay) {
  constexpr int width = 97, height = 62;
  std::mt19937 random(7);
  for (const char *name : {"NV12", "P010_10LE", "I420", "GRAY8", "GRAY16_LE"}) {
    const PixelFormat &format = *PixelFormat::find(name);
    PlanarFrame frame(format, width, height);
    for (PlanarFrame::Plane &plane : frame.planes)
      for (uint16_t &value : plane.values)
        value =
            static_cast<uint16_t>(random() % (format.bits == 10 ? 1024 : 256) << format.padding);
    PlanarChain chain("glclhistogram display=overlay x=0.25 y=0.25 width=0.5 height=0.5", format,
                      "bt709", format.plane_count > 1 ? "mpeg2" : "");
    const PlanarFrame got = chain.filter(frame);
    for (int i = 0; i < format.plane_count; i++) {
      const PlanarFrame::Plane &was = frame.planes[i], &is = got.planes[i];
      size_t inside = 0;
      for (int y = 0; y < was.height; y++)
        for (int x = 0; x < was.width; x++)
          for (int k = 0; k < was.channels; k++) {
            // A chroma sample may depend on pixels next to it.
            const bool outside = 4 * (x + 1) < was.width - 4 || 4 * (x - 1) > 3 * was.width + 4 ||
                                 4 * (y + 1) < was.height - 4 || 4 * (y - 1) > 3 * was.height + 4;
            const bool same = was.at(x, y, k) == is.at(x, y, k);
            expect(!outside || same, std::string(name) + ": plane " + std::to_string(i) + " at " +
                                         std::to_string(x) + ", " + std::to_string(y));
            inside += !same;
          }
      expect(inside > was.values.size() / 8, std::string(name) + ": the panel is drawn");
    }
  }
}
