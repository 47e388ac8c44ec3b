// SPDX-License-Identifier: LGPL-2.1-or-later
// The region and the mask of glclbilateral, in pipelines.
#include <glib/gstdio.h>

#include <algorithm>

#include "filterfiles.h"
#include "picturefiles.h"
#include "planarchain.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"

using glcl::PixelFormat;
using glcl::Rect;
using glcl::bilateral::BilateralFilter;
using reference::Area;
using reference::PlanarFrame;
using test::Chain;
using test::expect;
using test::expect_near;
using test::expect_same;
using test::Frame;
using test::PictureFile;
using test::PlanarChain;

namespace {

const Frame &picture() {
  static const Frame frame = reference::natural_frame(61, 47);
  return frame;
}

void set_roi(Chain &chain, const std::string &roi) {
  gst_util_set_object_arg(G_OBJECT(chain["glclbilateral"]), "roi", roi.c_str());
}

void set_mask(Chain &chain, const std::string &path) {
  g_object_set(chain["glclbilateral"], "mask", path.c_str(), nullptr);
}

int warnings_with(Chain &chain, const std::string &words) {
  int count = 0;
  for (const test::Message &warning : chain.messages().warnings()) count += warning.names(words);
  return count;
}

/// Every pixel outside of the region is the input, bit by bit; inside it is near the expected one.
void expect_region(const Frame &in, const Frame &filtered, const Rect &region, const Frame &got,
                   const std::string &what) {
  expect_near(reference::mixed(in, filtered, 1, 0, false, {region}), got, 1, what);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      const bool inside =
          x >= region.x && y >= region.y && x < region.right() && y < region.bottom();
      expect(inside || std::equal(in.at(x, y), in.at(x, y) + 4, got.at(x, y)),
             what + ": pixel " + std::to_string(x) + ", " + std::to_string(y));
    }
}

/// A mask with a black, a grey and a white part, and what reference::mixed() takes for it.
Frame steps(int width, int height) {
  Frame mask(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int level = 255 * (3 * x / width) / 2;
      std::fill_n(mask.at(x, y), 3, static_cast<uint8_t>(level));
      mask.at(x, y)[3] = 255;
    }
  return mask;
}

Area area_of(const Frame &mask) {
  Area area{{}, mask.width, mask.height, {}};
  for (size_t i = 0; i < mask.rgba.size(); i += 4) {
    const uint8_t *c = &mask.rgba[i];
    area.mask.push_back(
        static_cast<uint8_t>(((30 * c[0] + 59 * c[1] + 11 * c[2]) * c[3] + 12750) / 25500));
  }
  return area;
}

const PixelFormat &format_of(const std::string &name) {
  for (const PixelFormat *format : PixelFormat::all())
    if (format->name == name) return *format;
  expect(false, "there is no format " + name);
  return PixelFormat::rgba;
}

/// Noise around a middle level in every plane.
PlanarFrame noisy_planes(const PixelFormat &format, int width, int height) {
  PlanarFrame frame(format, width, height);
  unsigned seed = 1;
  for (PlanarFrame::Plane &plane : frame.planes)
    for (uint16_t &value : plane.values) {
      seed = seed * 1664525 + 1013904223;
      const unsigned level = 100 + (seed >> 27);
      value = static_cast<uint16_t>(format.bits == 10 ? level << 8 : level);
    }
  return frame;
}

PlanarFrame pass(const std::string &settings, const PlanarFrame &in) {
  return PlanarChain("glclbilateral method=brute-force radius=3 sigma-range=0.2 " + settings,
                     *in.format, "bt709")
      .filter(in);
}

/// Where a sample of a plane lies in the region: outside, at its border, or inside.
enum class Place { outside, border, inside };

