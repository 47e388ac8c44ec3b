// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions and masks of the bilateral filter.
#include "bilateral/grid.h"
#include "bilateral/mix.h"
#include "kernels/bands.h"
#include "kernels/bilateral/bilateral.h"
#include "opencl/transfer.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"

using glcl::Parameters;
using glcl::Rect;
using glcl::bilateral::BilateralFilter;
using glcl::bilateral::Grid;
using glcl::bilateral::Mix;
using reference::Area;
using reference::PlanarFrame;
using Form = BilateralFilter::Form;

namespace {

// The loop index of the tests; the last one is a program for one radius.
constexpr Form forms[] = {Form::tile, Form::direct, Form::vector, Form::tile};

BilateralFilter make(Bench &bench, int form, const Frame &frame,
                     const glcl::PixelFormat &pixels = glcl::PixelFormat::rgba) {
  Parameters variant = BilateralFilter::variant(bench.context->device(), forms[form]);
  if (form == 3) variant["fixed"] = 1;
  return {*bench.context, frame.width, frame.height, variant, pixels};
}

/// Inside, on each edge, of one pixel, of a row, whole, larger, outside, and none.
std::vector<Rect> regions(int width, int height) {
  return {{width / 3, height / 4, width / 2, height / 2},
          {width - 1, 0, 1, 1},
          {0, height / 2, width, 1},
          {width / 2, 0, 3, height},
          {0, 0, width, height},
          {-5, -3, width / 2 + 5, height / 2 + 3},
          {width / 2, height / 2, 999, 999},
          {width + 7, 2, 5, 5},
          {}};
}

std::string describe(const Rect &region) {
  return "region " + std::to_string(region.x) + ", " + std::to_string(region.y) + ", " +
         std::to_string(region.width) + "×" + std::to_string(region.height);
}

/// The result of an engine over a picture that has other pixels.
Frame over(Bench &bench, BilateralFilter &engine, const Settings &settings, const Frame &frame,
           const Frame &before) {
  const Layout layout = engine.layout();
  const Picture in = bench.upload(frame, layout, layout == Layout::buffer ? 3 : 0),
                out = bench.upload(before, layout, layout == Layout::buffer ? 5 : 0);
  engine.prepare(settings);
  engine.run(*bench.queue, settings, in, out);
  return bench.download(out);
}

/// `inside` in the region, `outside` elsewhere.
Frame composed(const Frame &inside, const Frame &outside, const Rect &region) {
  Frame out = outside;
  const Rect area = glcl::clipped(region, out.width, out.height);
  for (int y = area.y; y < area.bottom(); y++)
    for (int x = area.x; x < area.right(); x++) std::copy_n(inside.at(x, y), 4, out.at(x, y));
  return out;
}

/// A mask with every kind of level: both ends, noise, a ramp.
Area mask_of(int width, int height) {
  Area area{{}, width, height, {}};
  const Frame noise = reference::random_frame(width, height, 5);
  for (int i = 0; i < width * height; i++)
    area.mask.push_back(i % 5 == 0   ? 255
                        : i % 5 == 1 ? 0
                        : i % 5 == 2 ? static_cast<uint8_t>(255 * i / (width * height))
                                     : noise.rgba[4 * size_t(i)]);
  return area;
}

Picture upload(Bench &bench, const Area &area) {
  Picture mask = glcl::make_picture(bench.context->cl(), area.mask_width, area.mask_height,
                                    Layout::buffer, glcl::PlaneFormat::r8);
  glcl::write_picture(bench.queue->cl(), mask, area.mask.data(), 0, CL_TRUE);
  return mask;
}

/// The mix of a frame with a given result of a filter.
Frame mix(Bench &bench, Layout layout, const Frame &in, const Frame &filtered,
          const Mix::Settings &settings) {
  Mix mix(*bench.context, in.width, in.height, layout);
  const int padding = layout == Layout::buffer ? 3 : 0;
  const Picture from = bench.upload(in, layout, padding),
                out = bench.upload(reference::random_frame(in.width, in.height, 9), layout,
                                   2 * padding);
  mix.run(*bench.queue, settings, from, out, [&](const Picture &to) {
    glcl::copy_picture(*bench.queue, bench.upload(filtered, layout), to);
  });
  return bench.download(out);
}

/// The filtered frame in the alpha of the input, as filters give it.
Frame with_alpha_of(const Frame &in, Frame filtered) {
  for (size_t i = 3; i < in.rgba.size(); i += 4) filtered.rgba[i] = in.rgba[i];
  return filtered;
}

}  // namespace

