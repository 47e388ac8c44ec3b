// SPDX-License-Identifier: LGPL-2.1-or-later
// The filter of .cube files against its reference in double precision.
#include "chain/cube.h"

#include <cfloat>
#include <functional>
#include <random>

#include "chain/chain.h"
#include "kernels/planes.h"
#include "reference/chain/chain.h"
#include "reference/chain/cube.h"

using glcl::chain::Chain;
using glcl::chain::Cube;
using glcl::chain::Description;
using reference::Triple;

namespace {

/// The colour of a table at a position, 0..1 along each axis.
using Mapping = std::function<Triple(const Triple &)>;

std::string row(const Triple &colour) {
  char text[100];
  std::snprintf(text, sizeof text, "%.9g %.9g %.9g\n", colour[0], colour[1], colour[2]);
  return text;
}

std::string curve_rows(int size, const Mapping &mapping) {
  std::string text;
  for (int i = 0; i < size; i++) {
    const double at = double(i) / (size - 1);
    text += row(mapping({at, at, at}));
  }
  return text;
}

std::string lattice_rows(int size, const Mapping &mapping) {
  const double last = size - 1;
  std::string text;
  for (int b = 0; b < size; b++)
    for (int g = 0; g < size; g++)
      for (int r = 0; r < size; r++) text += row(mapping({r / last, g / last, b / last}));
  return text;
}

/// Independent colours, also outside of 0..1.
Mapping random_colours(unsigned seed) {
  return [random = std::mt19937(seed)](const Triple &) mutable {
    Triple colour;
    for (double &value : colour) value = double(random()) / std::mt19937::max() * 1.4 - 0.2;
    return colour;
  };
}

/// Like a look: contrast and a warm tint that depends on all channels.
Triple look(const Triple &c) {
  const double luma = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  const auto contrast = [&](double v) { return v * v * (3 - 2 * v); };
  return {contrast(c[0]) + 0.1 * luma * (1 - luma), contrast(c[1]) * (0.9 + 0.1 * luma),
          0.85 * contrast(c[2]) + 0.05 * luma};
}

Triple same(const Triple &colour) { return colour; }

std::string size_of(const char *kind, int size) {
  return std::string("LUT_") + kind + "_SIZE " + std::to_string(size) + "\n";
}

std::string curve_text(int size, const Mapping &mapping) {
  return size_of("1D", size) + curve_rows(size, mapping);
}

std::string lattice_text(int size, const Mapping &mapping) {
  return size_of("3D", size) + lattice_rows(size, mapping);
}

/// A curve from -0.25..1.5 to 0..2, and a lattice of that range.
std::string shaper_text(int points, int size, const Mapping &mapping) {
  return size_of("1D", points) + "LUT_1D_INPUT_RANGE -0.25 1.5\n" + size_of("3D", size) +
         "LUT_3D_INPUT_RANGE 0 2\n" +
         curve_rows(points,
                    [](const Triple &c) {
                      return Triple{2 * std::sqrt(c[0]), 2 * c[1], 2 * c[2] * c[2]};
                    }) +
         lattice_rows(size, mapping);
}

Description chain_of(const std::string &text, bool trilinear = false, double strength = 1) {
  const auto filter = glcl::chain::cube_filter(glcl::chain::parse_cube(text, "test.cube"));
  Description chain{{{filter, "cube", filter->initial(), 1}}, 1, {}};
  chain.items[0].values.numbers = {strength, trilinear ? 1.0 : 0.0};
  return chain;
}

std::vector<Frame> frames_of(int width, int height) {
  return {reference::random_frame(width, height, 7), reference::natural_frame(width, height),
          reference::gradient_frame(width, height), reference::flat_frame(width, height)};
}

Frame run(Bench &bench, Chain &chain, const Frame &frame) {
  const Picture in = bench.upload(frame, chain.layout(), 3),
                out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
  chain.run(*bench.queue, in, out);
  return bench.download(out);
}

/// Levels that a result may be away from the exact one: the half that rounding takes, and what
/// single precision loses where a result changes by `slope` times the change of the input.
double tolerance(double slope) { return 0.502 + 255 * slope * 2 * FLT_EPSILON; }

/// The largest slope of random colours between the points of a table.
double random_slope(int size) { return 1.4 * (size - 1); }

void check_exact(const Frame &got, const Frame &frame, const Description &chain,
                 const std::string &what, double slope) {
  const glcl::chain::Item &item = chain.items[0];
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const uint8_t *in = frame.at(x, y), *out = got.at(x, y);
      const Triple exact =
          reference::cube(*item.filter->cube, {in[0] / 255.0, in[1] / 255.0, in[2] / 255.0},
                          item.values.numbers[1] == 1, item.values.numbers[0]);
      for (int c = 0; c < 3; c++) {
        const double level = 255 * std::clamp(exact[c], 0.0, 1.0);
        fail_unless(std::fabs(out[c] - level) <= tolerance(slope),
                    "%s: at (%d, %d)[%d] %d becomes %d, exact %.4f", what.c_str(), x, y, c, in[c],
                    out[c], level);
      }
      fail_unless(out[3] == in[3], "%s: alpha at (%d, %d)", what.c_str(), x, y);
    }
}

