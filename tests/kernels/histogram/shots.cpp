// SPDX-License-Identifier: LGPL-2.1-or-later
// The shot detector and the statistics, on histograms alone.
#include "reference/histogram/shots.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cases.h"
#include "histogram/statistics.h"

namespace {

using glcl::histogram::Histogram;
using glcl::histogram::Shots;
using glcl::histogram::statistics;
using glcl::histogram::Statistics;

const reference::Clip &clip(const std::string &name) {
  static const std::vector<reference::Clip> all = [] {
    std::vector<reference::Clip> list = reference::clips(0);
    for (reference::Clip &one : reference::edited_clips(0)) list.push_back(std::move(one));
    return list;
  }();
  for (const reference::Clip &one : all)
    if (one.name == name) return one;
  fail("no clip %s", name.c_str());
  return all[0];
}

/// Expects all boundaries but `missed`, and no wrong ones.
void check_shots(const std::string &name, int missed = 0) {
  const reference::Clip &made = clip(name);
  const auto shots = reference::find_shots(made.frames);
  const reference::Score score = reference::score(shots, made.transitions);
  fail_unless(score.missed <= missed && !score.wrong, "%s: %s", name.c_str(),
              reference::describe(shots).c_str());
}

std::vector<uint32_t> grey(int level) {
  std::vector<uint32_t> counts(Shots::values, 256 * level);
  std::fill_n(counts.begin(), int(Shots::counts), 0);
  for (int c = 0; c < 3; c++) counts[256 * c + level] = 1000;
  return counts;
}

void check_near(double got, double wanted, const char *what) {
  fail_unless(std::abs(got - wanted) < 1e-9, "%s is %f instead of %f", what, got, wanted);
}

}  // namespace

TEST(test_cuts) {
  check_shots("cuts");
  check_shots("short shots");
}

TEST(test_inserts) { check_shots("inserts"); }

TEST(test_gradual_transitions) {
  check_shots("short dissolves", 1);
  check_shots("wipes");
}

TEST(test_fades) { check_shots("fades"); }

TEST(test_what_is_no_cut) {
  check_shots("flashes");
  check_shots("fast pans");
  check_shots("something passes");
  check_shots("steps of exposure");
}

// Frames of one level each: their change is a cut, although brightness could explain it.
TEST(test_cut_between_levels) {
  Shots shots;
  std::vector<Shots::Shot> found;
  for (int i = 0; i < 40; i++)
    for (const Shots::Shot &shot : shots.add(i, grey(i < 20 ? 80 : 120).data()))
      found.push_back(shot);
  for (const Shots::Shot &shot : shots.finish()) found.push_back(shot);
  fail_unless(found.size() == 1 && found[0].frame == 20, "%zu shots", found.size());
}

// A slow increase of brightness: the bin of a level changes abruptly, its soft edges do not.
TEST(test_slow_light) {
  Shots shots;
  for (int i = 0; i < 200; i++)
    fail_unless(shots.add(i, grey(20 + i).data()).empty(), "a shot at %d", i);
  fail_unless(shots.finish().empty());
}

TEST(test_threshold) {
  for (const double threshold : {0.05, 0.9}) {
    Shots shots(threshold);
    size_t found = 0;
    for (int i = 0; i < 40; i++) {
      auto counts = grey(100);
      for (int c = 0; c < 3; c++) counts[256 * c + (i < 20 ? 10 : 200)] += 400;
      found += shots.add(i, counts.data()).size();
    }
    found += shots.finish().size();
    fail_unless(found == (threshold < 0.5 ? 1 : 0), "%zu shots at threshold %f", found, threshold);
  }
}

namespace {

/// Rows of text on a page, with the letters of the seed, as cells of luma.
std::vector<uint32_t> page(unsigned seed, int lines, unsigned line_seed = 0) {
  using glcl::histogram::Structure;
  std::vector<uint32_t> values = grey(250);
  for (int line = 0; line < lines; line++)
    for (int x = 2; x < Structure::columns - 2; x++) {
      const unsigned letter = (x * 7919u + line * 104729u + (seed + line_seed) * 1299709u) >> 4;
      values[Shots::counts + (3 + 3 * line) * Structure::columns + x] = 256 * (150 + letter % 100);
    }
  return values;
}

size_t shots_between(const std::vector<uint32_t> &before, const std::vector<uint32_t> &after) {
  Shots shots;
  size_t found = 0;
  for (int i = 0; i < 100; i++) found += shots.add(i, (i < 50 ? before : after).data()).size();
  return found + shots.finish().size();
}

}  // namespace

// Another page of text is a cut; lines that appear or go on the same page leave the shot as it is.
TEST(test_pages) {
  fail_unless(shots_between(page(1, 5), page(2, 5)) == 1);
  fail_unless(shots_between(page(1, 3), page(1, 4)) == 0);
  fail_unless(shots_between(page(1, 1), page(1, 5)) == 0);
  fail_unless(shots_between(page(1, 5), page(1, 2)) == 0);
}

TEST(test_no_frames) {
  Shots shots;
  fail_unless(shots.finish().empty());
  const std::vector<uint32_t> empty(Shots::values);
  for (int i = 0; i < 100; i++) fail_unless(shots.add(i, empty.data()).empty());
  fail_unless(shots.finish().empty());
}

TEST(test_statistics) {
  std::vector<uint32_t> counts(256);
  for (int level = 0; level < 256; level++) counts[level] = 1;
  const Statistics even = statistics(counts);
  check_near(even.mean, 127.5, "mean");
  check_near(even.stddev, std::sqrt((256.0 * 256 - 1) / 12), "stddev");
  check_near(even.p5, 12, "p5");
  check_near(even.median, 127, "median");
  check_near(even.p95, 243, "p95");
  check_near(even.clipped_low, 1 / 256.0, "clipped-low");
  check_near(even.clipped_high, 1 / 256.0, "clipped-high");

  const Statistics one = statistics({0, 7, 0, 0});
  check_near(one.mean, 95.5, "mean of a quarter");
  check_near(one.stddev, 0, "stddev of one bin");
  check_near(one.p95, 95.5, "p95 of one bin");
  check_near(statistics(std::vector<uint32_t>(32)).mean, 0, "mean of nothing");

  const reference::Frame frame = reference::natural_frame(50, 30);
  const Histogram::Format joint{Histogram::Mode::color_8};
  const auto separate =
      glcl::histogram::channel_counts(joint, reference::histogram(frame, joint).data());
  const auto rgb = reference::histogram(frame, {Histogram::Mode::rgb, 8});
  for (int c = 0; c < 3; c++)
    for (int bin = 0; bin < 8; bin++) fail_unless(separate[c][bin] == rgb[8 * c + bin]);
}
