// SPDX-License-Identifier: LGPL-2.1-or-later
// Every form of the bilateral engine against the double-precision reference.
#include "bilateral/bilateral.h"

#include "film.h"
#include "kernels/bands.h"
#include "kernels/bilateral/bilateral.h"
#include "reference/bilateral/bilateral.h"

using glcl::Parameters;
using glcl::bilateral::BilateralFilter;
using Form = BilateralFilter::Form;

namespace {

constexpr Form forms[] = {Form::tile, Form::direct, Form::vector};  // the loop index of the tests

BilateralFilter make(Bench &bench, Form form, const Frame &frame) {
  return {*bench.context, frame.width, frame.height,
          BilateralFilter::variant(bench.context->device(), form)};
}

/// By the program that is best for the settings, not by one that serves while that is built: the
/// two may round otherwise.
Frame prepared_run(Bench &bench, BilateralFilter &engine, const Settings &settings,
                   const Frame &frame) {
  engine.prepare(settings);
  return bench.run(engine, settings, frame);
}

Frame run(Bench &bench, Form form, const Settings &settings, const Frame &frame) {
  BilateralFilter engine = make(bench, form, frame);
  return prepared_run(bench, engine, settings, frame);
}

void check_with_reference(Bench &bench, Agreement &agreement, Form form, const Settings &settings,
                          const Frame &frame) {
  agreement.check(run(bench, form, settings, frame), reference::bilateral(frame, settings),
                  describe(settings, frame));
}

}  // namespace

TEST_EACH(test_content, 0, 3) {
  Bench bench;
  Agreement agreement;
  std::vector<Frame> frames = {reference::random_frame(65, 33), reference::flat_frame(65, 33),
                               reference::gradient_frame(65, 33), reference::natural_frame(97, 53)};
  for (const Frame &picture : film::pictures())
    frames.push_back(reference::crop(picture, picture.width / 3, picture.height / 2, 81, 47));
  for (const Frame &frame : frames)
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_space = 2.5;
      settings.weight = weight;
      check_with_reference(bench, agreement, forms[__i__], settings, frame);
    }
}

// With 16 bits per channel: within 1/60 of a level, also of weights that only small differences
// have.
TEST_EACH(test_deep, 0, 4) {
  Bench bench;
  Parameters variant = BilateralFilter::variant(bench.context->device(), forms[__i__ % 3]);
  if (__i__ == 3) variant["fixed"] = 1;
  int most = 0;
  for (const Frame &frame : {reference::random_frame(33, 17), reference::flat_frame(33, 17),
                             reference::gradient_frame(35, 18), reference::natural_frame(1, 1)}) {
    const reference::PlanarFrame codes = deep(frame);
    BilateralFilter engine(*bench.context, frame.width, frame.height, variant,
                           glcl::PixelFormat::rgba64);
    for (double sigma_range : {0.0, 0.001, 0.02, 0.3})
      for (Weight weight : weights) {
        Settings settings;
        settings.radius = 3;
        settings.sigma_range = sigma_range;
        settings.weight = weight;
        engine.prepare(settings);
        most = std::max(most, check_codes(run_deep(bench, engine, settings, codes),
                                          reference::deep_bilateral(codes, settings), 4,
                                          describe(settings, frame)));
      }
    Settings settings;
    settings.split = 0.4;
    settings.iterations = 2;
    engine.prepare(settings);
    check_codes(run_deep(bench, engine, settings, codes),
                reference::deep_bilateral(codes, settings), 4, describe(settings, frame));
  }
  std::printf("at most %d of 65535 off\n", most);
}

// Work in bands gives the same bits, also by the form for one radius.
TEST_EACH(test_bands, 0, 4) {
  Bench bench;
  const Frame frame = reference::natural_frame(67, 83);
  Parameters variant = BilateralFilter::variant(bench.context->device(), forms[__i__ % 3]);
  if (__i__ == 3) variant["fixed"] = 1;
  for (Weight weight : weights) {
    Settings settings;
    settings.radius = 5;
    settings.iterations = 2;
    settings.split = 0.2;
    settings.weight = weight;
    BilateralFilter whole(*bench.context, frame.width, frame.height, variant),
        parts(*bench.context, frame.width, frame.height, variant);
    parts.prepare(settings);
    Frame got;
    const int bands = in_bands(*bench.queue, [&] { got = bench.run(parts, settings, frame); });
    fail_unless(bands > settings.iterations, "%d launches", bands);
    check_equal(got, prepared_run(bench, whole, settings, frame), describe(settings, frame));
  }
}

