// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace glcl::bench {

/// Equal streams in one process and one pipeline, because they share OpenGL.
struct ParallelStreams {
  std::string source;       ///< elements that produce frames in OpenGL textures as fast as possible
  std::string live_source;  ///< the same at the frames' own rate
  std::string row;          ///< gst-glcl elements; may be empty
  int count = 1;

  /// As fast as possible, after the first tenth of the frames.
  struct Throughput {
    double frames_per_second = 0;  ///< of all streams together
    double processor_ms = 0;       ///< processor time per frame
  };
  /// Plays `frames` per stream. Throws Error::failed if the pipeline ends in an error or earlier.
  Throughput play_fast(int frames) const;

  /// With `live_source`, after the first two seconds.
  struct Live {
    std::vector<double> latencies;  ///< ms from the first element to the sink, sorted
    int dropped = 0;                ///< frames of all streams
  };
  /// Throws Error::failed if the pipeline ends in an error or earlier.
  Live play_live(double seconds) const;
};

}  // namespace glcl::bench
