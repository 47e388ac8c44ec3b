// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streams.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "histogram/histogram.h"
#include "reference/histogram/histogram.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;
using histogram::Histogram;

constexpr int frames = 4096, chunk = 32, most_streams = 16;
constexpr Histogram::Format format{Histogram::Mode::grey_8, 256};

struct Result {
  double rate = 0;                // frames/s
  std::string choices;            // "2 from chunk 1, …"
  double total = 0, overlap = 0;  // ms, of all chunks
  int changes = 0;                // of the number of streams
  bool streamed = false;          // a chunk was, in more than one
  bool equal = true;              // to the counts of the reference implementation
};

/// The frames of a half, and what they count.
struct Half {
  std::vector<unsigned char> frames;
  std::vector<uint32_t> counts;
};

Half half_of(size_t frame_bytes, const std::function<unsigned char()> &next) {
  Half half;
  half.frames.resize(chunk * frame_bytes);
  std::generate(half.frames.begin(), half.frames.end(), next);
  for (int i = 0; i < chunk; i++) {
    const auto first = half.frames.begin() + i * static_cast<ptrdiff_t>(frame_bytes);
    const auto counts = reference::histogram(
        std::vector<uint16_t>(first, first + static_cast<ptrdiff_t>(frame_bytes)), format);
    half.counts.insert(half.counts.end(), counts.begin(), counts.end());
  }
  return half;
}

/// All chunks; as `loop` says or in one stream.
Result run(Streams &streams, const Half (&halves)[2], AdaptiveStreams *loop) {
  using Clock = std::chrono::steady_clock;
  Result result;
  double seconds = 0;
  int last = 0;
  for (int i = 0; i < frames / chunk; i++) {
    const Half &half = halves[i >= frames / chunk / 2];
    std::memcpy(streams.input(), half.frames.data(), half.frames.size());
    const int n = loop ? loop->streams() : 1;
    if (n != last && result.changes++ < 4)
      result.choices += (last ? ", " : "") + std::to_string(n) + " from chunk " + std::to_string(i);
    last = n;
    const auto begin = Clock::now();
    const auto timeline = streams.run(chunk, n);
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    if (loop) loop->measured(times_by_kind(timeline), total_time(timeline));
    result.streamed = result.streamed || n > 1;
    result.total += total_time(timeline);
    result.overlap += overlap_of(timeline);
    result.equal = result.equal && std::equal(half.counts.begin(), half.counts.end(),
                                              static_cast<const cl_uint *>(streams.output()));
  }
  result.rate = frames / seconds;
  return result;
}

/// Prints frames per second for the histograms of 4096 grey frames from host memory, in chunks of
/// 32. The first half has evenly spread levels, the second half is flat. It compares one stream
/// with as many as the adaptive loop takes (J. Gómez Luna, PhD thesis 2012, table 6.5). False if
/// counts are wrong, or if the timeline shows streams that never overlap.
bool print_size(Context &context, int width, int height) {
  const size_t bytes = size_t(width) * height;
  Streams streams(context, chunk, bytes, format.counters() * sizeof(cl_uint), most_streams, [&] {
    const auto engine =
        std::make_shared<Histogram>(context, width, height, format, Layout::buffer, chunk);
    return [=](Queue &queue, const cl::Buffer &in, const cl::Buffer &out, int count) {
      const cl::Buffer &counts = engine->run(queue, in, width, width * height, count, {});
      queue.cl().enqueueCopyBuffer(counts, out, 0, 0, count * engine->bytes());
    };
  });
  std::mt19937 next(1);
  const Half halves[2] = {half_of(bytes, [&] { return static_cast<unsigned char>(next() >> 24); }),
                          half_of(bytes, [] { return static_cast<unsigned char>(77); })};
  std::memcpy(streams.input(), halves[0].frames.data(), halves[0].frames.size());
  const auto [cost, error] = stream_cost(streams);
  const StreamModel model{StreamModel::Overlap::download_last, cost};
  const ChunkTimes parts = times_by_kind(streams.run(chunk, 1));
  AdaptiveStreams loop(model, most_streams);
  const Result unstreamed = run(streams, halves, nullptr), adaptive = run(streams, halves, &loop);
  const bool equal = unstreamed.equal && adaptive.equal,
             overlaps = context.device().is_cpu() || !adaptive.streamed || adaptive.overlap > 0;
  std::printf(
      "%dx%d: chunk up %.3f, kernel %.3f, down %.3f ms, a stream %.4f ± %.4f ms, best %.1f by the "
      "model\n"
      "  one stream %8.0f frames/s\n"
      "  adaptive   %8.0f frames/s (%+.1f %%), streams: %s; measured %d times; kernels beside "
      "transfers %.0f %%\n"
      "  counts %s%s\n",
      width, height, parts.upload, parts.kernel, parts.download, cost, error,
      std::min<double>(model.optimum(parts), most_streams), unstreamed.rate, adaptive.rate,
      100 * (adaptive.rate / unstreamed.rate - 1),
      (adaptive.choices + (adaptive.changes > 4 ? ", …" : "")).c_str(), loop.measurements(),
      100 * adaptive.overlap / adaptive.total, equal ? "equal" : "WRONG",
      overlaps ? "" : "; WRONG: the streams never overlap");
  return equal && overlaps;
}

bool print(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  std::printf("%s, driver %s\n", context->device().name.c_str(), context->device().driver.c_str());
  std::printf(
      "histograms of %d grey frames of 256 bins, in chunks of %d, half uniform, half flat\n",
      frames, chunk);
  bool good = true;
  const std::vector<std::pair<int, int>> usual{{176, 144}, {352, 288}, {704, 576}};
  for (const auto &[width, height] : request.sizes.empty() ? usual : request.sizes)
    good = print_size(*context, width, height) && good;
  return good;
}

const Mode mode(
    "streams",
    "Histograms of 4096 frames from host memory (3 sizes, or --size), by transfers and kernels in "
    "streams",
    print);

}  // namespace

}  // namespace glcl::research