void check(Bench &bench, const Description &wanted, const std::string &what, double slope,
           Layout layout, bool live) {
  Chain chain(*bench.context, wanted, {live, layout, {}});
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 3}, {33, 7}, {131, 53}})
    for (const Frame &frame : frames_of(width, height))
      check_exact(run(bench, chain, frame), frame, wanted, what, slope);
}

/// Images and buffers, fixed and live parameters, in turn.
void check_in_turn(Bench &bench, const Description &wanted, const std::string &what, double slope) {
  static int turn = 0;
  turn++;
  check(bench, wanted, what, slope, turn % 2 ? Layout::image : Layout::buffer, turn % 4 < 2);
}

}  // namespace

TEST(test_curves_equal_the_reference) {
  Bench bench;
  for (const int size : {2, 3, 17, 256, 1024})
    check_in_turn(bench, chain_of(curve_text(size, random_colours(size))),
                  "a curve of " + std::to_string(size), random_slope(size));
  check_in_turn(bench, chain_of(curve_text(65536, look)), "the longest curve", 2);
  check_in_turn(bench, chain_of(curve_text(17, random_colours(1)), false, 0.3),
                "a third of a curve", random_slope(17));
}

TEST(test_lattices_equal_the_reference) {
  Bench bench;
  for (const int size : {2, 3, 17, 33})
    for (const bool trilinear : {false, true}) {
      const std::string name =
          "a lattice of " + std::to_string(size) + (trilinear ? ", trilinear" : ", tetrahedral");
      check_in_turn(bench, chain_of(lattice_text(size, random_colours(size)), trilinear), name,
                    3 * random_slope(size));
      check_in_turn(bench, chain_of(lattice_text(size, look), trilinear, 0.7), name, 2);
    }
  check_in_turn(bench, chain_of(lattice_text(65, look)), "a lattice of 65", 2);
}

TEST(test_a_curve_before_a_lattice_equals_the_reference) {
  Bench bench;
  for (const auto &[points, size] : {std::pair{2, 2}, {1024, 17}, {4096, 33}})
    for (const bool trilinear : {false, true})
      check_in_turn(bench, chain_of(shaper_text(points, size, random_colours(points)), trilinear),
                    std::to_string(points) + " points before a lattice of " + std::to_string(size),
                    8 * random_slope(size));
}

// Colours outside of the domain are those at its edge.
TEST(test_domains) {
  Bench bench;
  const std::string domain = "DOMAIN_MIN 0.25 -1 0.4\nDOMAIN_MAX 0.75 3 0.41\n";
  for (const bool trilinear : {false, true}) {
    check_in_turn(bench, chain_of(domain + lattice_text(5, random_colours(3)), trilinear),
                  "a lattice with a domain", 300 * random_slope(5));
    check_in_turn(bench, chain_of(domain + curve_text(5, random_colours(4)), trilinear),
                  "a curve with a domain", 100 * random_slope(5));
  }
  // The widest numbers give the ends of the table, not something undefined.
  for (const char *ends : {"DOMAIN_MIN -1e36 -1e36 -1e36\nDOMAIN_MAX 1e36 1e36 1e36\n",
                           "DOMAIN_MIN 0.5 0.5 0.5\nDOMAIN_MAX 0.500001 0.500001 0.500001\n"}) {
    const Description wanted = chain_of(ends + lattice_text(2, [](const Triple &c) {
                                          return Triple{c[0] > 0 ? 1e36 : -1e36, 0.25, c[2]};
                                        }));
    Chain chain(*bench.context, wanted, {});
    const Frame frame = reference::random_frame(31, 17), got = run(bench, chain, frame);
    for (int i = 0; i < frame.width * frame.height; i++)
      fail_unless((got.rgba[4 * i] == 0 || got.rgba[4 * i] == 255) && got.rgba[4 * i + 1] == 64,
                  "a level of %d", got.rgba[4 * i]);
  }
}

