// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of filters: fused, one kernel for each filter, and the scalar reference.
#include "chain/chain.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <future>
#include <random>
#include <thread>

#include "kernels/bands.h"
#include "kernels/engine.h"
#include "opencl/compilertask.h"
#include "reference/chain/chain.h"

using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::parse_chain;

namespace {

/// Every filter of the library, with values that are not its defaults.
const char *const samples[] = {"grey",
                               "gauss(sigma=0.8)",
                               "gauss(sigma=1.7, radius=4)",
                               "box(size=2)",
                               "sobel(gain=1.5)",
                               "sharpen(amount=0.75)",
                               "unsharp(sigma=0.9, amount=1.2)",
                               "median",
                               "threshold(level=0.4)",
                               "gamma(value=1.8)",
                               "saturation(amount=2)",
                               "lut(points=[0.1 0.2 0.9 1])",
                               "blend(amount=0.3)",
                               "motionblur(decay=0.6)",
                               "emboss(depth=1)",
                               "invert(strength=0.9)",
                               "convolve(matrix=[1 2 1; 2 4 2; 1 2 1])",
                               "convolve(matrix=[0 -1 0; -1 8 -1; 0 -1 0], factor=1.5)",
                               "convolve(matrix=[-1 0 1], plus=0.5)"};

glcl::Parameters variant(Size group, int rows, int plan) {
  return {{"group-x", int(group.x)}, {"group-y", int(group.y)}, {"rows", rows}, {"plan", plan}};
}

std::vector<Frame> run(Bench &bench, Chain &chain, const std::vector<Frame> &frames) {
  std::vector<Frame> results;
  for (const Frame &frame : frames) {
    const Picture in = bench.upload(frame, chain.layout(), 3),
                  out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
    chain.run(*bench.queue, in, out);
    results.push_back(bench.download(out));
  }
  return results;
}

/// Counts differences of more than a level, which a different rounding may become after a threshold
/// or another steep filter, and all differences.
struct Difference {
  size_t values = 0, off = 0, far = 0;

  void add(const std::vector<Frame> &a, const std::vector<Frame> &b) {
    for (size_t f = 0; f < a.size(); f++)
      for (size_t i = 0; i < a[f].rgba.size(); i++) {
        const int difference = std::abs(int(a[f].rgba[i]) - int(b[f].rgba[i]));
        values++;
        off += difference > 0;
        far += difference > 1;
      }
  }
};

std::vector<Frame> frames_of(int width, int height, unsigned seed) {
  return {reference::random_frame(width, height, seed), reference::natural_frame(width, height),
          reference::gradient_frame(width, height)};
}

}  // namespace

TEST(test_every_filter_equals_the_reference) {
  Bench bench;
  Agreement agreement;
  int count = 0;  // every other filter on images, the rest on buffers
  for (const char *text : samples) {
    const Description wanted = parse_chain(text, "test", {});
    const bool both = wanted.items[0].filter->frames > 1;
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      if (!both && layout == (count++ % 4 < 2 ? Layout::image : Layout::buffer)) continue;
      Chain chain(*bench.context, wanted, {false, layout, {}});
      for (const auto &[width, height] : {std::pair{1, 1}, {33, 7}, {71, 53}}) {
        chain.reset();
        auto frames = frames_of(width, height, 3);
        frames.push_back(reference::flat_frame(width, height));
        const auto expected = reference::chain(frames, wanted);
        const auto got = run(bench, chain, frames);
        for (size_t f = 0; f < frames.size(); f++)
          agreement.check(got[f], expected[f], std::string(text) + ", frame " + std::to_string(f));
      }
    }
  }
}