Place place_of(const PlanarFrame &frame, size_t plane, size_t value, const Rect &region) {
  const PlanarFrame::Plane &samples = frame.planes[plane];
  const int row = samples.width * samples.channels;
  const int shift = plane ? frame.format->chroma_shift : 0;
  const int x = static_cast<int>(value) % row / samples.channels, y = static_cast<int>(value) / row;
  const auto along = [shift](int at, int begin, int end) {
    const int first = at << shift, last = (at << shift) + (1 << shift) - 1;
    return last < begin || first >= end ? 0 : first >= begin && last < end ? 2 : 1;
  };
  const int across = along(x, region.x, region.right()), down = along(y, region.y, region.bottom());
  return !across || !down ? Place::outside : across + down == 4 ? Place::inside : Place::border;
}

}  // namespace

// By each method, with other settings, and changed while playing.
TEST(region) {
  for (const char *method : {"brute-force", "grid", "auto"}) {
    Chain chain(std::string("glclbilateral weight=intensity sigma-space=5 method=") + method +
                " roi=<20,10,25,30>");
    BilateralFilter::Settings settings;
    settings.weight = BilateralFilter::Weight::intensity;
    settings.sigma_space = 5;
    const Frame exact = reference::bilateral(picture(), settings),
                grid = reference::bilateral_grid(picture(), settings);
    const std::string name = method;
    for (const auto &[text, region] :
         {std::pair<const char *, Rect>{"<20,10,25,30>", {20, 10, 25, 30}},
          {"<0,0,1,1>", {0, 0, 1, 1}},
          {"<31,0,30,47>", {31, 0, 30, 47}},
          {"<>", {0, 0, 61, 47}}}) {
      set_roi(chain, text);
      const Frame got = chain.filter(picture());
      const bool by_grid =
          name == "grid" ||
          (name == "auto" &&
           !test::near(reference::mixed(picture(), exact, 1, 0, false, {region}), got, 1));
      expect_region(picture(), by_grid ? grid : exact, region, got, name + ", " + text);
    }
    test::expect_none(chain.messages().warnings());
    test::expect_none(chain.messages().errors());
  }
}

TEST(region_with_other_settings) {
  BilateralFilter::Settings settings;
  settings.iterations = 3;
  settings.radius = 4;
  settings.split = 0.5;
  const Frame filtered = reference::bilateral(picture(), settings);
  const Area area{{25, 3, 20, 40}};
  Chain chain("glclbilateral method=brute-force iterations=3 radius=4 split=0.5 roi=<25,3,20,40>");
  for (const double amount : {1.0, 0.4, 0.0})
    for (const bool luma : {false, true}) {
      g_object_set(chain["glclbilateral"], "amount", amount, nullptr);
      gst_util_set_object_arg(G_OBJECT(chain["glclbilateral"]), "channels", luma ? "luma" : "all");
      expect_near(reference::mixed(picture(), filtered, amount, 0.5, luma, area),
                  chain.filter(picture()), 1, "amount " + std::to_string(amount));
    }
}

// In planes, each value outside stays, and inside it is that of the whole frame. A chroma sample
// that is shared with a pixel inside may change.
TEST(region_in_every_format) {
  const Rect region{9, 5, 20, 12};
  for (const char *name : {"NV12", "I420", "GRAY8", "P010_10LE", "GRAY16_LE"})
    for (const std::string more :
         {"", "channels=luma ", "amount=0.5 ", "split=0.4 channels=luma "}) {
      const PlanarFrame in = noisy_planes(format_of(name), 38, 22), whole = pass(more, in),
                        got = pass(more + "roi=<9,5,20,12>", in);
      size_t changed = 0;
      for (size_t i = 0; i < in.planes.size(); i++)
        for (size_t k = 0; k < in.planes[i].values.size(); k++) {
          // A value of GRAY16 is two bytes.
          const Place place = place_of(in, i, k, region);
          if (place == Place::border) continue;
          const auto &expected = place == Place::inside ? whole : in;
          changed += got.planes[i].values[k] != in.planes[i].values[k];
          expect(got.planes[i].values[k] == expected.planes[i].values[k],
                 std::string(name) + ", " + more + "plane " + std::to_string(i) + ", value " +
                     std::to_string(k) + " is " + std::to_string(got.planes[i].values[k]) +
                     ", not " + std::to_string(expected.planes[i].values[k]));
        }
      expect(changed > 50, std::string(name) + ": the region changes");
    }
}

