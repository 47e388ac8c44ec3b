// SPDX-License-Identifier: LGPL-2.1-or-later
// The range that a frame needs, and searches within it, against the scalar reference.
#include "motion/range.h"

#include <set>

#include "motion.h"
#include "reference/motion/range.h"

using motion::Range;
using motion::Search;

namespace {

/// The engine's ranges for frames whose predecessor had these squared errors; 0: unknown.
class Ranged {
 public:
  Ranged(Bench &bench, const Pair &pair)
      : bench_(bench),
        pair_(pair),
        current_(upload(bench, pair.current)),
        before_(upload(bench, pair.reference)),
        range_(*bench.context, pair.current.width, pair.current.height) {}

  std::vector<int> run(int least, int most, int lambda, const Range::PredictionTarget &target = {},
                       bool follows = false) {
    range_.run(*bench_.queue, current_, before_, least, most, lambda, target, follows);
    std::vector<int> ranges(range_.areas());
    cl_int mean = 0;
    const cl::CommandQueue &queue = bench_.queue->cl();
    queue.enqueueReadBuffer(range_.mean_square(), CL_TRUE, 0, sizeof mean, &mean);
    queue.enqueueReadBuffer(range_.ranges(), CL_TRUE, 0, ranges.size() * sizeof(cl_int),
                            ranges.data());
    fail_unless_equals_int(mean, (reference::Ranges{ranges, 0}.mean_square()));
    return ranges;
  }
  std::vector<Key> search(const glcl::Parameters &form, int block, int most, int lambda) {
    Search engine(*bench_.context, block, form, true);
    const size_t count = engine.keys(current_);
    const cl::Buffer keys = key_buffer(bench_, count);
    engine.run(*bench_.queue, current_, before_, SearchWindow::of_range(most), lambda, keys,
               range_.ranges());
    return download(bench_, keys, count);
  }
  void check(int least, int most, int lambda) {
    fail_unless(
        run(least, most, lambda) ==
            reference::ranges_of(pair_.current, pair_.reference, least, most, lambda).ranges,
        "%s %d×%d, %d … %d: other ranges than the reference's", pair_.name.c_str(),
        pair_.current.width, pair_.current.height, least, most);
  }

 private:
  Bench &bench_;
  const Pair &pair_;
  motion::LumaPlane current_, before_;
  Range range_;
};

glcl::Parameters form_of(Search::Form form, int depth) {
  return {{"form", static_cast<int>(form)}, {"depth", depth}};
}

/// A natural picture whose content moves by (dx, dy), with noise of its own in each frame.
Pair panned(int width, int height, int dx, int dy, double noise) {
  const reference::Plane scene = reference::luma(reference::natural_frame(width, height));
  Pair pair{scene, scene, "pan of " + std::to_string(dx)};
  uint32_t state = 7;
  const auto level = [&](int x, int y) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
      state = state * 1664525 + 1013904223;
      sum += double(state >> 8) / (1 << 24) - 0.5;
    }
    return static_cast<uint8_t>(std::clamp(scene.at(x, y) + noise * sum / 0.577, 0.0, 255.0));
  };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      pair.reference.values[size_t(y) * width + x] = level(x, y);
      pair.current.values[size_t(y) * width + x] = level(x + dx, y + dy);
    }
  return pair;
}

}  // namespace

TEST(test_ranges) {
  fail_unless(Range::ranges(4, 64).front() == 4 && Range::ranges(4, 64).back() == 64);
  fail_unless(Range::ranges(9, 3) == std::vector<int>(Range::steps, 3));
  for (int least = 1; least <= motion::max_range; least += 13) {
    const std::vector<int> ranges = Range::ranges(least, motion::max_range);
    fail_unless(std::is_sorted(ranges.begin(), ranges.end()) &&
                ranges.size() == size_t(Range::steps) && ranges[0] == least);
  }
}

