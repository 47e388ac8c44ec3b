// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid in both layouts: against its double-precision reference, and against the exact
// filter.
#include "bilateral/grid.h"

#include <cstdio>

#include "film.h"
#include "kernels/bilateral/bilateral.h"
#include "reference/bilateral/bilateral.h"
#include "reference/bilateral/grid.h"

using glcl::bilateral::Grid;

namespace {

constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the tests

/// Texture units interpolate between two nodes in 256 steps.
double most_off(Layout layout) { return layout == Layout::image ? 0.02 : 0.01; }

Frame run(Bench &bench, Layout layout, const Settings &settings, const Frame &frame) {
  Grid engine(*bench.context, frame.width, frame.height, layout);
  return bench.run(engine, settings, frame);
}

void check_with_reference(Bench &bench, Agreement &agreement, Grid &engine,
                          const Settings &settings, const Frame &frame) {
  agreement.check(bench.run(engine, settings, frame), reference::bilateral_grid(frame, settings),
                  describe(settings, frame));
}

void check_variant(Bench &bench, Agreement &agreement, const glcl::Parameters &variant,
                   const Settings &settings, const Frame &frame, const Frame &expected) {
  Grid engine(*bench.context, frame.width, frame.height, variant);
  agreement.check(bench.run(engine, settings, frame), expected, glcl::describe(variant));
}

Frame grey(Frame frame) {
  for (size_t i = 0; i < frame.rgba.size(); i += 4) {
    uint8_t *p = &frame.rgba[i];
    p[0] = p[1] = p[2] = static_cast<uint8_t>((30 * p[0] + 59 * p[1] + 11 * p[2] + 50) / 100);
  }
  return frame;
}

/// The exact filter of grey frames, its window cut at 3.5 sigma, pixel by pixel.
class ExactFilter {
 public:
  explicit ExactFilter(const Settings &settings)
      : radius_(static_cast<int>(std::ceil(3.5 * settings.sigma_space))) {
    for (int d = -radius_; d <= radius_; d++) space_.push_back(gaussian(d, settings.sigma_space));
    // The Euclidean distance of two greys is √3 times their difference.
    const double distance = settings.weight == Weight::color ? std::sqrt(3.0) : 1;
    for (int d = -255; d <= 255; d++)
      range_.push_back(gaussian(distance * d, 255 * settings.sigma_range));
  }

  double at(const Frame &frame, int x, int y) const {
    const int centre = *frame.at(x, y);
    double sum = 0, weight = 0;
    for (int dy = -radius_; dy <= radius_; dy++) {
      const int row = std::clamp(y + dy, 0, frame.height - 1);
      for (int dx = -radius_; dx <= radius_; dx++) {
        const int q = *frame.at(std::clamp(x + dx, 0, frame.width - 1), row);
        const double w = space_[dy + radius_] * space_[dx + radius_] * range_[q - centre + 255];
        sum += w * q;
        weight += w;
      }
    }
    return std::floor(sum / weight + 0.5);
  }

 private:
  static double gaussian(double d, double sigma) { return std::exp(-d * d / (2 * sigma * sigma)); }

  int radius_;
  std::vector<double> space_, range_;
};

/// dB, over every 601st pixel.
double psnr(const Frame &frame, const Frame &result, const Settings &settings) {
  const ExactFilter exact(settings);
  double error = 0;
  int count = 0;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      if ((7 * x + 13 * y) % 601 == 0) {
        error += std::pow(exact.at(frame, x, y) - *result.at(x, y), 2);
        count++;
      }
  return 10 * std::log10(255.0 * 255.0 * count / error);
}

void check_accuracy(Bench &bench, Grid &engine, const Frame &frame, const Settings &settings,
                    double least) {
  const double reached = psnr(frame, bench.run(engine, settings, frame), settings);
  const std::string what = describe(settings, frame);
  std::printf("%s: %.1f dB\n", what.c_str(), reached);
  fail_unless(reached >= least, "%s: %.1f dB", what.c_str(), reached);
}

}  // namespace

TEST_EACH(test_content, 0, 2) {
  Bench bench;
  Agreement agreement{most_off(layouts[__i__])};
  std::vector<Frame> frames = {reference::random_frame(97, 53), reference::flat_frame(97, 53),
                               reference::gradient_frame(97, 53), reference::natural_frame(97, 53)};
  for (const Frame &picture : film::pictures())
    frames.push_back(reference::crop(picture, picture.width / 3, picture.height / 2, 97, 53));
  Grid engine(*bench.context, 97, 53, layouts[__i__]);
  for (const Frame &frame : frames)
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_space = 4.5;
      settings.weight = weight;
      check_with_reference(bench, agreement, engine, settings, frame);
    }
}