// In the region the pixels are those of the whole frame, bit by bit, and all others stay.
TEST_EACH(test_equals_the_whole_frame, 0, 4) {
  Bench bench;
  for (const auto &[width, height] : {std::pair{61, 43}, {1, 1}, {5, 3}, {34, 16}}) {
    const Frame frame = reference::natural_frame(width, height),
                before = reference::random_frame(width, height, 7);
    BilateralFilter engine = make(bench, __i__, frame);
    for (const int iterations : {1, 3})
      for (const Weight weight : weights) {
        Settings settings;
        settings.radius = 4;
        settings.weight = weight;
        settings.iterations = iterations;
        settings.split = weight == Weight::color ? 0.4 : 0;
        const Frame whole = over(bench, engine, settings, frame, before);
        for (const Rect &region : regions(width, height)) {
          settings.region = region;
          check_equal(over(bench, engine, settings, frame, before), composed(whole, before, region),
                      describe(settings, frame) + ", " + describe(region));
        }
      }
  }
}

// Nothing of an earlier frame is left in the picture that a later region reads.
TEST_EACH(test_moving_region, 0, 4) {
  Bench bench;
  Agreement agreement;
  const Frame first = reference::random_frame(57, 41);
  BilateralFilter engine = make(bench, __i__, first);
  Settings settings;
  settings.radius = 3;
  settings.iterations = 2;
  for (unsigned n = 0; n < 6; n++) {
    const Frame frame = reference::random_frame(57, 41, n + 1);
    settings.region = {static_cast<int>(9 * n), static_cast<int>(6 * n), 13, 11};
    agreement.check(over(bench, engine, settings, frame, frame),
                    composed(reference::bilateral(frame, settings), frame, settings.region),
                    describe(settings.region));
  }
}

TEST_EACH(test_deep_region, 0, 4) {
  Bench bench;
  const Frame frame = reference::natural_frame(33, 21);
  const PlanarFrame codes = deep(frame);
  BilateralFilter engine = make(bench, __i__, frame, glcl::PixelFormat::rgba64);
  Mix mix(*bench.context, 33, 21, engine.layout(), glcl::PixelFormat::rgba64);
  Settings settings;
  settings.radius = 3;
  settings.region = {5, 4, 20, 11};
  engine.prepare(settings);
  const Picture in = reference::upload(*bench.queue, codes, engine.layout());
  const Picture out = reference::upload(
      *bench.queue, PlanarFrame(glcl::PixelFormat::rgba64, 33, 21), engine.layout());
  mix.run(*bench.queue, {1, false, -1, settings.region}, in, out,
          [&](const Picture &to) { engine.run(*bench.queue, settings, in, to); });
  const PlanarFrame filtered = reference::deep_bilateral(codes, settings);
  check_codes(reference::download(*bench.queue, out, glcl::PixelFormat::rgba64),
              reference::deep_mixed(codes, filtered, 1, 0, false, {settings.region}), 4,
              "a region");
}

// Long work in bands gives the same bits.
TEST_EACH(test_bands_of_a_region, 0, 4) {
  Bench bench;
  const Frame frame = reference::natural_frame(67, 83);
  BilateralFilter engine = make(bench, __i__, frame);
  Settings settings;
  settings.radius = 5;
  settings.region = {9, 7, 41, 66};
  const Frame usual = over(bench, engine, settings, frame, frame);
  Frame got;
  const int bands =
      in_bands(*bench.queue, [&] { got = over(bench, engine, settings, frame, frame); });
  fail_unless(bands > 1, "%d launches", bands);
  check_equal(got, usual, "in bands");
}

// The time that the choice of a method uses follows the region.
TEST(test_cost) {
  Bench bench;
  BilateralFilter engine(*bench.context, 200, 100);
  Settings settings;
  const double whole = engine.cost(settings);
  settings.region = {10, 10, 50, 40};
  fail_unless(std::fabs(engine.cost(settings) - whole / 10) < 1e-6 * whole, "a tenth");
  settings.region = {-50, 0, 9999, 9999};
  fail_unless(engine.cost(settings) == whole, "all");
}

