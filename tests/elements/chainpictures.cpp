// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture that filters of glclchain read, in pipelines.
#include "reference/chain/chain.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "filterfiles.h"
#include "picturefiles.h"
#include "planarchain.h"

using glcl::chain::parse_chain;
using reference::PlanarFrame;
using test::Chain;
using test::expect;
using test::expect_near;
using test::expect_soon;
using test::expect_warning;
using test::Folder;
using test::Frame;
using test::PictureFile;

namespace {

/// The filter on the page of the manual.
const std::string &shade() {
  static const std::string text = [] {
    std::ifstream page(std::string(std::getenv("GLCL_SOURCE")) + "/docs/filter-files.md");
    std::string lines;
    for (std::string line; std::getline(page, line) && (lines.empty() || !line.empty());)
      if (!lines.empty() || line.rfind("    //! filter shade", 0) == 0)
        lines += line.substr(4) + "\n";
    return lines;
  }();
  return text;
}

const Frame &scene() {
  static const Frame frame = reference::natural_frame(61, 47);
  return frame;
}

Frame with(const std::string &filters, const Frame &picture, const Frame &frame = scene()) {
  return reference::chain(frame, parse_chain(filters, "test", {}), picture);
}

/// A frame through the filter shade.
Frame shaded(const Frame &frame, const Frame &picture) {
  Frame out = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++)
        out.at(x, y)[c] = static_cast<uint8_t>(
            std::nearbyint(frame.at(x, y)[c] * reference::picture_over(picture, x, y, frame)[c]));
  return out;
}

Frame opaque(Frame frame) {
  for (size_t i = 3; i < frame.rgba.size(); i += 4) frame.rgba[i] = 255;
  return frame;
}

void set(Chain &chain, const char *property, const std::string &value) {
  g_object_set(chain["glclchain"], property, value.c_str(), nullptr);
}

void expect_quiet(Chain &chain) {
  test::expect_none(chain.messages().warnings());
  test::expect_none(chain.messages().errors());
}

}  // namespace

// From the first frame on, and changed while playing, by a filter of the library and a file.
TEST(changes) {
  const Frame first = reference::random_frame(9, 7, 3), second = reference::natural_frame(120, 80);
  const PictureFile one(first, "first"), two(second, "second");
  Folder folder;
  const std::string file = folder.write("shade.cl", shade());
  Chain chain("glclchain filters=watermark picture=" + one.path);
  expect_near(with("watermark", first), chain.filter(scene()), 1, "the first frame");
  set(chain, "picture", two.path);
  expect_soon(chain, scene(), with("watermark", second), "the other picture");
  set(chain, "filters", "overlay(opacity=0.4) ! invert");
  expect_soon(chain, scene(), with("overlay(opacity=0.4) ! invert", second), "another chain");
  g_object_set(chain["glclchain"], "filters", file.c_str(), "picture", one.path.c_str(), nullptr);
  expect_soon(chain, scene(), shaded(scene(), first), "both");
  // The kernels get changed parameters; the picture stays.
  set(chain, "filters", "watermark(opacity=0.9)");
  expect_soon(chain, scene(), with("watermark(opacity=0.9)", first), "a parameter");
  g_object_set(test::child(chain["glclchain"], "watermark"), "opacity", 0.2, nullptr);
  expect_soon(chain, scene(), with("watermark(opacity=0.2)", first), "another value");
  set(chain, "filters", "invert");
  expect_soon(chain, scene(), with("invert", {}), "a chain without it");
  set(chain, "picture", "");
  expect_near(with("invert", {}), chain.filter(scene()), 1, "it is not needed");
  expect_quiet(chain);
}

// A chain that reads a picture causes an error before the first frame without one.
TEST(missing) {
  Folder folder;
  const std::string file = folder.write("shade.cl", shade());
  test::expect_broken(
      "glclchain filters=" + file,
      {"shade.cl:4:", "shade reads a picture", "property picture is empty", "picture=logo.png"});
  test::expect_broken("glclchain filters=\"invert ! watermark\"", {"watermark reads a picture"});
}