// With 16 bits per channel, on images within half a level: texture units interpolate in 256 steps.
TEST_EACH(test_deep, 0, 2) {
  Bench bench;
  int most = 0;
  for (const Frame &frame : {reference::random_frame(97, 53), reference::flat_frame(97, 53),
                             reference::gradient_frame(97, 53), reference::natural_frame(1, 1)}) {
    const reference::PlanarFrame codes = deep(frame);
    Grid engine(*bench.context, frame.width, frame.height, layouts[__i__],
                glcl::PixelFormat::rgba64);
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_space = 4.5;
      settings.weight = weight;
      settings.split = weight == Weight::color ? 0.4 : 0;
      settings.iterations = weight == Weight::color ? 2 : 1;
      most = std::max(
          most, check_codes(run_deep(bench, engine, settings, codes),
                            reference::deep_bilateral_grid(codes, settings),
                            layouts[__i__] == Layout::image ? 128 : 4, describe(settings, frame)));
    }
  }
  std::printf("at most %d of 65535 off\n", most);
}

TEST_EACH(test_sizes, 0, 2) {
  Bench bench;
  Agreement agreement{most_off(layouts[__i__])};
  const int sizes[][2] = {{1, 1},  {1, 37},  {37, 1},  {2, 2},    {3, 5},   {15, 4},
                          {17, 3}, {33, 17}, {128, 8}, {130, 65}, {300, 2}, {2, 300}};
  for (const auto &[width, height] : sizes) {
    Grid engine(*bench.context, width, height, layouts[__i__]);
    for (Weight weight : weights) {
      Settings settings;
      settings.sigma_range = 0.3;
      settings.weight = weight;
      check_with_reference(bench, agreement, engine, settings,
                           reference::random_frame(width, height));
    }
  }
}

TEST_EACH(test_sigmas, 0, 2) {
  Bench bench;
  Agreement agreement{most_off(layouts[__i__])};
  for (const Frame &frame : {reference::random_frame(67, 41), reference::natural_frame(67, 41)}) {
    Grid engine(*bench.context, frame.width, frame.height, layouts[__i__]);
    for (double range : {0.015, 0.1, 0.37, 1.0})
      for (double space : {2.0, 3.3, 16.0, 64.0})
        for (Weight weight : weights) {
          Settings settings;
          settings.sigma_space = space;
          settings.sigma_range = range;
          settings.weight = weight;
          if (engine.suits(settings))
            check_with_reference(bench, agreement, engine, settings, frame);
        }
  }
}

TEST_EACH(test_iterations_and_split, 0, 2) {
  Bench bench;
  const Frame frame = reference::natural_frame(53, 19);
  Grid engine(*bench.context, frame.width, frame.height, layouts[__i__]);
  Settings once;
  Frame chained = frame;
  for (int n = 1; n <= 3; n++) {
    chained = bench.run(engine, once, chained);
    for (double split : {0.0, 0.009, 0.01, 0.5, 0.98, 0.99, 1.0}) {
      Settings settings = once;
      settings.iterations = n;
      settings.split = split;
      Frame expected = chained;
      reference::show_split(frame, expected, split);
      check_equal(bench.run(engine, settings, frame), expected, describe(settings, frame));
    }
  }
}

TEST_EACH(test_groups, 0, 2) {
  Bench bench;
  Agreement agreement{most_off(layouts[__i__])};
  const Frame frame = reference::natural_frame(71, 37);
  for (Weight weight : weights) {
    Settings settings;
    settings.weight = weight;
    const Frame expected = reference::bilateral_grid(frame, settings);
    for (Size group :
         {Size{1, 1}, Size{5, 3}, Size{16, 16}, Size{64, 1}, Size{1, 32}, Size{100000, 1}}) {
      glcl::Parameters variant = Grid::variant(layouts[__i__]);
      variant["group-x"] = static_cast<int>(group.x);
      variant["group-y"] = static_cast<int>(group.y);
      variant["lanes"] = static_cast<int>(group.x * group.y);
      check_variant(bench, agreement, variant, settings, frame, expected);
    }
    for (int n : {1, 3, 4, 6}) {
      glcl::Parameters variant = Grid::variant(layouts[__i__]);
      variant["rows"] = n;
      check_variant(bench, agreement, variant, settings, frame, expected);
    }
  }
}

// Settings are arguments: no change compiles, and an engine does not remember the last ones.
TEST_EACH(test_settings_change, 0, 2) {
  Bench bench;
  const Frame frame = reference::natural_frame(80, 45);
  Grid engine(*bench.context, frame.width, frame.height, layouts[__i__]);
  for (Weight weight : weights) {
    Settings settings;
    settings.weight = weight;
    bench.run(engine, settings, frame);  // has its program built
  }
  const unsigned compiled = glcl::programs_compiled();
  std::vector<Settings> list(8);
  list[1].radius = 9;
  list[2].sigma_space = 12;
  list[3].weight = Weight::per_channel;
  list[4].weight = Weight::intensity;
  list[4].sigma_range = 0.02;
  list[5].iterations = 3;
  list[6].sigma_space = 64;
  for (const Settings &settings : list)
    check_equal(bench.run(engine, settings, frame), run(bench, layouts[__i__], settings, frame),
                describe(settings, frame));
  check_equal(bench.run(engine, list[0], frame), bench.run(engine, list[1], frame), "radius");
  fail_unless_equals_int(glcl::programs_compiled(), compiled);
}

