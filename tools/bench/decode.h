// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glcl::bench {

/// A video file through a decoder into OpenGL textures, with or without gst-glcl elements after it.
struct Decoding {
  std::string decoder;  ///< an element for H.264
  std::string element;  ///< gst-glcl element with properties; may be empty
  std::string method;   ///< value of the element's `sharing`
  int count = 0;

  /// The `stats` of one gst-glcl element.
  struct Element {
    uint64_t frames = 0, dropped = 0;
    double latency = 0, longest = 0;  ///< ms
  };
  struct Result {
    int frames = 0;
    double cost = 0;               ///< ms per frame, as fast as possible, after the first tenth
    std::vector<Element> in_time;  ///< when played at the file's own rate
  };
  /// Returns nothing if the pipeline ends in an error; then sets `failure`.
  std::optional<Result> run(const std::string &file, std::string *failure) const;
};

/// The available decoders for H.264; first those that leave frames on the GPU.
std::vector<std::string> decoders();

}  // namespace glcl::bench