TEST(test_bands) {
  Bench bench;
  const Description wanted = parse_chain("gauss(sigma=1.7) ! sobel ! median", "test", {});
  for (const Layout layout : {Layout::image, Layout::buffer})
    for (const int rows : {1, 4}) {
      const Chain::Options options{false, layout, variant({8, 4}, rows, 0)};
      Chain whole(*bench.context, wanted, options), parts(*bench.context, wanted, options);
      const auto frames = frames_of(71, 153, 5);
      std::vector<Frame> got;
      const int bands = in_bands(*bench.queue, [&] { got = run(bench, parts, frames); });
      fail_unless(bands >= 3, "%d launches", bands);
      const auto expected = run(bench, whole, frames);
      for (size_t f = 0; f < frames.size(); f++) check_equal(got[f], expected[f], whole.describe());
    }
}

TEST(test_random_chains_fused_and_one_by_one) {
  Bench bench;
  std::mt19937 random(20);
  const auto pick = [&](size_t n) { return random() % n; };
  Difference by_itself, from_reference;
  for (int round = 0; round < 7; round++) {
    std::string text;
    for (size_t i = 0, n = 2 + pick(4); i < n; i++)
      text += (i ? " ! " : "") + std::string(samples[pick(std::size(samples))]) +
              (pick(6) == 0 ? "*2" : "");
    Description wanted = parse_chain(text, "test", {});
    wanted.iterations = pick(5) == 0 ? 2 : 1;
    const Layout layout = pick(2) ? Layout::image : Layout::buffer;
    const Size groups[] = {{8, 4}, {16, 16}, {32, 2}, {5, 3}};
    const int width = 1 + int(pick(60)), height = 1 + int(pick(50));
    const auto frames = frames_of(width, height, random());
    Chain unfused(*bench.context, wanted,
                  {false, layout, variant({16, 4}, 1, Chain::plan_unfused)});
    const auto separate = run(bench, unfused, frames);
    for (const int plan : {0, int(1 + pick(3))}) {
      const int rows = 1 << pick(3);
      std::unique_ptr<Chain> fused;
      try {
        fused = std::make_unique<Chain>(
            *bench.context, wanted,
            Chain::Options{pick(2) == 0, layout, variant(groups[pick(4)], rows, plan)});
      } catch (const glcl::Error &error) {
        fail_unless(plan > 0, "%s: %s", text.c_str(), error.text().c_str());
        continue;  // there are fewer plans
      }
      Difference here;
      const auto together = run(bench, *fused, frames);
      here.add(together, separate);
      by_itself.add(together, separate);
      fail_unless(here.far == 0, "%s, %d×%d, %s: %zu values are not those of %s", text.c_str(),
                  width, height, fused->describe().c_str(), here.far, unfused.describe().c_str());
    }
    from_reference.add(separate, reference::chain(frames, wanted));
  }
  std::printf("fused: %zu of %zu values differ; reference: %zu differ, %zu by more than a level\n",
              by_itself.off, by_itself.values, from_reference.off, from_reference.far);
  fail_unless(from_reference.far <= from_reference.values / 1000,
              "%zu of %zu are not the reference's", from_reference.far, from_reference.values);
}

TEST(test_channelwise_filters_share_a_table) {
  Bench bench;
  const auto frames = frames_of(61, 23, 8);
  for (const char *text :
       {"saturation ! gamma ! invert", "gauss(sigma=1) ! invert(strength=0.9) ! lut ! median",
        "gamma(value=0.7) ! threshold(level=0.2) ! grey ! invert ! lut ! blend ! gamma*2"})
    for (const Layout layout : {Layout::image, Layout::buffer})
      for (const bool live : {false, true}) {
        const Description wanted = parse_chain(text, "test", {});
        Chain fused(*bench.context, wanted, {live, layout, variant({16, 4}, 2, 0)});
        Chain separate(*bench.context, wanted,
                       {live, layout, variant({16, 4}, 1, Chain::plan_unfused)});
        Difference difference, from_reference;
        const auto together = run(bench, fused, frames);
        difference.add(together, run(bench, separate, frames));
        from_reference.add(together, reference::chain(frames, wanted));
        fail_unless(difference.off == 0 && from_reference.far == 0, "%s: %zu and %zu values differ",
                    fused.describe().c_str(), difference.off, from_reference.far);
      }
}

