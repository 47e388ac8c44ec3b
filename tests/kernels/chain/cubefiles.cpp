// SPDX-License-Identifier: LGPL-2.1-or-later
// The text of .cube files: what is read, and the words of errors.
#include <glib/gstdio.h>

#include <clocale>

#include "chain/cube.h"
#include "chain/description.h"
#include "kernels/engine.h"

using glcl::chain::Cube;
using glcl::chain::parse_cube;

namespace {

/// Lines of the numbers 1, 2 … in thousandths.
std::string rows(int count, const std::string &end = "\n") {
  std::string text;
  for (int i = 0; i < 3 * count; i++) {
    const std::string digits = std::to_string(1000 + i + 1).substr(1);
    text += "0." + digits + (i % 3 < 2 ? " " : end);
  }
  return text;
}

void check_points(const glcl::chain::ColourTable &table, int size, int first) {
  const size_t count = table.points.size() / 4;
  fail_unless(table.size == size, "%d points instead of %d", table.size, size);
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < 4; c++) {
      const float expected =
          c == 3 ? 0.0f : static_cast<float>((3 * (double(first) + i) + c + 1) / 1000);
      fail_unless(table.points[4 * i + c] == expected, "point %zu has %g instead of %g", i,
                  table.points[4 * i + c], expected);
    }
}

void check_range(const glcl::chain::ColourTable &table, const std::array<double, 3> &low,
                 const std::array<double, 3> &high) {
  fail_unless(table.low == low && table.high == high, "%g to %g", table.low[0], table.high[0]);
}

void expect_error(const std::string &text, const std::string &place,
                  const std::vector<std::string> &words) {
  try {
    parse_cube(text, "a.cube");
    fail_unless(false, "“%.80s” is taken", text.c_str());
  } catch (const glcl::Error &error) {
    const std::string said = error.what();
    fail_unless(error.kind() == glcl::Error::Kind::settings && said.rfind(place, 0) == 0 &&
                    said.size() < 400 && g_utf8_validate(said.c_str(), -1, nullptr),
                "“%.80s”: %s", text.c_str(), said.c_str());
    for (const std::string &word : words)
      fail_unless(said.find(word) != std::string::npos, "“%.80s”: %s", text.c_str(), said.c_str());
  }
}

}  // namespace

TEST(test_a_lattice) {
  const auto cube = parse_cube("TITLE \"film # 2\"\nLUT_3D_SIZE 2\n" + rows(8), "a.cube");
  check_points(cube->lattice, 2, 0);
  fail_unless(cube->lattice.points.size() == 32 && cube->curve.size == 0);
  check_range(cube->lattice, {0, 0, 0}, {1, 1, 1});
}

TEST(test_a_curve_with_a_domain) {
  const auto cube =
      parse_cube("LUT_1D_SIZE 3\nDOMAIN_MIN -1 0 0.5\nDOMAIN_MAX 2 1e1 .75\n" + rows(3), "a.cube");
  check_points(cube->curve, 3, 0);
  fail_unless(cube->lattice.size == 0);
  check_range(cube->curve, {-1, 0, 0.5}, {2, 10, 0.75});
}

// As DaVinci Resolve writes them.
TEST(test_a_curve_before_a_lattice) {
  const std::string text =
      "LUT_1D_SIZE 4\nLUT_1D_INPUT_RANGE -0.5 2\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0.0 4.0\n" +
      rows(12);
  const auto cube = parse_cube(text, "a.cube");
  check_points(cube->curve, 4, 0);
  check_points(cube->lattice, 2, 4);
  fail_unless(cube->curve.points.size() == 16 && cube->lattice.points.size() == 32);
  check_range(cube->curve, {-0.5, -0.5, -0.5}, {2, 2, 2});
  check_range(cube->lattice, {0, 0, 0}, {4, 4, 4});
  // A domain is that of the colours that come in.
  const auto domain =
      parse_cube("DOMAIN_MAX 2 3 4\nLUT_3D_SIZE 2\nLUT_1D_SIZE 4\n" + rows(12), "a");
  check_range(domain->curve, {0, 0, 0}, {2, 3, 4});
  check_range(domain->lattice, {0, 0, 0}, {1, 1, 1});
}