// While playing, the old chain stays, with one warning; the new one comes with its picture.
TEST(missing_while_playing) {
  const Frame mark = reference::random_frame(9, 7, 3);
  const PictureFile file(mark, "mark");
  Chain chain("glclchain filters=invert");
  const Frame inverted = with("invert", {});
  expect_near(inverted, chain.filter(scene()), 1, "the first chain");
  set(chain, "filters", "overlay");
  expect_warning(chain, scene(), inverted,
                 {"overlay reads a picture", "picture is empty", "The chain stays as it was"});
  for (int i = 0; i < 5; i++) expect_near(inverted, chain.filter(scene()), 1, "it stays");
  expect(chain.messages().warnings().size() == 1, "one warning");
  set(chain, "picture", file.path);
  expect_soon(chain, scene(), with("overlay", mark), "both");
  // Without the property, the picture that is read stays.
  set(chain, "picture", "");
  for (int i = 0; i < 20; i++) {
    expect_near(with("overlay", mark), chain.filter(scene()), 1, "the picture stays");
    g_usleep(5000);
  }
  expect(chain.messages().warnings().size() == 2, "one more warning");
  const Frame small = reference::natural_frame(20, 10);
  expect_near(with("overlay", mark, small), chain.filter(small), 1, "also with another size");
  set(chain, "filters", "grey");
  expect_soon(chain, scene(), with("grey", {}), "a chain without it");
  test::expect_none(chain.messages().errors());
}

// A file that can't be read is an error before the first frame. While playing the picture stays,
// with one warning.
TEST(unreadable) {
  const std::string no_picture = std::string(std::getenv("GLCL_SOURCE")) + "/README.md";
  for (const auto &[path, words] :
       {std::pair<std::string, std::string>{"/nowhere/p.png", "no such file"},
        {no_picture, "can't be read"}}) {
    Chain chain("glclchain filters=overlay picture=" + path);
    expect(chain.push(scene()) != GST_FLOW_OK, "no frame gets through");
    test::expect_one(chain.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                     {"picture=" + path, words, "Set picture to a picture file"});
  }
  const Frame mark = reference::random_frame(9, 7, 3);
  const PictureFile file(mark, "mark");
  Chain chain("glclchain filters=overlay picture=" + file.path);
  const Frame expected = with("overlay", mark);
  expect_near(expected, chain.filter(scene()), 1, "the picture");
  set(chain, "picture", "/nowhere/p.png");
  expect_warning(chain, scene(), expected, {"picture=/nowhere/p.png", "The picture stays"});
  for (int i = 0; i < 5; i++) expect_near(expected, chain.filter(scene()), 1, "it stays");
  expect(chain.messages().warnings().size() == 1, "one warning");
  test::expect_none(chain.messages().errors());
}

// A chain that is set before its first picture can be read waits for one.
TEST(first_picture_unreadable) {
  const Frame mark = reference::random_frame(9, 7, 3);
  const PictureFile file(mark, "mark");
  Chain chain("glclchain filters=invert");
  const Frame inverted = with("invert", {});
  expect_near(inverted, chain.filter(scene()), 1, "the first chain");
  g_object_set(chain["glclchain"], "picture", "/nowhere/p.png", "filters", "overlay", nullptr);
  expect_warning(chain, scene(), inverted, {"picture=/nowhere/p.png", "no such file"});
  expect_near(inverted, chain.filter(scene()), 1, "the old chain stays");
  set(chain, "picture", file.path);
  expect_soon(chain, scene(), with("overlay", mark), "both");
  expect(chain.messages().warnings().size() == 1, "one warning");
  test::expect_none(chain.messages().errors());
}

// The picture stays while the size or the format changes, even if its file was removed.
TEST(other_caps) {
  const Frame mark = reference::random_frame(9, 7, 3);
  auto file = std::make_unique<PictureFile>(mark, "mark");
  Chain chain("glclchain filters=watermark(margin=3) picture=" + file->path);
  for (const auto &[width, height] : {std::pair{61, 47}, {1, 1}, {130, 9}, {61, 47}}) {
    const Frame frame = reference::natural_frame(width, height);
    expect_near(with("watermark(margin=3)", mark, frame), chain.filter(frame), 1,
                std::to_string(width) + "×" + std::to_string(height));
    file.reset();
  }
  expect_quiet(chain);
}