TEST(test_identities_change_nothing) {
  Bench bench;
  for (const std::string &text :
       {curve_text(2, same), curve_text(33, same), curve_text(1000, same), lattice_text(2, same),
        lattice_text(17, same), lattice_text(33, same), lattice_text(64, same)})
    for (const bool trilinear : {false, true}) {
      const Description wanted = chain_of(text, trilinear);
      Chain chain(*bench.context, wanted, {});
      for (const Frame &frame : frames_of(97, 41))
        check_equal(run(bench, chain, frame), frame, text.substr(0, text.find('\n')));
    }
  // Without strength any table does nothing.
  Chain chain(*bench.context, chain_of(lattice_text(3, random_colours(1)), false, 0), {});
  for (const Frame &frame : frames_of(97, 41))
    check_equal(run(bench, chain, frame), frame, "no strength");
}

TEST(test_values_that_change) {
  Bench bench;
  const std::string text = lattice_text(9, random_colours(5));
  Description wanted = chain_of(text);
  Chain live(*bench.context, wanted, {true, {}, {}}), fixed(*bench.context, wanted, {});
  const Frame frame = reference::natural_frame(61, 47);
  for (const double strength : {1.0, 0.5, 0.1})
    for (const double trilinear : {0.0, 1.0}) {
      wanted.items[0].values.numbers = {strength, trilinear};
      fail_unless(live.takes(wanted) && fixed.takes(wanted) == (strength == 1 && trilinear == 0));
      live.set(wanted);
      check_exact(run(bench, live, frame), frame, wanted, "another strength", 3 * random_slope(9));
    }
  fail_unless(!live.takes(chain_of(text)), "the chain takes another table");
}

// Among other filters, fused and one kernel for each; the same table twice, and two tables.
TEST(test_fused_with_other_filters) {
  Bench bench;
  const Description one = chain_of(lattice_text(5, look)), other = chain_of(curve_text(9, look));
  Description wanted = glcl::chain::parse_chain(
      "invert ! gauss(sigma=1) ! saturation ! sharpen ! gamma ! threshold", "test", {});
  auto &items = wanted.items;
  items.insert(items.begin() + 1, one.items[0]);
  items.insert(items.begin() + 3, other.items[0]);
  items.insert(items.begin() + 6, one.items[0]);
  items.back() = other.items[0];
  for (const Layout layout : {Layout::image, Layout::buffer})
    for (const bool live : {false, true}) {
      auto variant = Chain::tunable().defaults(bench.context->device(), "");
      Chain fused(*bench.context, wanted, {live, layout, variant});
      variant["plan"] = Chain::plan_unfused;
      Chain apart(*bench.context, wanted, {live, layout, variant});
      fail_unless(fused.passes() < apart.passes(), "%s", fused.describe().c_str());
      size_t values = 0, far = 0;  // a different rounding before a steep filter
      for (const Frame &frame : frames_of(71, 53)) {
        const Frame together = run(bench, fused, frame), exact = reference::chain(frame, wanted);
        check_equal(together, run(bench, apart, frame), fused.describe());
        for (size_t i = 0; i < exact.rgba.size(); i++)
          far += std::abs(int(together.rgba[i]) - int(exact.rgba[i])) > 1;
        values += exact.rgba.size();
      }
      fail_unless(far <= values / 1000, "%s: %zu of %zu values differ from the reference",
                  fused.describe().c_str(), far, values);
    }
}

TEST(test_planes_equal_the_reference) {
  Bench bench;
  const std::string text = lattice_text(17, look);
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    const glcl::Colorimetry colorimetry{0.2126, 0.0722, format.bits == 10};
    for (const bool trilinear : {false, true}) {
      const Description wanted = chain_of(text, trilinear, 0.8);
      Chain chain(*bench.context, wanted,
                  {trilinear, glcl::FrameFormat(layout, format, colorimetry), {}});
      for (const auto &[width, height] : {std::pair{1, 1}, {33, 7}, {64, 22}}) {
        const PlanarFrame planar = random_planes(format, width, height, width == 33);
        const Picture out = upload(bench, PlanarFrame(format, width, height), layout);
        chain.run(*bench.queue, upload(bench, planar, layout), out);
        reference::Colours colours(planar, colorimetry);
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) {
            auto &colour = colours.at(x, y);
            Triple in;
            for (int c = 0; c < 3; c++) in[c] = std::clamp(double(colour[c]), 0.0, 255.0) / 255;
            const Triple mapped =
                reference::cube(*wanted.items[0].filter->cube, in, trilinear, 0.8);
            for (int c = 0; c < 3; c++) colour[c] = 255 * std::clamp(mapped[c], 0.0, 1.0);
          }
        check_planes(download(bench, out, format), colours, colorimetry,
                     format.bits == 16 ? 2.5 : 0.56, std::string("on ") + format.name);
      }
    }
  });
}