TEST(test_layouts_of_a_text) {
  const std::string plain = "LUT_1D_SIZE 2\n" + rows(2);
  const auto wanted = parse_cube(plain, "a.cube")->curve.points;
  for (const std::string &text :
       {"LUT_1D_SIZE 2\r\n" + rows(2, "\r\n"), "LUT_1D_SIZE 2\r" + rows(2, "\r"),
        "# a comment\n\n \t\n  LUT_1D_SIZE\t2 \n# another\n" + rows(2, "  \n\n"),
        "LUT_1D_SIZE 2 # two\n" + rows(2, " # black\n"), "TITLE \"\xe9\"\n" + plain,
        plain.substr(0, plain.size() - 1), plain + "\n\n# the end",
        std::string("LUT_1D_SIZE 2\n+.001 2e-3 0.3E-2\n4.0E-3 0.005 00.006\n")})
    fail_unless(parse_cube(text, "a.cube")->curve.points == wanted, "“%s”", text.c_str());
}

TEST_ALONE(test_a_comma_of_the_locale) {
  bool set = false;
  for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    set = set || std::setlocale(LC_ALL, name);
  if (!set) std::printf("SKIP: there is no locale with a decimal comma\n");
  check_points(parse_cube("LUT_1D_SIZE 2\n" + rows(2), "a.cube")->curve, 2, 0);
  expect_error("LUT_1D_SIZE 2\n0,1 0 0\n", "a.cube:2:", {"0,1", "0.25"});
}

TEST(test_errors_name_file_line_and_remedy) {
  const std::string curve = "LUT_1D_SIZE 2\n", lattice = "LUT_3D_SIZE 2\n";
  expect_error("", "a.cube:1:", {"LUT_1D_SIZE", "LUT_3D_SIZE"});
  expect_error("TITLE \"a\"\n", "a.cube:1:", {"size", "missing"});
  expect_error("\n0 0 0\n", "a.cube:2:", {"size", "missing"});
  for (const char *size : {"1", "0", "-5", "65537", "2.5", "1e9"})
    expect_error("LUT_1D_SIZE " + std::string(size) + "\n", "a.cube:1:", {"2 to 65536"});
  for (const char *size : {"1", "130", "256", "1e30"})
    expect_error("\nLUT_3D_SIZE " + std::string(size) + "\n", "a.cube:2:", {"2 to 129"});
  expect_error("LUT_3D_SIZE\n", "a.cube:1:", {"one number", "missing"});
  expect_error("LUT_3D_SIZE 2 2\n", "a.cube:1:", {"one number", "follows"});
  expect_error("LUT_3D_SIZE two\n", "a.cube:1:", {"two", "number"});
  expect_error(curve + "\n" + curve, "a.cube:3:", {"LUT_1D_SIZE", "twice"});
  expect_error(curve + "0 0 0\n" + lattice, "a.cube:3:", {"LUT_3D_SIZE", "before"});
  expect_error(lattice + rows(7), "a.cube:8:", {"LUT_3D_SIZE 2", "8 lines", "has 7"});
  expect_error(lattice, "a.cube:1:", {"8 lines", "has 0"});
  expect_error(lattice + rows(9), "a.cube:10:", {"8 lines", "LUT_3D_SIZE 2"});
  expect_error(lattice + curve + rows(9),
               "a.cube:11:", {"10 lines", "LUT_1D_SIZE 2 with LUT_3D_SIZE 2"});
  expect_error(curve + "0 0\n", "a.cube:2:", {"three numbers", "missing"});
  expect_error(curve + "0 0 0 0\n", "a.cube:2:", {"three numbers", "follows"});
  for (const char *number : {"nan", "inf", "-inf", "0x10", "1.2.3", "-", ".", "1e", "1e+", "٣"})
    for (const std::string &row : {number + std::string(" 0 0\n"), "0 0 " + std::string(number)})
      expect_error(curve + row, "a.cube:2:", {number, "number"});
  for (const char *number : {"1e37", "-1e300", "1e999"})
    expect_error(curve + "0 0 " + number + "\n", "a.cube:2:", {"1e36"});
  expect_error(curve + "DOMAIN_MIN 0 1 0\n" + rows(2),
               "a.cube:2:", {"DOMAIN_MIN", "1 to 1", "larger"});
  expect_error("DOMAIN_MAX 1 1 -2\n" + curve + rows(2), "a.cube:1:", {"DOMAIN_MAX", "0 to -2"});
  expect_error(curve + rows(2) + "DOMAIN_MAX 1 1 1e-9\n", "a.cube:4:", {"0 to 1e-09", "1e-6"});
  expect_error("LUT_3D_INPUT_RANGE 1 0\n" + lattice + rows(8), "a.cube:1:", {"1 to 0"});
  expect_error("LUT_3D_INPUT_RANGE 0\n", "a.cube:1:", {"two numbers", "missing"});
  expect_error("DOMAIN_MIN 0 0 0 0\n", "a.cube:1:", {"three numbers", "follows"});
  expect_error("DOMAIN_MIN nan 0 0\n", "a.cube:1:", {"nan"});
  expect_error("LUT_IN_VIDEO_RANGE\n", "a.cube:1:", {"LUT_IN_VIDEO_RANGE", "remove the line"});
  expect_error("lut_1d_size 2\n", "a.cube:1:", {"lut_1d_size", "LUT_1D_SIZE"});
  expect_error("\xff\xfe" + std::string(500, 'a') + "\n", "a.cube:1:", {"neither"});
  expect_error(std::string("a\0b", 3), "a.cube:1:", {"neither"});
  expect_error(curve + std::string("0 0 0\0\n", 7), "a.cube:2:", {"number"});
}

