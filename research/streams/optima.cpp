// SPDX-License-Identifier: LGPL-2.1-or-later
// Table 6.4 of Gómez Luna, PhD thesis 2012: the best number of streams by the models and measured.
// The work is histograms of grey frames, and of frames that are converted to grey first, in chunks
// of 32 frames. It also shows whether overlap helps at all.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

#include "histogram/histogram.h"
#include "reference/frames.h"
#include "reference/histogram/histogram.h"
#include "streams.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;
using histogram::Histogram;
using Format = Histogram::Format;

constexpr int chunk = 32;
constexpr int counts_of_streams[] = {1, 2, 4, 8, 16};

struct Kind {
  const char *name;
  Format format;
  int bytes;  ///< of a pixel
};
constexpr Kind kinds[] = {{"grey, 256 bins", {Histogram::Mode::grey_8, 256}, 1},
                          {"RGB to grey, 256 bins", {Histogram::Mode::luma, 256}, 4}};

/// The counts of all frames of a chunk.
std::vector<cl_uint> expected(const Kind &kind, const unsigned char *in, int width, int height) {
  std::vector<cl_uint> all;
  const size_t pixels = size_t(width) * size_t(height), bytes = pixels * size_t(kind.bytes);
  for (int i = 0; i < chunk; i++) {
    const unsigned char *frame = in + size_t(i) * bytes;
    std::vector<uint32_t> counts;
    if (kind.bytes == 4) {
      reference::Frame rgba(width, height);
      std::memcpy(rgba.rgba.data(), frame, bytes);
      counts = reference::histogram(rgba, kind.format);
    } else {
      counts = reference::histogram(std::vector<uint16_t>(frame, frame + bytes), kind.format);
    }
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return all;
}

/// ms of a chunk in so many streams, the median of some.
double time_in(Streams &streams, int count) {
  std::vector<double> times;
  for (int i = 0; i < 9; i++) times.push_back(total_time(streams.run(chunk, count)));
  return median(times);
}

/// What a chunk takes in one stream, in the fastest of some runs.
ChunkTimes parts_in_one(Streams &streams) {
  auto best = streams.run(chunk, 1);
  for (int i = 0; i < 8; i++)
    if (auto next = streams.run(chunk, 1); total_time(next) < total_time(best)) best = next;
  return times_by_kind(best);
}

/// False where counts are wrong.
bool print_kind(Context &context, const Kind &kind, int width, int height) {
  const size_t bytes = size_t(width) * size_t(height) * size_t(kind.bytes);
  const size_t result_bytes = size_t(kind.format.counters()) * sizeof(cl_uint);
  Streams streams(context, chunk, bytes, result_bytes, 16, [&] {
    const auto engine =
        std::make_shared<Histogram>(context, width, height, kind.format, Layout::buffer, chunk);
    return [=](Queue &queue, const cl::Buffer &in, const cl::Buffer &out, int count) {
      const cl::Buffer &counts = engine->run(queue, in, width, width * height, count, {});
      queue.cl().enqueueCopyBuffer(counts, out, 0, 0, size_t(count) * engine->bytes());
    };
  });
  std::mt19937 next(1);
  auto *in = static_cast<unsigned char *>(streams.input());
  std::generate(in, in + chunk * bytes, [&] { return static_cast<unsigned char>(next() >> 24); });
  const std::vector<cl_uint> wanted = expected(kind, in, width, height);
  const double cost = std::max(stream_cost(streams).first, 1e-4);
  const ChunkTimes parts = parts_in_one(streams);
  std::printf("%s, %dx%d: up %.3f, kernel %.3f, down %.3f ms, a stream %.4f ms\n", kind.name, width,
              height, parts.upload, parts.kernel, parts.download, cost);
  bool good = true;
  double one = 0, best = 0;
  int best_count = 1;
  std::printf("  streams        measured   6.1, 6.3   6.5, 6.7   both ways\n");
  for (const int count : counts_of_streams) {
    const double time = time_in(streams, count);
    good = good &&
           std::equal(wanted.begin(), wanted.end(), static_cast<const cl_uint *>(streams.output()));
    if (count == 1) one = best = time;
    if (time < best) best = time, best_count = count;
    std::printf("  %7d %12.3f ms", count, time);
    for (const auto overlap : {StreamModel::Overlap::serial_transfers,
                               StreamModel::Overlap::download_last, StreamModel::Overlap::all})
      std::printf("%11.3f", StreamModel{overlap, cost}.time(parts, count));
    std::printf("\n");
  }
  std::printf("  best    %9d        ", best_count);
  for (const auto overlap : {StreamModel::Overlap::serial_transfers,
                             StreamModel::Overlap::download_last, StreamModel::Overlap::all})
    std::printf("%11.1f", std::min(16.0, StreamModel{overlap, cost}.optimum(parts)));
  std::printf("\n  %s: %.0f %% less time than in one stream; counts %s\n",
              best < 0.95 * one ? "overlap helps" : "overlap does not help", 100 * (1 - best / one),
              good ? "equal" : "WRONG");
  return good;
}

bool print(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  std::printf("%s, driver %s, chunks of %d frames\n", context->device().name.c_str(),
              context->device().driver.c_str(), chunk);
  bool good = true;
  const std::vector<std::pair<int, int>> usual{{176, 144}, {352, 288}, {704, 576}};
  for (const Kind &kind : kinds)
    for (const auto &[width, height] : request.sizes.empty() ? usual : request.sizes)
      good = print_kind(*context, kind, width, height) && good;
  return good;
}

const Mode mode("overlap",
                "The best number of streams by three models and measured, for histograms of grey "
                "frames and of RGB that becomes grey (3 sizes, or --size)",
                print);

}  // namespace

}  // namespace glcl::research