TEST(packed_formats) {
  for (const char *name : {"BGRA", "RGBx", "BGRx"}) {
    const auto chain = [&](const std::string &elements) {
      const std::string caps = std::string(",format=") + name + "\"";
      return Chain::plain("videoconvert ! capsfilter caps=\"video/x-raw" + caps + " ! glupload ! " +
                          "capsfilter caps=\"video/x-raw(memory:GLMemory)" + caps + " ! " +
                          elements +
                          " ! gldownload ! videoconvert ! capsfilter "
                          "caps=video/x-raw,format=RGBA");
    };
    Frame opaque = picture();
    for (size_t i = 3; i < opaque.rgba.size(); i += 4) opaque.rgba[i] = 255;
    const Frame got = chain("glclbilateral method=brute-force roi=<20,10,25,30>")->filter(opaque);
    expect_region(opaque, reference::bilateral(opaque, {}), {20, 10, 25, 30}, got, name);
  }
}

// One warning says which part is used, until the region was inside the frame.
TEST(region_beyond_the_frame) {
  Chain chain("glclbilateral method=brute-force roi=<40,30,500,500>");
  const Frame filtered = reference::bilateral(picture(), {});
  for (int i = 0; i < 3; i++)
    expect_region(picture(), filtered, {40, 30, 21, 17}, chain.filter(picture()), "its part");
  expect(warnings_with(chain, "<40,30,21,17> is used instead") == 1, "one warning");
  set_roi(chain, "<900,0,10,5>");
  expect_region(picture(), filtered, {60, 0, 1, 5}, chain.filter(picture()), "the nearest edge");
  expect(chain.messages().warnings().size() == 1, "no other warning");
  set_roi(chain, "<1,1,5,5>");
  chain.filter(picture());
  set_roi(chain, "<-3,0,9,9>");
  expect_region(picture(), filtered, {0, 0, 6, 9}, chain.filter(picture()), "again");
  expect(warnings_with(chain, "roi=<-3,0,9,9>") == 1, "another warning");
  // A value that is no region changes nothing.
  ASSERT_WARNING(set_roi(chain, "<1,2,0,5>"));
  expect_region(picture(), filtered, {0, 0, 6, 9}, chain.filter(picture()), "the old region");
  test::expect_none(chain.messages().errors());
}

// From the first frame on, changed and removed while playing, with other sizes than the frame's.
TEST(mask) {
  const Frame small = steps(5, 4), large = steps(122, 94);
  const PictureFile first(small, "small"), second(large, "large");
  const Frame filtered = reference::bilateral(picture(), {});
  const auto expected = [&](const Frame &mask) {
    return reference::mixed(picture(), filtered, 1, 0, false, area_of(mask));
  };
  Chain chain("glclbilateral method=brute-force mask=" + first.path);
  expect_near(expected(small), chain.filter(picture()), 1, "the first frame");
  set_mask(chain, second.path);
  test::expect_soon(chain, picture(), expected(large), "the other mask");
  set_mask(chain, "");
  test::expect_soon(chain, picture(), filtered, "no mask");
  set_mask(chain, first.path);
  test::expect_soon(chain, picture(), expected(small), "the first mask again");
  test::expect_none(chain.messages().warnings());
  test::expect_none(chain.messages().errors());
}

