// SPDX-License-Identifier: LGPL-2.1-or-later
// The forms of the histogram that it is compared with, votes beyond local memory, and the model of
// local atomics.
#include <cmath>
#include <random>

#include "configurations.h"
#include "forms.h"
#include "latency.h"
#include "reference/histogram/histogram.h"
#include "tests/kernels/engine.h"
#include "votes.h"

using glcl::histogram::Histogram;
using glcl::research::AtomicLatency;
using glcl::research::HistogramForms;
using glcl::research::Votes;
using Format = Histogram::Format;
using Mode = Histogram::Mode;
using Variant = HistogramForms::Variant;
using Counts = std::vector<uint32_t>;

namespace {

Counts read(Bench &bench, const cl::Buffer &buffer, size_t count) {
  Counts counts(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_uint), counts.data());
  return counts;
}

void check_counts(const Counts &got, const Counts &expected, const std::string &what) {
  for (size_t i = 0; i < expected.size(); i++)
    fail_unless(got[i] == expected[i], "%s: counter %zu is %u, not %u", what.c_str(), i, got[i],
                expected[i]);
}

/// All forms, with one value after the other changed.
std::vector<Variant> variants(const Format &format) {
  std::vector<Variant> all;
  const auto add = [&](auto... changes) {
    Variant v;
    v.items = 64;
    v.groups = 2;
    (changes(v), ...);
    all.push_back(v);
  };
  using V = Variant &;
  const auto interleaved = [](V v) { v.interleave = true; };
  for (const auto padding : {HistogramForms::unpadded, HistogramForms::padded,
                             HistogramForms::side_by_side, HistogramForms::packed}) {
    if (padding == HistogramForms::packed && format.channels() < 2) continue;
    const auto laid = [=](V v) { v.padding = padding; };
    for (const int copies : {0, 3}) {
      const auto copied = [=](V v) { v.copies = copies; };
      add(laid, copied);
      add(laid, copied, interleaved);
    }
    add(laid, [](V v) { v.merge = true, v.pixels = 8; });
    add(laid, interleaved, [](V v) { v.items = 32; });
  }
  for (const int pixels : {1, 2, 16}) add([=](V v) { v.pixels = pixels; });
  for (const int groups : {1, 8}) add([=](V v) { v.groups = groups; });
  const auto by_sub_group = [](V v) { v.form = HistogramForms::sub_group; };
  add(by_sub_group);
  add(by_sub_group, interleaved);
  add([](V v) { v.form = HistogramForms::global, v.padding = HistogramForms::unpadded; });
  add([](V v) { v.form = HistogramForms::sort; });
  return all;
}

std::vector<int> lanes(std::vector<int> first, int next) {
  while (first.size() < 32) first.push_back(next++);
  return first;
}

}  // namespace

TEST(test_forms) {
  Bench bench;
  for (const Frame &frame : {reference::natural_frame(197, 41), reference::flat_frame(64, 64)})
    for (const Format &format :
         {Format{Mode::luma, 64}, Format{Mode::rgb}, Format{Mode::color_8}}) {
      const Counts expected = reference::histogram(frame, format);
      const std::vector<Variant> all = variants(format);
      for (const int padding : {0, 3}) {
        const Picture in = bench.upload(frame, Layout::buffer, padding);
        for (size_t i = 0; i < all.size(); i++) {
          HistogramForms engine(*bench.context, frame.width, frame.height, format, all[i]);
          for (int repeat = 0; repeat < 3; repeat++)
            check_counts(
                read(bench, engine.run(*bench.queue, in.buffer, in.pitch), expected.size()),
                expected,
                Histogram::problem(format, Layout::buffer) + ", variant " + std::to_string(i));
        }
      }
    }
}

// Half a word counts to 65535: one group with one copy would go beyond.
TEST(test_packed_counters_of_many_pixels) {
  Bench bench;
  const Frame frame = reference::flat_frame(1024, 700);
  Variant v;
  v.copies = 1;
  v.padding = HistogramForms::packed;
  v.items = 64;
  HistogramForms engine(*bench.context, frame.width, frame.height, {Mode::rgba}, v);
  const Picture in = bench.upload(frame, Layout::buffer, 0);
  const Counts expected = reference::histogram(frame, {Mode::rgba});
  check_counts(read(bench, engine.run(*bench.queue, in.buffer, in.pitch), expected.size()),
               expected, "flat");
}

TEST(test_votes) {
  Bench bench;
  std::mt19937 next(5);
  for (const int counters : {1, 100, 127 * 127, 640 * 480})
    for (const int copies : {1, 4, 16})
      for (const int range : {1, counters, 2 * counters}) {
        std::vector<cl_uint> votes(50001);
        Counts expected(counters);
        for (cl_uint &vote : votes) {
          vote = next() % range;
          if (vote < cl_uint(counters)) expected[vote]++;
        }
        const cl::Buffer in(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            votes.size() * 4, votes.data());
        const cl::Buffer out =
            cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE, counters * sizeof(cl_uint));
        Votes engine(*bench.context, counters, copies);
        for (int repeat = 0; repeat < 2; repeat++) {
          engine.run(*bench.queue, in, static_cast<int>(votes.size()), out);
          check_counts(read(bench, out, counters), expected, "votes");
        }
        engine.run(*bench.queue, in, 0, out);
        check_counts(read(bench, out, counters), Counts(counters), "no votes");
      }
}

