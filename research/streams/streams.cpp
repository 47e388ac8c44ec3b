// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streams.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "opencl/error.h"
#include "tools/bench/measure.h"

namespace glcl::research {

double StreamModel::time(const ChunkTimes &chunk, int streams) const {
  const double transfers = chunk.upload + chunk.download, overhead = per_stream * streams;
  if (overlap == Overlap::all) {
    // The longest of the three never waits, but for the first part of those before it and the last
    // part of those after it.
    const double longest = std::max({chunk.upload, chunk.kernel, chunk.download});
    return longest + (transfers + chunk.kernel - longest) / streams + overhead;
  }
  if (overlap == Overlap::serial_transfers)
    return transfers > chunk.kernel + transfers / streams
               ? transfers + overhead                                             // 6.1
               : chunk.kernel + transfers / streams + overhead;                   // 6.3
  return (chunk.upload > chunk.kernel ? chunk.upload + chunk.kernel / streams     // 6.5
                                      : chunk.upload / streams + chunk.kernel) +  // 6.7
         chunk.download +
         overhead;
}

double StreamModel::optimum(const ChunkTimes &chunk) const {
  const double transfers = chunk.upload + chunk.download;
  if (overlap == Overlap::all) {
    const double longest = std::max({chunk.upload, chunk.kernel, chunk.download});
    return std::max(1.0, std::sqrt((transfers + chunk.kernel - longest) / per_stream));
  }
  if (overlap == Overlap::download_last)
    return std::max(1.0, std::sqrt(std::min(chunk.kernel, chunk.upload) / per_stream));  // 6.6, 6.8
  // Where transfers prevail, the number from which on they do.
  if (transfers > chunk.kernel)
    return std::max(1.0, transfers / (transfers - chunk.kernel));  // 6.2
  return std::max(1.0, std::sqrt(transfers / per_stream));         // 6.4
}

void AdaptiveStreams::measured(const ChunkTimes &parts, double total) {
  if (estimate_ == 0) {
    measurements_++;
    streams_ =
        static_cast<int>(std::clamp<double>(std::round(model_.optimum(parts)), 1, max_streams_));
    estimate_ = model_.time(parts, streams_);
    diverging_ = 0;
  } else if (std::abs(total - estimate_) <= divergence_ * estimate_) {
    diverging_ = 0;
  } else if (++diverging_ == 2) {
    streams_ = 1;
    estimate_ = 0;
  }
}

/// Host memory that transfers need no copy of.
struct Streams::Stream {
  Stream(Context &context, size_t in_bytes, size_t out_bytes, Work work)
      : queue(std::make_shared<Queue>(context.shared_from_this(), true)),
        in(context.cl(), CL_MEM_READ_WRITE, in_bytes),
        out(context.cl(), CL_MEM_READ_WRITE, out_bytes),
        work(std::move(work)) {}

