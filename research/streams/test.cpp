// SPDX-License-Identifier: LGPL-2.1-or-later
// Chunks in streams: the same results in any number of them, in the order that the timeline shows;
// the models of how long they take, and the loop that chooses.
#include "streams.h"

#include <chrono>
#include <cstring>

#include "histogram/histogram.h"
#include "reference/histogram/histogram.h"
#include "tests/kernels/engine.h"

using glcl::histogram::Histogram;
using glcl::research::AdaptiveStreams;
using glcl::research::ChunkTimes;
using glcl::research::StreamModel;
using glcl::research::Streams;
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

}  // namespace

TEST(test_results_and_timeline) {
  Bench bench;
  Streams streams(*bench.context, frames, width * height, 256 * sizeof(cl_uint), 4,
                  [&] { return histograms(bench); });
  std::vector<std::vector<uint32_t>> all_expected;
  auto *input = static_cast<uint8_t *>(streams.input());
  for (int i = 0; i < frames; i++) {
    std::vector<uint16_t> samples(size_t(width) * height);
    for (size_t k = 0; k < samples.size(); k++)
      input[i * samples.size() + k] = static_cast<uint8_t>(
          samples[k] = static_cast<uint16_t>(i % 2 ? i : (k * (i + 3) >> 4) & 255));
    all_expected.push_back(reference::histogram(samples, format));
  }
  for (const int n : {1, 2, 3, 4, 9}) {
    for (const int items : {frames, 5, 1}) {
      std::memset(const_cast<void *>(streams.output()), 0xee, frames * 256 * sizeof(cl_uint));
      const auto timeline = streams.run(items, n);
      const auto *counts = static_cast<const cl_uint *>(streams.output());
      for (int i = 0; i < items; i++)
        fail_unless(std::equal(all_expected[i].begin(), all_expected[i].end(), counts + 256 * i),
                    "frame %d of %d in %d streams", i, items, n);
      const int used = std::min({n, items, 4});
      fail_unless(timeline.size() == size_t(3 * used), "%zu spans", timeline.size());
      for (int i = 0; i < used; i++) {
        const Span *span = &timeline[3 * i];
        fail_unless(span[0].kind == Span::upload && span[1].kind == Span::kernel &&
                    span[2].kind == Span::download);
        for (int k = 0; k < 3; k++) {
          fail_unless(span[k].stream == i && span[k].start >= 0 && span[k].end >= span[k].start);
          fail_unless(k == 0 || span[k].start >= span[k - 1].end - 1e-6,
                      "stream %d: a step begins before the one before ends", i);
        }
      }
      // A queue works in order; what one computes goes on while another transfers: at once on an
      // idle machine, sooner or later on one that others use.
      const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
      double overlap = glcl::research::overlap_of(timeline);
      while (used > 1 && overlap == 0 && std::chrono::steady_clock::now() < until)
        overlap = glcl::research::overlap_of(streams.run(items, n));
      fail_unless(used == 1 || overlap > 0, "%d streams never overlap", used);
    }
  }
}

TEST(test_models) {
  StreamModel apart{StreamModel::Overlap::serial_transfers, 0.1};
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
  // The longest goes on all the time, the others before its first part and after its last.
  StreamModel all{StreamModel::Overlap::all, 0.01};
  check_close(all.time({6, 2, 4}, 1), 12.01, "one stream is all in a row");
  check_close(all.time({6, 2, 4}, 4), 6 + 6 / 4.0 + 0.04, "uploads are the longest");
  check_close(all.time({2, 8, 4}, 3), 8 + 6 / 3.0 + 0.03, "kernels are");
  check_close(all.optimum({6, 2, 4}), std::sqrt(600), "both ways");
  // The optimum is where the model's time is least.
  for (const ChunkTimes &chunk : {ChunkTimes{6, 2, 4}, {2, 6, 4}, {3, 20, 1}})
    for (const StreamModel &model :
         {last, StreamModel{StreamModel::Overlap::download_last, 0.05}}) {
      const int best = static_cast<int>(std::lround(model.optimum(chunk)));
      for (const int n : {best - 2, best + 2})
        if (n > 0) fail_unless(model.time(chunk, best) <= model.time(chunk, n) + 1e-9);
    }
}

TEST(test_adaptive_loop) {
  const StreamModel model{StreamModel::Overlap::download_last, 0.01};
  AdaptiveStreams loop(model, 16);
  fail_unless(loop.streams() == 1 && loop.measurements() == 0 && loop.estimate() == 0);
  loop.measured({1, 0.16, 0.1}, 1.26);
  fail_unless(loop.streams() == 4, "%d streams", loop.streams());
  check_close(loop.estimate(), model.time({1, 0.16, 0.1}, 4), "the estimate is the model's");
  for (int i = 0; i < 20; i++) loop.measured({}, 1.2 + 0.01 * (i % 5));
  fail_unless(loop.streams() == 4 && loop.measurements() == 1, "nothing changes");
  loop.measured({}, 2.5);
  loop.measured({}, 1.2);
  fail_unless(loop.streams() == 4, "one chunk does not count");
  loop.measured({}, 2.5);
  loop.measured({}, 2.6);
  fail_unless(loop.streams() == 1 && loop.estimate() == 0, "it is measured anew");
  loop.measured({1, 1.44, 0.1}, 2.54);
  fail_unless(loop.streams() == 10 && loop.measurements() == 2, "%d streams", loop.streams());
  loop.measured({}, loop.estimate());
  loop.measured({}, 0.5);
  loop.measured({}, 0.5);
  fail_unless(loop.streams() == 1, "also where it gets faster");
  loop.measured({100, 100, 1}, 201);
  fail_unless(loop.streams() == 16, "no more than allowed");
  // What no chunk has ever taken diverges too: the first ones do not set what is expected.
  loop.measured({}, 201);
  loop.measured({}, 201);
  fail_unless(loop.streams() == 1 && loop.measurements() == 3);
  loop.measured({1, 0.001, 0.1}, 1.1);
  fail_unless(loop.streams() == 1 && loop.measurements() == 4);
  loop.measured({}, 1.1);
  loop.measured({}, 1.1);
  fail_unless(loop.measurements() == 4, "one stream is expected to take what it took");
  // Streams that cost nothing are best in any number.
  AdaptiveStreams free({StreamModel::Overlap::download_last, 0}, 16);
  free.measured({1, 1, 1}, 3);
  fail_unless(free.streams() == 16);
}