// A radius may grow with a parameter.
TEST(test_channelwise_filters_with_a_radius_are_none) {
  Bench bench;
  Description wanted = parse_chain("gamma", "test", {});
  wanted.items[0].filter = glcl::chain::parse_filter(
      "//! filter own: text\n//! param r 0..2 = 0\n//! radius r\n//! table t[1] = 1\n"
      "//! channelwise\nfloat4 own(PIXEL) { return at((int)r, 0) * t[0]; }\n",
      "own.cl");
  wanted.items[0].values = wanted.items[0].filter->initial();
  wanted.items[0].values.numbers[0] = 1;
  Chain chain(*bench.context, wanted, {});
  const Frame frame = reference::natural_frame(31, 17), got = run(bench, chain, {frame})[0];
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      fail_unless(got.at(x, y)[0] == frame.at(std::min(x + 1, frame.width - 1), y)[0]);
}

TEST(test_channelwise_filters_know_no_place) {
  Bench bench;
  Description wanted = parse_chain("gamma", "test", {});
  wanted.items[0].filter = glcl::chain::parse_filter(
      "//! filter own: text\n//! table t[2] = i\n//! channelwise\n"
      "float4 own(PIXEL) {\n  return at(0, 0) * t[x % 2];\n}\n",
      "own.cl");
  wanted.items[0].values = wanted.items[0].filter->initial();
  try {
    Chain chain(*bench.context, wanted, {});
    fail_unless(false, "a channelwise filter reads x");
  } catch (const glcl::Error &error) {
    fail_unless(error.text().rfind("own.cl:5:", 0) == 0, "%s", error.text().c_str());
  }
}

TEST(test_a_matrix_of_rank_1_is_separated) {
  using glcl::chain::Matrix;
  glcl::chain::SeparableFactors parts;
  fail_unless(separate(Matrix{3, 3, {1, 2, 1, 2, 4, 2, 1, 2, 1}}, parts));
  fail_unless(parts.row == std::vector<double>({0.25, 0.5, 0.25}) &&
              parts.column == std::vector<double>({4, 8, 4}));
  fail_unless(separate(Matrix{3, 3, {0, 0, 0, -1, 0, 1, 0, 0, 0}}, parts));
  fail_unless(parts.row.size() == 3 && parts.column.size() == 1);
  fail_unless(separate(Matrix{3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}, parts));  // Sobel's
  fail_unless(separate(Matrix{3, 3, {0, 0, 0, 0, 0, 0, 0, 0, 0}}, parts));
  fail_unless(!separate(Matrix{3, 3, {0, 1, 0, 1, 4, 1, 0, 1, 0}}, parts));
  // A Gaussian takes two steps, 5 of its 25 values in each.
  const auto stages = stages_of(parse_chain("gauss(sigma=1, radius=2) ! grey", "test", {}));
  fail_unless(stages.size() == 3 && stages[0].taps() == 5 && stages[1].taps() == 5);
}

// Chains wait for a driver that is to compile one program at a time.
TEST(test_chains_compile_alone) {
  Bench bench;
  const auto build = [&](const std::string &filters) {
    Chain(*bench.context, parse_chain(filters, "test", {}), {});
  };
  const gint64 begin = g_get_monotonic_time();
  build("invert(strength=" + std::to_string(begin % 1000 / 1e3) + ")");  // no cache has it
  const gint64 once = g_get_monotonic_time() - begin;
  if (!glcl::compiles_serially(bench.context->device())) return;
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  const glcl::CompilerTask other("another", bench.context->cl(), bench.context->device(), [open] {
    open.wait();
    return cl::Program();
  });
  g_usleep(100 * 1000);  // it has its turn
  std::atomic<bool> done{false};
  std::thread builder([&] {
    build("sharpen(amount=" + std::to_string(begin % 1000 / 1e3) + ")");
    done = true;
  });
  const gint64 end = g_get_monotonic_time() + 4 * once;
  while (g_get_monotonic_time() < end && !done) g_usleep(1000);
  const bool early = done;
  gate.set_value();
  other.get();
  builder.join();
  fail_unless(!early && done, "it compiles in parallel to another one");
}

