// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/pinned.h"
#include "opencl/queue.h"

namespace glcl::research {

/// What a chunk of work takes by itself, ms: to the device, on it, and back.
struct ChunkTimes {
  double upload = 0, kernel = 0, download = 0;
};

/// How long a chunk takes in n streams, each with a part of it, and which n is best: Gómez Luna,
/// PhD thesis 2012, equations 6.1 to 6.8, and what devices do that copy both ways at once.
/// `per_stream`: ms that each stream costs by itself.
struct StreamModel {
  enum class Overlap {
    serial_transfers,  ///< kernels overlap with transfers both ways (compute capability 1.x)
    download_last,     ///< downloads begin when all kernels have (2.x)
    all,               ///< two copy engines: uploads, kernels and downloads go on side by side
  };

  Overlap overlap = Overlap::download_last;
  double per_stream = 0.01;  ///< 0: nothing, then any number is as good as one more

  double time(const ChunkTimes &chunk, int streams) const;
  /// Not rounded; at least 1.
  double optimum(const ChunkTimes &chunk) const;
};

/// Chooses the number of streams, chunk after chunk (listing 6.4). One chunk is measured in a
/// single stream. From that the model gives the number and an estimate of the time. The choice
/// starts over after two chunks in a row that take much longer or shorter than estimated.
class AdaptiveStreams {
 public:
  /// At most `most` streams; `divergence` is a part of the estimate.
  AdaptiveStreams(const StreamModel &model, int most, double divergence = 0.3)
      : model_(model), max_streams_(most), divergence_(divergence) {}

  /// For the next chunk: 1 where it is to be measured.
  int streams() const { return streams_; }
  /// What the chunk took: its parts, which count where it was in one stream, and all of it, ms.
  void measured(const ChunkTimes &parts, double total);
  /// What the model expects of a chunk, ms; 0 where the next one is to be measured.
  double estimate() const { return estimate_; }
  /// How often it began.
  int measurements() const { return measurements_; }

 private:
  StreamModel model_;
  int max_streams_;
  double divergence_;
  int streams_ = 1, measurements_ = 0;
  double estimate_ = 0;  // ms by the model; 0: the next chunk is to be measured
  int diverging_ = 0;    // chunks in a row
};

/// Processes items of one size in host memory in chunks. Every chunk is split into streams, each
/// with its own queue, so that transfers and kernels overlap. Host memory is pinned. All calls from
/// one thread.
class Streams {
 public:
  /// Enqueues what makes `count` results of `count` items.
  using Work =
      std::function<void(Queue &queue, const cl::Buffer &in, const cl::Buffer &out, int count)>;

  struct Span {
    enum Kind { upload, kernel, download } kind;
    int stream;
    double start, end;  ///< ms since the first one began
  };

  /// For chunks of up to `items` items of `item_bytes`, with results of `result_bytes`, in up to
  /// `streams` streams. `make_work` is called once for each: what it gives may keep state of its
  /// own. Throws Error::failed.
  Streams(Context &context, int items, size_t item_bytes, size_t result_bytes, int streams,
          const std::function<Work()> &make_work);
  ~Streams();
  Streams(const Streams &) = delete;

  /// Where the chunk's items are to be, and where its results are then.
  void *input() const;
  const void *output() const;

  /// Works on the first `items` items in `streams` streams: all uploads are enqueued, then all
  /// kernels, then all downloads. Waits for them and gives what happened when, by stream.
  std::vector<Span> run(int items, int streams);

 private:
  struct Stream;

  size_t item_bytes_, result_bytes_;
  std::unique_ptr<Pinned> input_, output_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

/// How long each kind of span took altogether, and from the first start to the last end.
ChunkTimes times_by_kind(const std::vector<Streams::Span> &spans);
double total_time(const std::vector<Streams::Span> &spans);
/// The cost of a stream in itself, t_sc, in ms, and its standard error. It is the slope of the
/// least squares line through the times of chunks with next to no work in 1 to 16 streams. 0 if it
/// does not exceed the standard error.
std::pair<double, double> stream_cost(Streams &streams);
/// For how long kernels went on while another stream's transfer did, ms, each pair counted.
double overlap_of(const std::vector<Streams::Span> &spans);

}  // namespace glcl::research