// Every size of a mask, beside a region, an amount, a split view and luma.
TEST_EACH(test_mixed_by_a_mask, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::buffer : Layout::image;
  for (const auto &[width, height] : {std::pair{1, 1}, {1, 37}, {17, 5}, {67, 33}}) {
    const std::pair<int, int> masks[] = {{1, 1},
                                         {2, 1},
                                         {1, 3},
                                         {width, height},
                                         {2 * width, 3 * height},
                                         {width / 2 + 1, height / 3 + 1},
                                         {101, 7}};
    for (const Frame &in :
         {reference::random_frame(width, height), reference::natural_frame(width, height)})
      for (const auto &[mask_width, mask_height] : masks)
        for (const bool luma : {false, true}) {
          const Area whole = mask_of(mask_width, mask_height);
          const Picture mask = upload(bench, whole);
          for (const Rect &region : {Rect{}, Rect{width / 4, 1, width / 2 + 1, height / 2 + 1}}) {
            Settings settings;
            settings.split = luma ? 0.4 : 0;
            settings.region = region;
            Area area = whole;
            area.region = region;
            const double amount = luma ? 0.7 : 1;
            Frame filtered = with_alpha_of(in, reference::random_frame(width, height, 7));
            reference::show_split(in, filtered, settings.split);
            check_equal(mix(bench, layout, in, filtered,
                            {amount, luma, Mix::hairline(settings, width), region, &mask}),
                        reference::mixed(in, filtered, amount, settings.split, luma, area),
                        describe(settings, in) + ", mask of " + std::to_string(mask_width) + "×" +
                            std::to_string(mask_height) + ", " + describe(region));
          }
        }
  }
}

// A white mask is as none, a black one keeps the input.
TEST_EACH(test_ends_of_masks, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::buffer : Layout::image;
  const Frame in = reference::random_frame(37, 21);
  const Frame filtered = with_alpha_of(in, reference::random_frame(37, 21, 7));
  for (const auto &[width, height] : {std::pair{1, 1}, {37, 21}, {5, 90}}) {
    Area area{{}, width, height, std::vector<uint8_t>(size_t(width) * height, 255)};
    const Picture white = upload(bench, area);
    check_equal(mix(bench, layout, in, filtered, {1, false, -1, {}, &white}), filtered, "white");
    area.mask.assign(area.mask.size(), 0);
    const Picture black = upload(bench, area);
    check_equal(mix(bench, layout, in, filtered, {1, false, -1, {}, &black}), in, "black");
  }
}

TEST_EACH(test_deep_mask, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::buffer : Layout::image;
  const auto &format = glcl::PixelFormat::rgba64;
  const PlanarFrame in = deep(reference::random_frame(19, 7));
  PlanarFrame filtered = deep(reference::natural_frame(19, 7));
  for (size_t i = 3; i < in.planes[0].values.size(); i += 4)
    filtered.planes[0].values[i] = in.planes[0].values[i];
  const Area area = mask_of(7, 5);
  const Picture mask = upload(bench, area), from = reference::upload(*bench.queue, in, layout),
                out = reference::upload(*bench.queue, PlanarFrame(format, 19, 7), layout);
  Mix mix(*bench.context, 19, 7, layout, format);
  for (const bool luma : {false, true}) {
    mix.run(*bench.queue, {0.8, luma, -1, {}, &mask}, from, out, [&](const Picture &to) {
      glcl::copy_picture(*bench.queue, reference::upload(*bench.queue, filtered, layout), to);
    });
    check_codes(reference::download(*bench.queue, out, format),
                reference::deep_mixed(in, filtered, 0.8, 0, luma, area), 0, "deep");
  }
}

// The grid filters the whole frame; the mix shows the region of it.
TEST(test_grid) {
  Bench bench;
  Agreement agreement;
  const Frame frame = reference::natural_frame(61, 47);
  const Layout layout = glcl::layout_for(bench.context->device());
  Grid grid(*bench.context, 61, 47, layout);
  Mix mix(*bench.context, 61, 47, layout);
  Settings settings;
  settings.weight = Weight::intensity;
  settings.sigma_space = 5;
  settings.region = {11, 13, 30, 20};
  const Picture in = bench.upload(frame, layout), out = bench.upload(Frame(61, 47), layout);
  mix.run(*bench.queue, {1, false, -1, settings.region}, in, out,
          [&](const Picture &to) { grid.run(*bench.queue, settings, in, to); });
  agreement.check(bench.download(out),
                  reference::mixed(frame, reference::bilateral_grid(frame, settings), 1, 0, false,
                                   {settings.region}),
                  describe(settings.region));
}

// No line is drawn outside of the region, so a frame without filtered pixels passes on.
TEST(test_hairline) {
  Settings settings;
  settings.split = 0.5;
  fail_unless(Mix::hairline(settings, 100) == 50);
  settings.region = {50, 0, 10, 10};
  fail_unless(Mix::hairline(settings, 100) == 50);
  for (const Rect &region : {Rect{51, 0, 10, 10}, Rect{0, 0, 50, 10}}) {
    settings.region = region;
    fail_unless(Mix::hairline(settings, 100) == -1, "%s", describe(region).c_str());
  }
}