TEST(test_values_that_change) {
  Bench bench;
  const Frame frame = reference::natural_frame(61, 47);
  Description wanted = parse_chain("gauss(sigma=1.2) ! threshold(level=0.3) ! unsharp", "test", {});
  Chain fixed(*bench.context, wanted, {}), live(*bench.context, wanted, {true, {}, {}});
  fail_unless(fixed.takes(wanted) && live.takes(wanted));
  wanted.items[0].values.numbers[0] = 1.3;  // the same radius
  wanted.items[1].values.numbers[0] = 0.5;
  fail_unless(!fixed.takes(wanted) && live.takes(wanted));
  live.set(wanted);
  Agreement agreement;
  agreement.check(run(bench, live, {frame})[0], reference::chain(frame, wanted), "other values");
  wanted.items[0].values.numbers[0] = 3;
  fail_unless(!live.takes(wanted));
  wanted = parse_chain("gamma ! invert", "test", {});
  Chain table(*bench.context, wanted, {true, {}, {}});
  for (const double value : {2.2, 0.5, 3.0}) {
    wanted.items[0].values.numbers[0] = value;
    table.set(wanted);
    for (int frames = 0; frames < 2; frames++)
      agreement.check(run(bench, table, {frame})[0], reference::chain(frame, wanted), "a table");
  }
}

/// A blur in double precision that reads as far as a Gaussian is more than nothing.
Frame blurred(const Frame &frame, double sigma) {
  const int reach = static_cast<int>(std::ceil(8 * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (int d = -reach; d <= reach; d++) {
    weights.push_back(std::exp(-d * d / (2 * sigma * sigma)));
    sum += weights.back();
  }
  const auto pass = [&](const std::vector<double> &in, int dx, int dy) {
    std::vector<double> out(in.size());
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        for (int d = -reach; d <= reach; d++) {
          const int from_x = std::clamp(x + d * dx, 0, frame.width - 1),
                    from_y = std::clamp(y + d * dy, 0, frame.height - 1);
          for (int c = 0; c < 4; c++)
            out[(size_t(y) * frame.width + x) * 4 + c] +=
                weights[d + reach] / sum * in[(size_t(from_y) * frame.width + from_x) * 4 + c];
        }
    return out;
  };
  const auto values = pass(pass({frame.rgba.begin(), frame.rgba.end()}, 1, 0), 0, 1);
  Frame out = frame;
  for (size_t i = 0; i < values.size(); i++)
    if (i % 4 < 3) out.rgba[i] = static_cast<uint8_t>(std::lround(values[i]));
  return out;
}

TEST(test_a_gaussian_is_one) {
  Bench bench;
  Frame edge(61, 47);  // white next to black
  for (int y = 0; y < edge.height; y++)
    for (int x = 0; x < edge.width; x++)
      for (int c = 0; c < 4; c++) edge.at(x, y)[c] = x < 30 || c == 3 ? 255 : 0;
  for (const double sigma : {0.8, 2.0, 5.0}) {
    const auto wanted = parse_chain("gauss(sigma=" + std::to_string(sigma) + ")", "test", {});
    Chain chain(*bench.context, wanted, {});
    Agreement agreement;
    agreement.most = 0.3;
    for (const Frame &frame :
         {edge, reference::natural_frame(61, 47), reference::random_frame(61, 47)})
      agreement.check(run(bench, chain, {frame})[0], blurred(frame, sigma), chain.describe());
  }
}

TEST(test_the_largest_radius) {
  Bench bench;
  const Frame frame = reference::natural_frame(47, 61);
  std::string row = "[";
  for (int i = 0; i < 129; i++) row += i % 3 ? "1 " : "2 ";
  const Description wanted =
      parse_chain("convolve(matrix=" + row + "]) ! gauss(sigma=20)", "test", {});
  Chain chain(*bench.context, wanted, {});
  Agreement agreement;
  agreement.check(run(bench, chain, {frame})[0], reference::chain(frame, wanted), chain.describe());
}