  std::shared_ptr<Queue> queue;
  cl::Buffer in, out;
  Work work;
  cl::Event uploaded, started, done, downloaded;
};

Streams::Streams(Context &context, int items, size_t item_bytes, size_t result_bytes, int streams,
                 const std::function<Work()> &make_work)
    : item_bytes_(item_bytes), result_bytes_(result_bytes) {
  try {
    const cl::CommandQueue mapping(context.cl(), context.device().device);
    input_ = std::make_unique<Pinned>(context.cl(), mapping, items * item_bytes);
    output_ = std::make_unique<Pinned>(context.cl(), mapping, items * result_bytes);
    // The one of number i is never one of fewer than i + 1.
    for (int i = 0; i < streams; i++) {
      const int most = (items + i) / (i + 1);
      streams_.push_back(
          std::make_unique<Stream>(context, most * item_bytes, most * result_bytes, make_work()));
    }
  } catch (const cl::Error &error) {
    throw Error(context.device().name + " has no memory for chunks of " + std::to_string(items) +
                    " items; take fewer.",
                error);
  }
}

Streams::~Streams() = default;

void *Streams::input() const { return input_->data(); }
const void *Streams::output() const { return output_->data(); }

std::vector<Streams::Span> Streams::run(int items, int streams) {
  streams = std::clamp(streams, 1, std::min<int>(static_cast<int>(streams_.size()), items));
  const auto first = [&](int i) { return static_cast<size_t>(int64_t(items) * i / streams); };
  const auto count = [&](int i) { return first(i + 1) - first(i); };
  auto *in = static_cast<unsigned char *>(input_->data());
  auto *out = static_cast<unsigned char *>(output_->data());
  for (int i = 0; i < streams; i++) {
    Stream &s = *streams_[i];
    s.queue->cl().enqueueWriteBuffer(s.in, CL_FALSE, 0, count(i) * item_bytes_,
                                     in + first(i) * item_bytes_, nullptr, &s.uploaded);
    s.queue->cl().flush();
  }
  for (int i = 0; i < streams; i++) {
    Stream &s = *streams_[i];
    s.queue->cl().enqueueMarkerWithWaitList(nullptr, &s.started);
    s.work(*s.queue, s.in, s.out, static_cast<int>(count(i)));
    s.queue->cl().enqueueMarkerWithWaitList(nullptr, &s.done);
    s.queue->cl().flush();
  }
  for (int i = 0; i < streams; i++) {
    Stream &s = *streams_[i];
    s.queue->cl().enqueueReadBuffer(s.out, CL_FALSE, 0, count(i) * result_bytes_,
                                    out + first(i) * result_bytes_, nullptr, &s.downloaded);
    s.queue->cl().flush();
  }
  std::vector<Span> spans;
  cl_ulong begin = ~cl_ulong(0);
  for (int i = 0; i < streams; i++) {
    streams_[i]->queue->cl().finish();
    begin = std::min(begin, streams_[i]->uploaded.getProfilingInfo<CL_PROFILING_COMMAND_START>());
  }
  for (int i = 0; i < streams; i++) {
    Stream &s = *streams_[i];
    std::map<std::string, Timing> kernels;
    s.queue->collect(kernels);
    const auto start = [&](const cl::Event &event) {
      return double(event.getProfilingInfo<CL_PROFILING_COMMAND_START>() - begin) / 1e6;
    };
    const auto end = [&](const cl::Event &event) {
      return double(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() - begin) / 1e6;
    };
    spans.push_back({Span::upload, i, start(s.uploaded), end(s.uploaded)});
    spans.push_back({Span::kernel, i, end(s.started), start(s.done)});
    spans.push_back({Span::download, i, start(s.downloaded), end(s.downloaded)});
  }
  return spans;
}

ChunkTimes times_by_kind(const std::vector<Streams::Span> &spans) {
  double sums[3] = {};
  for (const Streams::Span &span : spans) sums[span.kind] += span.end - span.start;
  return {sums[0], sums[1], sums[2]};
}

double total_time(const std::vector<Streams::Span> &spans) {
  double first = 1e300, last = 0;
  for (const Streams::Span &span : spans) {
    first = std::min(first, span.start);
    last = std::max(last, span.end);
  }
  return spans.empty() ? 0 : last - first;
}

std::pair<double, double> stream_cost(Streams &streams) {
  constexpr int most = 16;
  std::vector<double> counts, times;
  for (const int n : {1, 2, 4, 8, 12, 16}) {
    // Not the first run, for which the driver sets things up, nor one that was disturbed.
    std::vector<double> runs;
    for (int i = 0; i < 10; i++) runs.push_back(total_time(streams.run(most, n)));
    counts.push_back(n);
    times.push_back(bench::median({runs.begin() + 1, runs.end()}));
  }
  const auto size = static_cast<double>(counts.size());
  const double mean_n = std::accumulate(counts.begin(), counts.end(), 0.0) / size,
               mean_t = std::accumulate(times.begin(), times.end(), 0.0) / size;
  double nn = 0, nt = 0, squares = 0;
  for (size_t i = 0; i < counts.size(); i++) {
    nn += (counts[i] - mean_n) * (counts[i] - mean_n);
    nt += (counts[i] - mean_n) * (times[i] - mean_t);
  }
  const double slope = nt / nn;
  for (size_t i = 0; i < counts.size(); i++) {
    const double rest = times[i] - mean_t - slope * (counts[i] - mean_n);
    squares += rest * rest;
  }
  const double error = std::sqrt(squares / (size - 2) / nn);
  return {slope > error ? slope : 0, error};
}

double overlap_of(const std::vector<Streams::Span> &spans) {
  double sum = 0;
  for (size_t i = 0; i < spans.size(); i++)
    for (size_t k = 0; k < i; k++)
      if (spans[i].stream != spans[k].stream &&
          (spans[i].kind == Streams::Span::kernel) != (spans[k].kind == Streams::Span::kernel))
        sum += std::max(
            std::min(spans[i].end, spans[k].end) - std::max(spans[i].start, spans[k].start), 0.0);
  return sum;
}

}  // namespace glcl::research
