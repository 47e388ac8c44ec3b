// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streams.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "histogram/histogram.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;

constexpr int frames = 4096, chunk = 32, most_streams = 16;
constexpr Histogram::Format format{Histogram::Mode::grey_8, 256};

/// ms that a stream costs: what a chunk takes longer in eight streams with next to no work.
double stream_cost(Streams &streams) {
  std::vector<double> one, eight;
  for (int i = 0; i < 9; i++) {
    one.push_back(whole_of(streams.run(8, 1)));
    eight.push_back(whole_of(streams.run(8, 8)));
  }
  return std::max((median(eight) - median(one)) / 7, 1e-4);
}

struct Result {
  double rate = 0;      // frames/s
  std::string choices;  // "2 from chunk 1, …"
};

/// All chunks; `adaptive` or in one stream.
Result run(Streams &streams, const std::vector<unsigned char> (&halves)[2], AdaptiveStreams *loop) {
  using Clock = std::chrono::steady_clock;
  Result result;
  double seconds = 0;
  int last = 0;
  for (int i = 0; i < frames / chunk; i++) {
    const auto &half = halves[i >= frames / chunk / 2];
    std::memcpy(streams.input(), half.data(), half.size());
    const int n = loop ? loop->streams() : 1;
    if (n != last)
      result.choices += (last ? ", " : "") + std::to_string(n) + " from chunk " + std::to_string(i);
    last = n;
    const auto begin = Clock::now();
    const auto timeline = streams.run(chunk, n);
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    if (loop) loop->measured(parts_of(timeline), whole_of(timeline));
  }
  result.rate = frames / seconds;
  return result;
}

/// Frames per second of the histograms of 4096 grey frames from host memory, in chunks of 32, the
/// first half with levels evenly spread, the second half flat: in one stream, and in as many as the
/// adaptive loop takes (J. Gómez Luna, PhD thesis 2012, table 6.5).
bool print(const Request &request) {
  const auto own = Context::of_device(choose_device(request.device));
  Context &context = *own;
  std::printf("%s, driver %s\n", context.device().name.c_str(), context.device().driver.c_str());
  std::printf(
      "histograms of %d grey frames of 256 bins, in chunks of %d, half uniform, half flat\n",
      frames, chunk);
  const std::pair<int, int> sizes[] = {{176, 144}, {352, 288}, {704, 576}};
  for (const auto &[width, height] : sizes) {
    const size_t bytes = size_t(width) * height;
    Streams streams(
        context, chunk, bytes, format.counters() * sizeof(cl_uint), most_streams,
        [&, width = width, height = height] {
          const auto engine =
              std::make_shared<Histogram>(context, width, height, format, Layout::buffer, chunk);
          return [=](Queue &queue, const cl::Buffer &in, const cl::Buffer &out, int count) {
            const cl::Buffer &counts = engine->run(queue, in, width, width * height, count, {});
            queue.cl().enqueueCopyBuffer(counts, out, 0, 0, count * engine->bytes());
          };
        });
    std::vector<unsigned char> halves[2] = {std::vector<unsigned char>(chunk * bytes),
                                            std::vector<unsigned char>(chunk * bytes, 77)};
    std::mt19937 next(1);
    std::generate(halves[0].begin(), halves[0].end(),
                  [&] { return static_cast<unsigned char>(next() >> 24); });
    std::memcpy(streams.input(), halves[0].data(), halves[0].size());
    const StreamModel model{StreamModel::Overlap::download_last, stream_cost(streams)};
    const ChunkTimes parts = parts_of(streams.run(chunk, 1));
    const Result unstreamed = run(streams, halves, nullptr);
    AdaptiveStreams loop(model, most_streams);
    const Result adaptive = run(streams, halves, &loop);
    std::printf(
        "%dx%d: chunk up %.3f, kernel %.3f, down %.3f ms, a stream %.4f ms, best %.1f by the "
        "model\n"
        "  one stream %8.0f frames/s\n  adaptive   %8.0f frames/s (%+.1f %%), streams: %s; "
        "measured "
        "%d times\n",
        width, height, parts.upload, parts.kernel, parts.download, model.per_stream,
        model.optimum(parts), unstreamed.rate, adaptive.rate,
        100 * (adaptive.rate / unstreamed.rate - 1), adaptive.choices.c_str(), loop.measurements());
  }
  return true;
}

const Mode mode("streams",
                "Histograms of 4096 frames from host memory, by transfers and kernels in streams",
                print);

}  // namespace

}  // namespace glcl::research
