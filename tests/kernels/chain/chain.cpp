// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of filters: fused, one kernel for each filter, and the scalar reference.
#include "chain/chain.h"

#include <random>

#include "kernels/engine.h"
#include "reference/chain/chain.h"

using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::parse_chain;

namespace {

/// Every filter of the library, with values that are not its defaults.
const char *const samples[] = {"grey",
                               "gauss(sigma=0.8)",
                               "gauss(sigma=1.7)",
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

/// What differs by more than a level, which a tie that a device rounds the other way may become
/// behind a threshold or another filter that steepens; and what differs at all.
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

GST_START_TEST(test_every_filter_equals_the_reference) {
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
GST_END_TEST

GST_START_TEST(test_random_chains_fused_and_one_by_one) {
  Bench bench;
  std::mt19937 random(20);
  const auto pick = [&](size_t n) { return random() % n; };
  Difference by_itself, from_reference;
  for (int round = 0; round < 9; round++) {
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
    const auto apart = run(bench, unfused, frames);
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
      here.add(together, apart);
      by_itself.add(together, apart);
      fail_unless(here.far == 0, "%s, %d×%d, %s: %zu values are not those of %s", text.c_str(),
                  width, height, fused->describe().c_str(), here.far, unfused.describe().c_str());
    }
    from_reference.add(apart, reference::chain(frames, wanted));
  }
  std::printf("fused: %zu of %zu values differ; reference: %zu differ, %zu by more than a level\n",
              by_itself.off, by_itself.values, from_reference.off, from_reference.far);
  fail_unless(from_reference.far <= from_reference.values / 1000,
              "%zu of %zu are not the reference's", from_reference.far, from_reference.values);
}
GST_END_TEST

static Suite *chain_suite() {
  Suite *suite = suite_create("chain");
  TCase *all = tcase_create("all");
  suite_add_tcase(suite, all);
  tcase_add_test(all, test_every_filter_equals_the_reference);
  tcase_add_test(all, test_random_chains_fused_and_one_by_one);
  return suite;
}

GST_CHECK_MAIN(chain)
