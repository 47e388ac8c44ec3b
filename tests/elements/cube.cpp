// SPDX-License-Identifier: LGPL-2.1-or-later
// .cube files in glclchain: at the start, while playing, edited, broken, and in other formats.
#include "reference/chain/chain.h"

#include <cstdio>
#include <random>

#include "filterfiles.h"

using glcl::chain::parse_chain;
using test::Chain;
using test::child;
using test::expect;
using test::expect_broken;
using test::expect_near;
using test::expect_soon;
using test::expect_warning;
using test::Folder;
using test::Frame;

namespace {

/// A 3D table of random colours.
std::string random_table(int size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = "TITLE \"random\"\nLUT_3D_SIZE " + std::to_string(size) + "\n\n";
  for (int i = 0; i < size * size * size; i++) {
    const auto value = [&] { return double(random()) / std::mt19937::max(); };
    char row[80];
    std::snprintf(row, sizeof row, "%.6f %.6f %.6f\n", value(), value(), value());
    text += row;
  }
  return text;
}

/// The negative, as a 3D table.
const std::string negative =
    "LUT_3D_SIZE 2\n1 1 1\n0 1 1\n1 0 1\n0 0 1\n1 1 0\n0 1 0\n1 0 0\n0 0 0\n";
/// Brighter colours, as a curve.
const std::string brighter = "LUT_1D_SIZE 3\n0 0 0\n0.7 0.6 0.65\n1 1 1\n";

Frame expected(const Frame &frame, const std::string &filters) {
  return reference::chain(frame, parse_chain(filters, "test", {}));
}

std::string element(const std::string &filters) { return "glclchain filters=\"" + filters + "\" "; }

}  // namespace

TEST(tables_among_filters) {
  Folder folder;
  const std::string look = folder.write("my look.cube", random_table(5, 1)),
                    curve = folder.write("curve.CUBE", brighter);
  const std::string filters =
      "'" + look + "'(interpolation=trilinear, strength=0.5) ! grey ! " + curve;
  Chain chain(element(filters));
  for (const auto &[width, height] : {std::pair{1, 1}, {17, 13}, {320, 240}}) {
    const Frame in = reference::random_frame(width, height);
    expect_near(expected(in, filters), chain.filter(in), 1, filters);
  }
  test::expect_none(chain.messages().errors());
}

TEST(parameters_of_a_table_while_playing) {
  Folder folder;
  const std::string look = folder.write("look.cube", random_table(3, 2)),
                    other = folder.write("other.cube", random_table(7, 3));
  Chain chain(element(look) + "sharing=copy");
  GstElement *glclchain = chain["glclchain"];
  const Frame in = reference::natural_frame(61, 47);
  expect_near(expected(in, look), chain.filter(in), 1, "a look");
  GObject *cube = child(glclchain, "cube");
  gst_util_set_object_arg(cube, "interpolation", "trilinear");
  expect_soon(chain, in, expected(in, look + "(interpolation=trilinear)"), "the interpolation");
  g_object_set(cube, "strength", 0.25, nullptr);
  expect_near(expected(in, look + "(interpolation=trilinear, strength=0.25)"), chain.filter(in), 1,
              "the strength");
  g_object_set(cube, "interpolation", 0, nullptr);
  expect_near(expected(in, look + "(strength=0.25)"), chain.filter(in), 1, "tetrahedral again");
  // The child and its values stay with another file.
  g_object_set(glclchain, "filters", (other + " ! invert").c_str(), nullptr);
  expect_soon(chain, in, expected(in, other + "(strength=0.25) ! invert"), "another look");
  expect(child(glclchain, "cube") == cube, "the child stays");
  gint value = -1;
  g_object_get(cube, "interpolation", &value, nullptr);
  expect(value == 0, "its interpolation can be read");
  test::expect_none(chain.messages().warnings());
}

TEST(edited_tables) {
  Folder folder;
  const std::string look = folder.write("look.cube", negative);
  const std::string location =
      folder.write("chain.txt", "grey ! look.cube # relative to this file\n");
  Chain chain("glclchain watch=true location=" + location);
  const Frame in = reference::natural_frame(61, 47), before = expected(in, "grey ! invert");
  expect_near(before, chain.filter(in), 1, "the negative");
  folder.write("look.cube", random_table(4, 4));
  const Frame after = expected(in, "grey ! " + look);
  expect_soon(chain, in, after, "the new table");
  folder.write("look.cube", "LUT_3D_SIZE 2\n0 0 0\n1 1 nan\n");
  expect_warning(chain, in, after, {"look.cube:3:", "nan", "The chain stays as it was"});
  folder.write("look.cube", "LUT_3D_SIZE 2\n0 0 0\n");
  expect_warning(chain, in, after, {"look.cube:2:", "8 lines"});
  folder.write("look.cube", brighter);
  expect_soon(chain, in, expected(in, "grey ! " + look), "the mended table");
  test::expect_none(chain.messages().errors());
}

TEST(tables_in_the_folders_of_path) {
  Folder folder;
  const std::string look = folder.write("negative.cube", negative);
  Chain chain("glclchain filters=negative path=" + folder.path());
  const Frame in = reference::random_frame(33, 21);
  expect_near(expected(in, "invert"), chain.filter(in), 1, "the negative");
}

TEST(broken_tables_at_the_start) {
  Folder folder;
  expect_broken(element("./nosuch.cube"), {"filters:1:", "nosuch.cube", "no such file"});
  expect_broken(element(folder.path() + "/"), {folder.path(), "not a regular file"});
  expect_broken(element(folder.write("text.cube", "hello\n")),
                {"text.cube:1:", "hello", "Correct or remove"});
  expect_broken(element(folder.write("large.cube", "LUT_3D_SIZE 256\n")),
                {"large.cube:1:", "2 to 129"});
  expect_broken(element(folder.write("a.cube", negative) + "(interpolation=cubic)"),
                {"tetrahedral, trilinear"});
}

// With the planes of other formats a table gives the same as the filter it equals.
TEST(tables_in_other_formats) {
  Folder folder;
  const std::string look = folder.write("look.cube", negative);
  for (const std::string format : {"NV12", "P010_10LE", "GRAY8", "I420"}) {
    const auto converting = [&](const std::string &filters) {
      const std::string textures =
          "capsfilter caps=\"video/x-raw(memory:GLMemory),format=" + format + "\"";
      return Chain::plain("videoconvert ! capsfilter caps=\"video/x-raw,format=" + format +
                          "\" ! glupload ! " + textures + " ! " + element(filters) + " ! " +
                          textures +
                          " ! gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
    };
    const auto table = converting(look), filter = converting("invert");
    for (const Frame &in : {reference::random_frame(34, 22), reference::gradient_frame(64, 48)})
      expect_near(filter->filter(in), table->filter(in), 1, "the negative in " + format);
    test::expect_none(table->messages().errors());
  }
}