// Files that the chain names.
TEST(test_files_that_can_not_be_read) {
  const auto expect = [](const std::string &filters, const std::vector<std::string> &words) {
    try {
      glcl::chain::parse_chain(filters, "filters", {});
      fail_unless(false, "“%s” is taken", filters.c_str());
    } catch (const glcl::Error &error) {
      const std::string said = error.what();
      for (const std::string &word : words)
        fail_unless(said.find(word) != std::string::npos, "%s", said.c_str());
    }
  };
  gchar *made = g_dir_make_tmp("glclcube-XXXXXX.cube", nullptr);
  const std::string folder = made, file = folder + "/a.CUBE", large = folder + "/large.cube";
  g_free(made);
  expect("\n./nosuch.cube", {"filters:2:", "nosuch.cube", "no such file"});
  expect("nosuch.cube", {"filters:1:", "nosuch.cube", "no such file"});
  expect("'" + folder + "'", {folder, "not a regular file"});
  g_file_set_contents(file.c_str(), "LUT_1D_SIZE 2\n0 0 0\n1 1 x\n", -1, nullptr);
  expect("'" + file + "'", {"a.CUBE:3:", "“x”"});
  g_file_set_contents(file.c_str(), "\xef\xbb\xbfLUT_1D_SIZE 2\n0 0 0\n1 1 1\n", -1, nullptr);
  const std::string text = glcl::chain::parse_chain("'" + file + "'", "filters", {}).text();
  fail_unless(text == "cube(strength=1, interpolation=tetrahedral)", "%s", text.c_str());
  expect("'" + file + "'(interpolation=cubic)",
         {"filters:1:", "interpolation", "tetrahedral, trilinear"});
  expect("'" + file + "'(interpolation=1)", {"filters:1:", "tetrahedral, trilinear"});
  expect("'" + file + "'(strength=2)", {"filters:1:", "strength", "[0 1]"});
  expect("'" + file + "'(size=2)", {"no parameter size", "strength, interpolation"});
  if (FILE *sparse = std::fopen(large.c_str(), "w")) {
    fail_unless(ftruncate(fileno(sparse), off_t(glcl::chain::max_cube_text) + 1) == 0);
    std::fclose(sparse);
  }
  expect("'" + large + "'", {"large.cube", "131072 KiB"});
  for (const std::string &one : {file, large}) std::remove(one.c_str());
  g_rmdir(folder.c_str());
}

TEST(test_names_in_the_folders_of_path) {
  gchar *made = g_dir_make_tmp("glclcube-XXXXXX", nullptr);
  const std::string folder = made, file = folder + "/warm.cube";
  g_free(made);
  g_file_set_contents(file.c_str(), "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n", -1, nullptr);
  const auto chain = glcl::chain::parse_chain("warm ! invert ! warm*2", "filters", {folder});
  fail_unless(chain.items[0].name == "cube" && chain.items[2].name == "cube-2" &&
              chain.items[0].filter == chain.items[2].filter);
  fail_unless(chain.files == std::vector<std::string>{file});
  std::remove(file.c_str());
  g_rmdir(folder.c_str());
}