// A program is built when it is asked for, in the background, and no other one is.
TEST_EACH_ALONE(test_ready, 0, 2) {
  Bench bench;
  const unsigned compiled = glcl::programs_compiled();
  Grid engine(*bench.context, 40, 30, layouts[__i__]);
  fail_unless_equals_int(glcl::programs_compiled(), compiled);
  Settings per_channel;
  per_channel.weight = Weight::per_channel;
  while (!engine.ready(per_channel)) g_usleep(1000);
  fail_unless_equals_int(glcl::programs_compiled(), compiled + 1);
  engine.prepare(per_channel);
  const Frame frame = reference::natural_frame(40, 30);
  bench.run(engine, per_channel, frame);
  fail_unless_equals_int(glcl::programs_compiled(), compiled + 1);
  engine.ready({});
  engine.prepare({});
  fail_unless(engine.ready({}));
  bench.run(engine, Settings{}, frame);
  fail_unless_equals_int(glcl::programs_compiled(), compiled + 2);
}

// Frames one after the other without a wait between them, in a grid that grows meanwhile.
TEST_EACH(test_queued_frames, 0, 2) {
  Bench bench;
  const int width = 61, height = 33;
  Grid engine(*bench.context, width, height, layouts[__i__]);
  std::vector<Frame> frames;
  std::vector<Picture> ins, outs;
  std::vector<Settings> list(5);
  for (int i = 0; i < 5; i++) {
    frames.push_back(reference::natural_frame(width, height));
    const int padding = layouts[__i__] == Layout::buffer ? i : 0;
    ins.push_back(bench.upload(frames[i], layouts[__i__], padding));
    outs.push_back(bench.upload(Frame(width, height), layouts[__i__], 2 * padding));
    list[i].sigma_space = 12 - 2 * i;
    list[i].iterations = 1 + i % 2;
    list[i].weight = weights[i % 3];
  }
  for (int i = 0; i < 5; i++) engine.run(*bench.queue, list[i], ins[i], outs[i]);
  for (int i = 0; i < 5; i++)
    check_equal(bench.download(outs[i]), run(bench, layouts[__i__], list[i], frames[i]),
                describe(list[i], frames[i]));
}

TEST_EACH(test_wrong_input, 0, 2) {
  Bench bench;
  Grid engine(*bench.context, 16, 8, layouts[__i__]);
  const Layout other = layouts[1 - __i__];
  const Picture good = bench.upload(Frame(16, 8), layouts[__i__]);
  Settings too_small;
  too_small.sigma_space = 1.9;
  const auto refused = [&](const Settings &settings, const Picture &out) {
    try {
      engine.run(*bench.queue, settings, good, out);
    } catch (const glcl::Error &error) {
      return error.kind() == glcl::Error::Kind::settings;
    }
    return false;
  };
  fail_unless(refused({}, bench.upload(Frame(16, 9), layouts[__i__])));
  fail_unless(refused({}, bench.upload(Frame(16, 8), other)));
  fail_unless(refused(too_small, good));
}

TEST(test_what_suits) {
  Bench bench;
  Grid engine(*bench.context, 1920, 1080, Layout::buffer);
  const auto suits = [&](double space, double range, Weight weight) {
    Settings settings;
    settings.sigma_space = space;
    settings.sigma_range = range;
    settings.weight = weight;
    return engine.suits(settings);
  };
  for (double space : {3.0, 5.0, 8.0, 16.0, 32.0, 64.0})
    for (double range : {25 / 255.0, 0.1, 50 / 255.0, 1.0})
      for (Weight weight : weights) fail_unless(suits(space, range, weight));
  const bool has_room = bench.context->device().local_memory() >= 47 << 10;
  fail_unless(!has_room || suits(16, 0.01, Weight::intensity));
  fail_if(suits(1.9, 0.1, Weight::intensity));
  fail_if(suits(3, 0.03, Weight::intensity));
  fail_if(suits(65, 0.1, Weight::intensity));
  fail_if(suits(64, 0.007, Weight::intensity));
  fail_if(suits(64, 0.013, Weight::color));
  fail_if(suits(64, 0, Weight::per_channel));
}

// Every picture by itself: at least 49 dB at sigma-range 25/255 and 44 dB at 50/255.
TEST_EACH(test_accuracy, 0, 2) {
  Bench bench;
  for (const Frame &picture : film::pictures()) {
    const Frame frame = grey(picture);
    Grid engine(*bench.context, frame.width, frame.height, layouts[__i__]);
    Settings settings;
    for (double space : {3.0, 5.0, 8.0, 16.0}) {
      settings.sigma_space = space;
      settings.weight = Weight::intensity;
      settings.sigma_range = 25 / 255.0;
      check_accuracy(bench, engine, frame, settings, 49);
      settings.sigma_range = 50 / 255.0;
      check_accuracy(bench, engine, frame, settings, 44);
    }
    settings.sigma_space = 8;
    for (Weight weight : {Weight::color, Weight::per_channel}) {
      settings.weight = weight;
      check_accuracy(bench, engine, frame, settings, 44);
    }
  }
}
