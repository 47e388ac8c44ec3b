// SPDX-License-Identifier: LGPL-2.1-or-later
// The mix of the bilateral filters' results with their input, against its reference.
#include "bilateral/mix.h"

#include "bilateral/grid.h"
#include "kernels/bilateral/bilateral.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"

using glcl::bilateral::BilateralFilter;
using glcl::bilateral::Grid;
using glcl::bilateral::Mix;
using Form = BilateralFilter::Form;

namespace {

constexpr double amounts[] = {0, 0.25, 1 / 3.0, 0.7, 0.999, 1};
constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the tests

/// The mix of a frame with a given result of a filter.
Frame mix(Bench &bench, Layout layout, const Frame &in, const Frame &filtered,
          const Mix::Settings &settings) {
  Mix mix(*bench.context, in.width, in.height, layout);
  const int padding = layout == Layout::buffer ? 3 : 0;
  const Picture from = bench.upload(in, layout, padding),
                out = bench.upload(Frame(in.width, in.height), layout, 2 * padding);
  mix.run(*bench.queue, settings, from, out, [&](const Picture &to) {
    glcl::copy_picture(*bench.queue, bench.upload(filtered, layout), to);
  });
  return bench.download(out);
}

reference::PlanarFrame deep_mix(Bench &bench, Layout layout, const reference::PlanarFrame &in,
                                const reference::PlanarFrame &filtered,
                                const Mix::Settings &settings) {
  const auto &format = glcl::PixelFormat::rgba64;
  Mix mix(*bench.context, in.width, in.height, layout, format);
  const Picture from = reference::upload(*bench.queue, in, layout),
                out = reference::upload(
                    *bench.queue, reference::PlanarFrame(format, in.width, in.height), layout);
  mix.run(*bench.queue, settings, from, out, [&](const Picture &to) {
    glcl::copy_picture(*bench.queue, reference::upload(*bench.queue, filtered, layout), to);
  });
  return reference::download(*bench.queue, out, format);
}

/// The filtered frame in the alpha of the input, as filters give it.
Frame with_alpha_of(const Frame &in, Frame filtered) {
  for (size_t i = 3; i < in.rgba.size(); i += 4) filtered.rgba[i] = in.rgba[i];
  return filtered;
}

}  // namespace

// Every code, also of both ends, and every side of a split view.
TEST_EACH(test_equals_the_reference, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  for (const auto &[width, height] : {std::pair{1, 1}, {1, 37}, {17, 5}, {67, 33}}) {
    const Frame frames[] = {
        reference::random_frame(width, height), reference::flat_frame(width, height),
        reference::gradient_frame(width, height), reference::natural_frame(width, height)};
    for (const Frame &in : frames)
      for (const double split : {0.0, 0.4})
        for (const double amount : amounts)
          for (const bool luma : {false, true}) {
            Settings settings;
            settings.split = split;
            Frame filtered = with_alpha_of(in, reference::random_frame(width, height, 7));
            reference::show_split(in, filtered, split);
            check_equal(
                mix(bench, layout, in, filtered, {amount, luma, Mix::hairline(settings, width)}),
                reference::mixed(in, filtered, amount, split, luma),
                describe(settings, in) + ", amount " + std::to_string(amount));
          }
  }
}

TEST_EACH(test_deep, 0, 2) {
  Bench bench;
  for (const auto &[width, height] : {std::pair{1, 1}, {19, 7}, {64, 33}}) {
    const reference::PlanarFrame in = deep(reference::random_frame(width, height));
    reference::PlanarFrame filtered = deep(reference::natural_frame(width, height));
    for (size_t i = 3; i < in.planes[0].values.size(); i += 4)
      filtered.planes[0].values[i] = in.planes[0].values[i];
    for (const double amount : amounts)
      for (const bool luma : {false, true})
        check_codes(deep_mix(bench, layouts[__i__], in, filtered, {amount, luma}),
                    reference::deep_mixed(in, filtered, amount, 0, luma), 0,
                    "amount " + std::to_string(amount));
  }
}

// The input of the first iteration is mixed in, by every form and by the grid.
TEST_EACH(test_filters, 0, 4) {
  Bench bench;
  Agreement agreement;
  const Frame frame = reference::natural_frame(61, 47);
  const bool by_grid = __i__ == 3;
  const Layout grid_layout = glcl::layout_for(bench.context->device());
  BilateralFilter exact(
      *bench.context, frame.width, frame.height,
      BilateralFilter::variant(bench.context->device(), static_cast<Form>(by_grid ? 0 : __i__)));
  Grid grid(*bench.context, frame.width, frame.height, grid_layout);
  const Layout layout = by_grid ? grid_layout : exact.layout();
  Mix mix(*bench.context, frame.width, frame.height, layout);
  for (const int iterations : {1, 3})
    for (const double split : {0.0, 0.3})
      for (const double amount : {0.0, 0.4, 1.0}) {
        Settings settings;
        settings.iterations = iterations;
        settings.split = split;
        settings.weight = Weight::intensity;
        const Picture in = bench.upload(frame, layout),
                      out = bench.upload(Frame(frame.width, frame.height), layout);
        bool filtered = false;
        mix.run(*bench.queue, {amount, false, Mix::hairline(settings, frame.width)}, in, out,
                [&](const Picture &to) {
                  filtered = true;
                  by_grid ? grid.run(*bench.queue, settings, in, to)
                          : exact.run(*bench.queue, settings, in, to);
                });
        fail_unless(filtered == (amount > 0), "the filter ran: %d", filtered);
        const Frame expected = by_grid ? reference::bilateral_grid(frame, settings)
                                       : reference::bilateral(frame, settings);
        agreement.check(bench.download(out), reference::mixed(frame, expected, amount, split),
                        describe(settings, frame) + ", amount " + std::to_string(amount));
      }
}

TEST(test_passes_on) {
  Settings settings;
  const auto passes_on = [&](double amount) {
    return Mix::Settings{amount, false, Mix::hairline(settings, 100)}.passes_on();
  };
  fail_unless(passes_on(0) && !passes_on(0.001));
  settings.split = 0.5;
  fail_unless(!passes_on(0));
  settings.split = 0.004;  // less than half a column
  fail_unless(passes_on(0));
  settings.split = 1;
  fail_unless(passes_on(0));
}

TEST(test_wrong_pictures) {
  Bench bench;
  Mix mix(*bench.context, 16, 8, Layout::buffer);
  const Picture good = bench.upload(Frame(16, 8), Layout::buffer);
  for (const Picture &wrong :
       {bench.upload(Frame(16, 9), Layout::buffer), bench.upload(Frame(16, 8), Layout::image),
        reference::upload(*bench.queue, deep(Frame(16, 8)), Layout::buffer)})
    try {
      mix.run(*bench.queue, {0.5}, good, wrong, [](const Picture &) {});
      fail("a picture that does not fit was taken");
    } catch (const glcl::Error &error) {
      fail_unless(error.kind() == glcl::Error::Kind::settings);
    }
}