// Frames of every format; planes outside of the watermark stay.
TEST(every_format) {
  Frame white(8, 6);
  std::fill(white.rgba.begin(), white.rgba.end(), uint8_t(255));
  const PictureFile file(white, "white");
  for (const glcl::PixelFormat *format : glcl::PixelFormat::all()) {
    if (!format->has_luma()) continue;
    PlanarFrame in(*format, 40, 24);
    for (PlanarFrame::Plane &plane : in.planes)
      for (size_t i = 0; i < plane.values.size(); i++)
        plane.values[i] = static_cast<uint16_t>(format->bits == 10 ? 128 << 8 : 128);
    const PlanarFrame got =
        test::PlanarChain("glclchain filters=watermark(margin=4) picture=" + file.path, *format,
                          "bt709")
            .filter(in);
    const PlanarFrame::Plane &luma = got.planes[0];
    for (int y = 0; y < 24; y++)
      for (int x = 0; x < 40; x++) {
        const bool inside = x >= 28 && x < 36 && y >= 14 && y < 20;
        // Of the two bytes of GRAY16, the high one.
        const size_t at = (size_t(y) * luma.width + x + 1) * luma.channels - 1;
        const int value = luma.values[at] >> (format->bits == 10 ? 8 : 0);
        expect(inside ? value > 200 : value == 128,
               std::string(format->name) + ": " + std::to_string(x) + ", " + std::to_string(y) +
                   " is " + std::to_string(value));
      }
  }
}

// An edited filter that begins to read a picture gets it.
TEST(edited_file) {
  const Frame vignette = opaque(reference::gradient_frame(30, 20));
  const PictureFile picture(vignette, "vignette");
  Folder folder;
  const std::string file = folder.write(
      "shade.cl", "//! filter shade: nothing\nfloat4 shade(PIXEL) { return at(0, 0); }\n");
  Chain chain("glclchain watch=true filters=" + file + " picture=" + picture.path);
  expect_near(scene(), chain.filter(scene()), 1, "nothing");
  g_usleep(300000);
  folder.write("shade.cl", shade());
  expect_soon(chain, scene(), shaded(scene(), vignette), "the picture");
  expect_quiet(chain);
}

// A file of the picture that is replaced is read again: with watch, or by the signal.
TEST(replaced_picture) {
  const Frame first = reference::random_frame(9, 7, 3), second = reference::natural_frame(12, 8),
              third = reference::gradient_frame(5, 5);
  auto file = std::make_unique<PictureFile>(first, "replaced");
  Chain chain("glclchain filters=overlay watch=true picture=" + file->path);
  expect_near(with("overlay", first), chain.filter(scene()), 1, "the first picture");
  const auto replace = [&](const Frame &picture) {
    const PictureFile other(picture, "other");
    g_rename(other.path.c_str(), file->path.c_str());
  };
  g_usleep(300000);
  chain.filter(scene());
  replace(second);
  expect_soon(chain, scene(), with("overlay", second), "the second picture");
  g_object_set(chain["glclchain"], "watch", FALSE, nullptr);
  replace(third);
  for (int i = 0; i < 20; i++) {
    expect_near(with("overlay", second), chain.filter(scene()), 1, "nothing watches");
    g_usleep(20000);
  }
  g_signal_emit_by_name(chain["glclchain"], "reload");
  expect_soon(chain, scene(), with("overlay", third), "the third picture");
  expect_quiet(chain);
}

// After a stop, another picture is read for the first frame.
TEST(restart) {
  const PictureFile one(reference::random_frame(5, 4, 1), "one"),
      two(reference::random_frame(7, 3, 2), "two");
  test::Pipeline pipeline("gltestsrc num-buffers=2 ! glclchain name=e filters=overlay picture=" +
                          one.path + " ! fakesink");
  expect(pipeline.run(), "it plays");
  expect(pipeline.reach(GST_STATE_NULL), "it stops");
  g_object_set(pipeline["e"], "picture", two.path.c_str(), nullptr);
  expect(pipeline.run(), "it plays again");
  expect(pipeline.reach(GST_STATE_NULL), "it stops again");
  g_object_set(pipeline["e"], "picture", "/nowhere/p.png", nullptr);
  expect(!pipeline.run(), "it fails");
  test::expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                   {"picture=/nowhere/p.png"});
}