TEST(test_content) {
  Bench bench;
  const int sizes[][2] = {{97, 53}, {1, 1}, {1, 37}, {65, 33}, {160, 96}};
  for (const auto &[width, height] : sizes)
    for (const Pair &pair : pairs(width, height)) {
      Ranged ranged(bench, pair);
      ranged.check(4, 24, 4);
      ranged.check(1, 16, 0);
      ranged.check(9, 9, 127);
    }
  for (const int by : {0, 7, 18, 30}) {
    const Pair pair = panned(320, 200, by, -by / 3, 5);
    Ranged ranged(bench, pair);
    ranged.check(4, 40, 4);
  }
}

// They are as large as the motion, and small in a still, noisy scene; only where new picture comes
// in they may be larger.
TEST(test_enough) {
  Bench bench;
  for (const double noise : {0.0, 3.0})
    for (const int by : {0, 6, 15, 30}) {
      const Pair pair = panned(640, 400, by, -by / 2, noise);
      std::vector<int> ranges = Ranged(bench, pair).run(4, 64, 4);
      std::sort(ranges.begin(), ranges.end());
      const int range = ranges[ranges.size() / 2];
      fail_unless(range >= by && range <= std::max(2 * by, by + 2 * Range::reduction_for(640, 400)),
                  "range %d for %d px in noise of %g", range, by, noise);
      fail_unless(by || ranges.back() == 4, "range %d at rest in noise of %g", ranges.back(),
                  noise);
    }
}

// A search within the range is one of that range, in all forms.
TEST(test_limit) {
  Bench bench;
  const Pair pair = panned(270, 70, 9, 3, 2);
  Ranged ranged(bench, pair);
  const std::vector<int> ranges = ranged.run(4, 24, 4);
  fail_unless(std::set<int>(ranges.begin(), ranges.end()).size() > 1, "all areas have one range");
  for (const glcl::Parameters &form :
       {form_of(Search::Form::tile, 3), form_of(Search::Form::tile, 11),
        form_of(Search::Form::tile, 33), form_of(Search::Form::tile, 2),
        form_of(Search::Form::vector, 0)}) {
    const int depth = form.at("depth");
    std::vector<int> blocks{4, 8, 16, 32};
    if (depth == 2) blocks = {Search::partitions};
    if (depth == 0) blocks.push_back(Search::partitions);
    for (const int block : blocks)
      check_keys(ranged.search(form, block, 24, 4),
                 reference::full_search(pair.current, pair.reference, block, ranges, 4),
                 "block " + std::to_string(block) + " within the range, " + glcl::describe(form));
  }
}

// A target that the previous frame met with ease makes the range smaller. One out of reach, or the
// first frame, changes nothing.
TEST(test_target) {
  Bench bench;
  const Pair pair = panned(320, 200, 18, 6, 3);
  Ranged ranged(bench, pair);
  const auto without = reference::ranges_of(pair.current, pair.reference, 4, 64, 4);
  std::vector<cl_long> errors(2 * motion::SUM_VALUES);
  errors[0] = 30000, errors[motion::SUM_VALUES] = 70000;
  Range::PredictionTarget target{
      cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE, errors.size() * sizeof(cl_long)), 2, 0};
  bench.queue->cl().enqueueWriteBuffer(target.sums, CL_TRUE, 0, errors.size() * sizeof(cl_long),
                                       errors.data());
  bool smaller = false;
  for (const double wanted : {1.0, 1e5, 2e5, 1e6, 1e9}) {
    target.errors = wanted;
    fail_unless(ranged.run(4, 64, 4) == without.ranges);
    fail_unless(ranged.run(4, 64, 4, target, false) == without.ranges);
    const std::vector<int> ranges = ranged.run(4, 64, 4, target, true);
    fail_unless(ranges == reference::ranges_of(pair.current, pair.reference, 4, 64, 4, wanted,
                                               100000, without.sum)
                              .ranges);
    smaller = smaller || ranges < without.ranges;
    fail_unless(wanted > 1 || ranges == without.ranges);
  }
  fail_unless(smaller, "no target makes the range smaller");
}
