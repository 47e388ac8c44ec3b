// SPDX-License-Identifier: LGPL-2.1-or-later
// Chunks in streams: the same results in any number of them, in the order that the timeline shows;
// the models of how long they take, the loop that chooses, and the latency of local atomics.
#include "opencl/streams.h"

#include <cstring>

#include "histogram/histogram.h"
#include "histogram/latency.h"
#include "kernels/engine.h"
#include "reference/histogram/histogram.h"

using glcl::AdaptiveStreams;
using glcl::AtomicLatency;
using glcl::ChunkTimes;
using glcl::Histogram;
using glcl::StreamModel;
using glcl::Streams;
using Span = Streams::Span;
using Mode = Histogram::Mode;

namespace {

constexpr int width = 176, height = 144, frames = 13;
constexpr Histogram::Format format{Mode::grey_8, 256};

Streams::Work histograms(Bench &bench) {
  const auto engine =
      std::make_shared<Histogram>(*bench.context, width, height, format, Layout::buffer, frames);
  return [engine](glcl::Queue &queue, const cl::Buffer &in, const cl::Buffer &out, int count) {
    const cl::Buffer &counts = engine->run(queue, in, width, width * height, count, {});
    queue.cl().enqueueCopyBuffer(counts, out, 0, 0, count * engine->bytes());
  };
}

void check_close(double got, double wanted, const char *what) {
  fail_unless(std::abs(got - wanted) < 1e-9, "%s: %f instead of %f", what, got, wanted);
}

std::vector<int> lanes(std::vector<int> first, int next) {
  while (first.size() < 32) first.push_back(next++);
  return first;
}

}  // namespace

GST_START_TEST(test_results_and_timeline) {
  Bench bench;
  Streams streams(*bench.context, frames, width * height, 256 * sizeof(cl_uint), 4,
                  [&] { return histograms(bench); });
  std::vector<std::vector<uint32_t>> twins;
  auto *input = static_cast<uint8_t *>(streams.input());
  for (int i = 0; i < frames; i++) {
    std::vector<uint16_t> samples(size_t(width) * height);
    for (size_t k = 0; k < samples.size(); k++)
      input[i * samples.size() + k] = static_cast<uint8_t>(
          samples[k] = static_cast<uint16_t>(i % 2 ? i : (k * (i + 3) >> 4) & 255));
    twins.push_back(reference::histogram(samples, format));
  }
  for (const int n : {1, 2, 3, 4, 9}) {
    for (const int items : {frames, 5, 1}) {
      std::memset(const_cast<void *>(streams.output()), 0xee, frames * 256 * sizeof(cl_uint));
      const auto timeline = streams.run(items, n);
      const auto *counts = static_cast<const cl_uint *>(streams.output());
      for (int i = 0; i < items; i++)
        fail_unless(std::equal(twins[i].begin(), twins[i].end(), counts + 256 * i),
                    "frame %d of %d in %d streams", i, items, n);
      const int used = std::min({n, items, 4});
      fail_unless(timeline.size() == size_t(3 * used), "%zu spans", timeline.size());
      int overlaps = 0;
      for (int i = 0; i < used; i++) {
        const Span *span = &timeline[3 * i];
        fail_unless(span[0].kind == Span::upload && span[1].kind == Span::kernel &&
                    span[2].kind == Span::download);
        for (int k = 0; k < 3; k++) {
          fail_unless(span[k].stream == i && span[k].start >= 0 && span[k].end >= span[k].start);
          fail_unless(k == 0 || span[k].start >= span[k - 1].end - 1e-6,
                      "stream %d: a step begins before the one before ends", i);
        }
        for (int other = 0; other < i; other++)
          overlaps += span[0].start < timeline[3 * other + 2].end;
      }
      if (items == frames)
        std::printf("%d streams: %.3f ms, %d pairs overlap\n", used, glcl::whole_of(timeline),
                    overlaps);
    }
  }
}
GST_END_TEST

GST_START_TEST(test_models) {
  StreamModel apart{StreamModel::Overlap::transfers_apart, 0.1};
  check_close(apart.time({6, 2, 4}, 5), 10.5, "6.1");
  check_close(apart.optimum({6, 2, 4}), 10 / 8.0, "6.2");
  check_close(apart.time({3, 20, 1}, 4), 20 + 1 + 0.4, "6.3");
  check_close(apart.optimum({3, 20, 1}), std::sqrt(40), "6.4");
  StreamModel last{StreamModel::Overlap::download_last, 0.01};
  check_close(last.time({6, 2, 4}, 4), 6 + 0.5 + 4 + 0.04, "6.5");
  check_close(last.optimum({6, 2, 4}), std::sqrt(200), "6.6");
  check_close(last.time({2, 6, 4}, 4), 0.5 + 6 + 4 + 0.04, "6.7");
  check_close(last.optimum({2, 6, 4}), std::sqrt(200), "6.8");
  check_close(last.optimum({1e-6, 1, 1}), 1, "at least one");
  // The optimum is where the model's time is least.
  for (const ChunkTimes &chunk : {ChunkTimes{6, 2, 4}, {2, 6, 4}, {3, 20, 1}})
    for (const StreamModel &model :
         {last, StreamModel{StreamModel::Overlap::download_last, 0.05}}) {
      const int best = static_cast<int>(std::lround(model.optimum(chunk)));
      for (const int n : {best - 2, best + 2})
        if (n > 0) fail_unless(model.time(chunk, best) <= model.time(chunk, n) + 1e-9);
    }
}
GST_END_TEST

GST_START_TEST(test_adaptive_loop) {
  AdaptiveStreams loop({StreamModel::Overlap::download_last, 0.01}, 16);
  fail_unless(loop.streams() == 1 && loop.measurements() == 0);
  loop.measured({1, 0.16, 0.1}, 1.26);
  fail_unless(loop.streams() == 4, "%d streams", loop.streams());
  for (int i = 0; i < 20; i++) loop.measured({}, 1.2 + 0.01 * (i % 5));
  fail_unless(loop.streams() == 4 && loop.measurements() == 1, "nothing changes");
  loop.measured({}, 2.5);
  loop.measured({}, 1.2);
  fail_unless(loop.streams() == 4, "one chunk does not count");
  loop.measured({}, 2.5);
  loop.measured({}, 2.6);
  fail_unless(loop.streams() == 1, "it is measured anew");
  loop.measured({1, 1.44, 0.1}, 2.54);
  fail_unless(loop.streams() == 10 && loop.measurements() == 2, "%d streams", loop.streams());
  loop.measured({}, 2.0);
  loop.measured({}, 0.5);
  loop.measured({}, 0.5);
  fail_unless(loop.streams() == 1, "also where it gets faster");
  loop.measured({100, 100, 1}, 201);
  fail_unless(loop.streams() == 16, "no more than allowed");
  loop.measured({}, 300);
  fail_unless(loop.streams() == 1 && loop.measurements() == 3, "streams that lose are not kept");
  loop.measured({}, 201);
  fail_unless(loop.measurements() == 3);
}
GST_END_TEST

// The golden values of the thesis's model.
GST_START_TEST(test_atomic_latency) {
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
GST_END_TEST

static Suite *streams_suite() {
  Suite *suite = suite_create("streams");
  TCase *tcase = tcase_create("streams");
  suite_add_tcase(suite, tcase);
  tcase_add_test(tcase, test_results_and_timeline);
  tcase_add_test(tcase, test_models);
  tcase_add_test(tcase, test_adaptive_loop);
  tcase_add_test(tcase, test_atomic_latency);
  return suite;
}

GST_CHECK_MAIN(streams);