// With watch=true a mask whose file is replaced is read again.
TEST(replaced_mask) {
  const Frame first = steps(5, 4), second = steps(122, 94), third = steps(9, 2);
  const PictureFile file(first, "replaced");
  const Frame filtered = reference::bilateral(picture(), {});
  const auto expected = [&](const Frame &mask) {
    return reference::mixed(picture(), filtered, 1, 0, false, area_of(mask));
  };
  const auto replace = [&](const Frame &mask) {
    const PictureFile other(mask, "other");
    g_rename(other.path.c_str(), file.path.c_str());
  };
  Chain chain("glclbilateral method=brute-force mask=" + file.path);
  expect_near(expected(first), chain.filter(picture()), 1, "the first mask");
  replace(second);
  for (int i = 0; i < 20; i++) {
    expect_near(expected(first), chain.filter(picture()), 1, "nothing watches");
    g_usleep(20000);
  }
  g_object_set(chain["glclbilateral"], "watch", TRUE, nullptr);
  chain.filter(picture());
  g_usleep(300000);
  replace(third);
  test::expect_soon(chain, picture(), expected(third), "the third mask");
  // A file that is no picture changes nothing.
  g_file_set_contents(file.path.c_str(), "no picture", -1, nullptr);
  test::expect_warning(chain, picture(), expected(third),
                       {"mask=" + file.path, "can't be read", "The mask stays"});
  replace(first);
  test::expect_soon(chain, picture(), expected(first), "the first mask again");
  expect(chain.messages().warnings().size() == 1, "one warning");
  test::expect_none(chain.messages().errors());
}

// Beside an amount, a region and a split view; its black part equals the input.
TEST(mask_with_other_settings) {
  const Frame mask = steps(9, 7);
  const PictureFile file(mask, "mask");
  BilateralFilter::Settings settings;
  settings.split = 0.2;
  settings.weight = BilateralFilter::Weight::intensity;
  settings.sigma_space = 5;
  Area area = area_of(mask);
  area.region = {5, 4, 50, 37};
  for (const char *method : {"brute-force", "grid"}) {
    Chain chain(std::string("glclbilateral weight=intensity sigma-space=5 amount=0.8 split=0.2 "
                            "roi=<5,4,50,37> method=") +
                method + " mask=" + file.path);
    const Frame filtered = method[0] == 'g' ? reference::bilateral_grid(picture(), settings)
                                            : reference::bilateral(picture(), settings);
    expect_near(reference::mixed(picture(), filtered, 0.8, 0.2, false, area),
                chain.filter(picture()), 1, method);
  }
}

// The weight is the brightness times the opacity.
TEST(transparent_mask) {
  Frame mask(8, 1);
  const uint8_t colours[8][4] = {{255, 255, 255, 255}, {255, 255, 255, 0},  {0, 0, 0, 255},
                                 {255, 0, 0, 255},     {0, 255, 0, 255},    {0, 0, 255, 255},
                                 {255, 255, 255, 128}, {128, 128, 128, 128}};
  for (int x = 0; x < 8; x++) std::copy_n(colours[x], 4, mask.at(x, 0));
  const PictureFile file(mask, "colours");
  const Frame frame = reference::natural_frame(8, 1);
  BilateralFilter::Settings settings;
  Chain chain("glclbilateral method=brute-force mask=" + file.path);
  expect_near(
      reference::mixed(frame, reference::bilateral(frame, settings), 1, 0, false, area_of(mask)),
      chain.filter(frame), 1, "colours");
}