TEST_EACH(test_sizes, 0, 3) {
  Bench bench;
  Agreement agreement;
  const int sizes[][2] = {{1, 1},  {1, 37}, {37, 1},  {2, 2},    {3, 5},    {15, 4},
                          {16, 2}, {17, 3}, {33, 17}, {127, 65}, {128, 64}, {130, 7}};
  for (const auto &[width, height] : sizes)
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_space = 1.2;
      settings.sigma_range = 0.3;
      settings.radius = 3;
      settings.weight = weight;
      check_with_reference(bench, agreement, forms[__i__], settings,
                           reference::random_frame(width, height));
    }
}

TEST_EACH(test_radii, 0, 3) {
  Bench bench;
  Agreement agreement;
  for (int radius : {0, 1, 2, 5, 12, 40, 128})
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_space = radius ? radius / 2.0 : 3.3;
      settings.radius = radius;
      settings.weight = weight;
      const Frame frame =
          radius > 12 ? reference::natural_frame(11, 7) : reference::natural_frame(41, 23);
      check_with_reference(bench, agreement, forms[__i__], settings, frame);
    }
}

TEST_EACH(test_sigmas, 0, 3) {
  Bench bench;
  Agreement agreement;
  for (const Frame &frame : {reference::random_frame(23, 17), reference::natural_frame(23, 17)})
    for (double range : {0.0, 0.002, 0.02, 0.1, 1.0})
      for (double space : {0.1, 3.0, 64.0})
        for (Weight weight : weights) {
          Settings settings;
          settings.sigma_space = space;
          settings.sigma_range = range;
          settings.radius = 4;
          settings.weight = weight;
          check_with_reference(bench, agreement, forms[__i__], settings, frame);
        }
}

// sigma-range 0 is the limit: colours that differ do not mix (equal intensities of other colours
// do).
TEST_EACH(test_range_zero_keeps_colours, 0, 3) {
  Bench bench;
  const Frame frame = reference::random_frame(31, 21);
  Settings settings;
  settings.sigma_range = 0;
  for (Weight weight : {Weight::color, Weight::per_channel}) {
    settings.weight = weight;
    check_equal(run(bench, forms[__i__], settings, frame), frame, describe(settings, frame));
  }
}

TEST_EACH(test_iterations, 0, 3) {
  Bench bench;
  Agreement agreement;
  const Frame frame = reference::natural_frame(37, 19);
  BilateralFilter engine = make(bench, forms[__i__], frame);
  Settings once;
  once.sigma_space = 1.5;
  Frame chained = frame, expected = frame;
  for (int n = 1; n <= 4; n++) {
    Settings settings = once;
    settings.iterations = n;
    const Frame before = chained;
    chained = prepared_run(bench, engine, once, chained);
    check_equal(prepared_run(bench, engine, settings, frame), chained, describe(settings, frame));
    agreement.check(chained, reference::bilateral(before, once), describe(settings, frame));
  }
}

TEST_EACH(test_split, 0, 3) {
  Bench bench;
  const Frame frame = reference::natural_frame(53, 9);
  BilateralFilter engine = make(bench, forms[__i__], frame);
  for (int iterations : {1, 3})
    for (double split : {0.0, 0.009, 0.01, 0.3, 0.5, 0.61, 0.98, 0.99, 1.0}) {
      Settings settings;
      settings.iterations = iterations;
      Frame expected = prepared_run(bench, engine, settings, frame);
      settings.split = split;
      const int column = static_cast<int>(std::lround(split * frame.width));
      for (int y = 0; y < frame.height; y++) {
        std::copy_n(frame.at(0, y), 4 * column, expected.at(0, y));
        if (column > 0 && column < frame.width) std::fill_n(expected.at(column, y), 3, 255);
      }
      check_equal(bench.run(engine, settings, frame), expected, describe(settings, frame));
    }
  Settings settings;
  settings.split = 0.5;
  Agreement agreement;
  check_with_reference(bench, agreement, forms[__i__], settings, frame);
}