// Table of the thesis, from Equation 4.4.
TEST(test_replication) {
  constexpr size_t local = 48 * 1024;
  const int bins[] = {32, 64, 128, 256, 512, 768, 1024, 2048, 4096};
  const int table[][8] = {{372, 186, 124, 93, 74, 62, 53, 46},
                          {189, 94, 63, 47, 37, 31, 27, 23},
                          {95, 47, 31, 23, 19, 15, 13, 11},
                          {47, 23, 15, 11, 9, 7, 6, 5},
                          {23, 11, 7, 5, 4, 3, 3, 2},
                          {15, 7, 5, 3, 3, 2, 2, 1},
                          {11, 5, 3, 2, 2, 1, 1, 1},
                          {5, 2, 1, 1, 1, 0, 0, 0},
                          {2, 1, 0, 0, 0, 0, 0, 0}};
  for (int i = 0; i < 9; i++)
    for (int groups = 1; groups <= 8; groups++)
      fail_unless(HistogramForms::replication(local, groups, bins[i], true) == table[i][groups - 1],
                  "%d bins, %d groups", bins[i], groups);
  fail_unless(HistogramForms::replication(local, 1, 256, false) == 48);
}

// The golden values of the thesis's model.
TEST(test_atomic_latency) {
  const AtomicLatency model;
  fail_unless(model.cycles(lanes({}, 0)) == 108);
  fail_unless(model.cycles(std::vector<int>(32, 0)) == 3828);
  fail_unless(model.cycles(lanes({0, 1024}, 2)) == 260);
  fail_unless(model.cycles(lanes({0, 1024, 2048}, 3)) == 444);
  fail_unless(model.cycles(lanes({0, 1024, 2048, 32}, 4)) == 508);
  fail_unless(model.cycles(lanes({0, 1024, 2048, 32, 1056}, 5)) == 604);
  const std::pair<int, int> strides[] = {{4, 300}, {5, 452}, {6, 548}, {9, 924}};
  for (const auto &[m, cycles] : strides) {
    std::vector<int> addresses;
    for (int t = 0; t < 32; t++) addresses.push_back(t < m ? t * 256 : t);
    fail_unless(model.cycles(addresses) == cycles, "stride 256, m = %d: %d", m,
                model.cycles(addresses));
  }
  // All lanes in one bin of B, R copies: without padding an optimum, with it 108 at 32 copies.
  const auto image_like = [&](int bins, int copies, bool padded) {
    std::vector<int> addresses;
    for (int t = 0; t < 32; t++) addresses.push_back(t % copies * (bins + padded));
    return model.cycles(addresses);
  };
  fail_unless(image_like(32, 32, false) == 2092 && image_like(256, 4, false) == 2484);
  fail_unless(image_like(256, 1, true) == 3828 && image_like(256, 32, true) == 108);
}

TEST(test_configurations) {
  Bench bench;
  const auto &all = glcl::research::configurations();
  fail_unless(all.size() == 20, "%zu configurations", all.size());
  constexpr int width = 97, height = 31;
  std::vector<uint16_t> samples(size_t(width) * height);
  for (size_t i = 0; i < samples.size(); i++) samples[i] = static_cast<uint16_t>(i * 37 & 4095);
  const Format format{Mode::grey_16, 256, 12};
  const Counts expected = reference::histogram(samples, format);
  const cl::Buffer in(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      samples.size() * sizeof samples[0], samples.data());
  for (const size_t i : {size_t(0), size_t(8), all.size() - 1}) {
    HistogramForms forms(*bench.context, width, height, format, glcl::research::variant_of(all[i]));
    check_counts(read(bench, forms.run(*bench.queue, in, width), expected.size()), expected,
                 std::to_string(all[i].groups) + " groups of " + std::to_string(all[i].items));
  }
  const auto spread = glcl::research::spread_of({2, 4, 4, 6});
  fail_unless(spread.mean == 4 && spread.best == 6 && std::abs(spread.variation - 0.3536) < 1e-4);
}

// What measured additions cost is found again where they cost what the model says.
TEST(test_latency_is_fitted) {
  const AtomicLatency wanted{50, 70, 20, 32, 1024};
  std::vector<std::pair<std::vector<int>, double>> measured;
  for (const int meeting : {1, 2, 4, 8, 16, 32})
    for (const int apart : {0, 32, 64, 1024}) {
      std::vector<int> addresses(32);
      for (int t = 0; t < 32; t++) addresses[size_t(t)] = t < meeting ? t * apart : t;
      measured.emplace_back(addresses, 0.25 * wanted.cycles(addresses));
    }
  const auto fit = AtomicLatency::fit(measured);
  fail_unless(std::abs(fit.base - 12.5) < 0.1 && std::abs(fit.position - 17.5) < 0.1 &&
                  std::abs(fit.bank - 5) < 0.1 && fit.error < 0.01,
              "%g, %g, %g, %g off", fit.base, fit.position, fit.bank, fit.error);
}