TEST(mask_in_every_format) {
  Frame mask(2, 1);  // black on the left, white on the right
  std::fill_n(mask.at(0, 0), 8, uint8_t(255));
  std::fill_n(mask.at(0, 0), 3, uint8_t(0));
  const PictureFile file(mask, "halves");
  for (const char *name : {"NV12", "I420", "GRAY8", "P010_10LE", "GRAY16_LE"}) {
    const PlanarFrame in = noisy_planes(format_of(name), 40, 22), whole = pass("", in),
                      got = pass("mask=" + file.path, in);
    for (size_t i = 0; i < in.planes.size(); i++) {
      const PlanarFrame::Plane &plane = in.planes[i];
      const int row = plane.width * plane.channels;
      for (size_t k = 0; k < plane.values.size(); k++) {
        const int x = static_cast<int>(k) % row / plane.channels
                      << (i ? in.format->chroma_shift : 0);
        if (x >= 8 && x < 32) continue;
        expect(got.planes[i].values[k] == (x < 8 ? in : whole).planes[i].values[k],
               std::string(name) + ", plane " + std::to_string(i) + ", value " + std::to_string(k));
      }
    }
  }
}

// A file that can't be read is an error before the first frame. While playing the mask stays, with
// one warning.
TEST(unreadable_mask) {
  const std::string no_picture = std::string(std::getenv("GLCL_SOURCE")) + "/README.md";
  for (const auto &[path, words] :
       {std::pair<std::string, std::string>{"/nowhere/m.png", "no such file"},
        {no_picture, "can't be read"},
        {"/dev/null", "not a regular file"}}) {
    Chain chain("glclbilateral mask=" + path);
    expect(chain.push(picture()) != GST_FLOW_OK, "no frame gets through");
    test::expect_one(chain.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                     {"mask=" + path, words, "Set mask to a picture file"});
  }
  const Frame mask = steps(5, 4);
  const PictureFile file(mask, "mask");
  Chain chain("glclbilateral method=brute-force mask=" + file.path);
  const Frame expected =
      reference::mixed(picture(), reference::bilateral(picture(), {}), 1, 0, false, area_of(mask));
  expect_near(expected, chain.filter(picture()), 1, "the mask");
  set_mask(chain, "/nowhere/m.png");
  test::expect_warning(chain, picture(), expected, {"mask=/nowhere/m.png", "The mask stays"});
  for (int i = 0; i < 5; i++) expect_near(expected, chain.filter(picture()), 1, "it stays");
  expect(chain.messages().warnings().size() == 1, "one warning");
  set_mask(chain, "");
  test::expect_soon(chain, picture(), reference::bilateral(picture(), {}), "no mask");
  test::expect_none(chain.messages().errors());
}

// The mask stays while the size or the format changes, even if its file was removed.
TEST(other_caps) {
  const Frame mask = steps(6, 5);
  auto file = std::make_unique<PictureFile>(mask, "mask");
  Chain chain("glclbilateral method=brute-force mask=" + file->path);
  for (const auto &[width, height] : {std::pair{61, 47}, {1, 1}, {130, 9}, {61, 47}}) {
    const Frame frame = reference::natural_frame(width, height);
    expect_near(
        reference::mixed(frame, reference::bilateral(frame, {}), 1, 0, false, area_of(mask)),
        chain.filter(frame), 1, std::to_string(width) + "×" + std::to_string(height));
    file.reset();
  }
  test::expect_none(chain.messages().warnings());
  test::expect_none(chain.messages().errors());
}

// After a stop, another mask is read for the first frame.
TEST(restart) {
  const Frame first = steps(5, 4), second = steps(7, 3);
  const PictureFile one(first, "one"), two(second, "two");
  const std::string source = "gltestsrc num-buffers=2 ! ";
  test::Pipeline pipeline(source + "glclbilateral name=e mask=" + one.path + " ! fakesink");
  expect(pipeline.run(), "it plays");
  expect(pipeline.reach(GST_STATE_NULL), "it stops");
  g_object_set(pipeline["e"], "mask", two.path.c_str(), nullptr);
  expect(pipeline.run(), "it plays again");
  expect(pipeline.reach(GST_STATE_NULL), "it stops again");
  g_object_set(pipeline["e"], "mask", "/nowhere/m.png", nullptr);
  expect(!pipeline.run(), "it fails");
  test::expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                   {"mask=/nowhere/m.png"});
}