TEST_EACH(test_groups, 0, 3) {
  Bench bench;
  const Frame frame = reference::natural_frame(71, 37);
  Settings settings;
  settings.radius = 3;
  const Frame expected = reference::bilateral(frame, settings);
  Agreement agreement;
  for (Size group :
       {Size{1, 1}, Size{5, 3}, Size{16, 16}, Size{64, 1}, Size{1, 32}, Size{100000, 100000}}) {
    Parameters variant = BilateralFilter::variant(bench.context->device(), forms[__i__]);
    variant["group-x"] = static_cast<int>(group.x);
    variant["group-y"] = static_cast<int>(group.y);
    BilateralFilter engine(*bench.context, frame.width, frame.height, variant);
    agreement.check(prepared_run(bench, engine, settings, frame), expected,
                    glcl::describe(variant));
  }
}

// Variants that glcl-tune may pick, and the program for one radius next to the one for all.
TEST(test_variants) {
  Bench bench;
  const Frame frame = reference::natural_frame(71, 37);
  Parameters variant = BilateralFilter::variant(bench.context->device(), Form::tile);
  const std::tuple<int, int, int, Weight, double> cases[] = {
      {2, 1, 2, Weight::color, 0.1},     {3, 2, 1, Weight::per_channel, 0.1},
      {4, 2, 2, Weight::intensity, 0.1}, {6, 1, 1, Weight::color, 0.05},
      {3, 2, 5, Weight::color, 0.1},     {2, 2, 3, Weight::per_channel, 0.3}};
  for (const auto &[rows, columns, radius, weight, sigma_range] : cases) {
    Settings settings;
    settings.radius = radius;
    settings.weight = weight;
    settings.sigma_range = sigma_range;
    variant["rows"] = rows;
    variant["columns"] = 1;
    variant["fixed"] = 0;
    BilateralFilter any(*bench.context, frame.width, frame.height, variant);
    const Frame expected = bench.run(any, settings, frame);
    Agreement agreement;
    const Frame reference = reference::bilateral(frame, settings);
    agreement.check(expected, reference, glcl::describe(variant));
    variant["columns"] = columns;
    variant["fixed"] = 1;
    BilateralFilter fixed(*bench.context, frame.width, frame.height, variant);
    agreement.check(bench.run(fixed, settings, frame), reference, "while it is built");
    agreement.check(prepared_run(bench, fixed, settings, frame), reference,
                    glcl::describe(variant));
  }
}

TEST(test_pitch) {
  Bench bench;
  const Frame frame = reference::natural_frame(45, 14);
  BilateralFilter engine = make(bench, Form::vector, frame);
  Settings settings;
  settings.split = 0.2;
  const Frame expected = bench.run(engine, settings, frame);
  for (const auto &[in, out] : {std::pair{3, 0}, {0, 19}, {7, 40}}) {
    check_equal(bench.run(engine, settings, frame, in, out), expected, "padded pitch");
  }

  // The padding between rows must not be written.
  const Frame wide = reference::random_frame(frame.width + 11, frame.height);
  Picture out = bench.upload(wide, Layout::buffer);
  out.width = frame.width;
  engine.run(*bench.queue, settings, bench.upload(frame, Layout::buffer), out);
  out.width = wide.width;
  const Frame result = bench.download(out);
  for (int y = 0; y < frame.height; y++)
    fail_unless(std::equal(result.at(frame.width, y), result.at(frame.width, y) + 44,
                           wide.at(frame.width, y)),
                "row %d was written beyond its end", y);
}

// Settings are arguments: no change compiles, but for devices that have a program of their own for
// each radius, and an engine does not remember the last ones.
TEST_EACH(test_settings_change, 0, 3) {
  Bench bench;
  const Frame frame = reference::natural_frame(33, 18);
  BilateralFilter engine = make(bench, forms[__i__], frame);
  bench.run(engine, Settings{}, frame);  // has its program built
  const unsigned compiled = glcl::programs_compiled();
  std::vector<Settings> list(7);
  list[1].radius = 9;
  list[2].sigma_space = 0.8;
  list[3].weight = Weight::per_channel;
  list[4].weight = Weight::intensity;
  list[4].sigma_range = 0.4;
  list[5].iterations = 3;
  for (const Settings &settings : list)
    check_equal(prepared_run(bench, engine, settings, frame),
                run(bench, forms[__i__], settings, frame), describe(settings, frame));
  if (!BilateralFilter::variant(bench.context->device(), forms[__i__]).at("fixed"))
    fail_unless_equals_int(glcl::programs_compiled(), compiled);
}

// Frames one after the other without a wait between them.
TEST_EACH(test_queued_frames, 0, 3) {
  Bench bench;
  const int width = 61, height = 33;
  BilateralFilter engine = make(bench, forms[__i__], Frame(width, height));
  std::vector<Frame> frames;
  std::vector<Picture> ins, outs;
  std::vector<Settings> list(5);
  for (int i = 0; i < 5; i++) {
    frames.push_back(reference::random_frame(width, height, 10 + i));
    ins.push_back(bench.upload(frames[i], engine.layout()));
    outs.push_back(bench.upload(Frame(width, height), engine.layout()));
    list[i].sigma_space = 1 + i % 3;
    list[i].sigma_range = 0.5;
    list[i].iterations = 1 + i % 2;
  }
  for (int i = 0; i < 5; i++) {
    engine.prepare(list[i]);
    engine.run(*bench.queue, list[i], ins[i], outs[i]);
  }
  for (int i = 0; i < 5; i++)
    check_equal(bench.download(outs[i]), run(bench, forms[__i__], list[i], frames[i]),
                describe(list[i], frames[i]));
}

TEST(test_automatic) {
  Bench bench;
  BilateralFilter engine(*bench.context, 8, 8);
  fail_unless((engine.layout() == Layout::buffer) == bench.context->device().prefers_buffers());
  const int beyond =
      static_cast<int>(bench.context->device().device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>() + 1);
  BilateralFilter wide(*bench.context, beyond, 2);
  fail_unless(wide.layout() == Layout::buffer);
  try {
    make(bench, Form::tile, Frame(beyond, 2));
    fail("images larger than the device has were promised");
  } catch (const glcl::Error &error) {
    fail_unless(error.kind() == glcl::Error::Kind::settings);
  }
  Settings settings;
  settings.radius = 1;
  Agreement agreement;
  const Frame frame = reference::natural_frame(beyond, 2);
  agreement.check(bench.run(wide, settings, frame), reference::bilateral(frame, settings),
                  describe(settings, frame));
}

TEST_EACH(test_wrong_pictures, 0, 3) {
  Bench bench;
  BilateralFilter engine = make(bench, forms[__i__], Frame(16, 8));
  const Layout other = engine.layout() == Layout::image ? Layout::buffer : Layout::image;
  const Picture good = bench.upload(Frame(16, 8), engine.layout());
  for (const Picture &wrong :
       {bench.upload(Frame(16, 9), engine.layout()), bench.upload(Frame(16, 8), other),
        reference::upload(*bench.queue, deep(Frame(16, 8)), engine.layout())}) {
    try {
      engine.run(*bench.queue, {}, good, wrong);
      fail("a picture that does not fit was taken");
    } catch (const glcl::Error &error) {
      fail_unless(error.kind() == glcl::Error::Kind::settings);
    }
  }
}

TEST(test_radius_of_settings) {
  Settings settings;
  fail_unless_equals_int(BilateralFilter::radius(settings), 6);
  settings.sigma_space = 0.1;
  fail_unless_equals_int(BilateralFilter::radius(settings), 1);
  settings.sigma_space = 2.3;
  fail_unless_equals_int(BilateralFilter::radius(settings), 5);
  settings.sigma_space = 1e9;
  fail_unless_equals_int(BilateralFilter::radius(settings), 128);
  settings.radius = 7;
  fail_unless_equals_int(BilateralFilter::radius(settings), 7);
  settings.radius = 500;
  fail_unless_equals_int(BilateralFilter::radius(settings), 128);
}
