// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace glcl::bench {

/// A whole pipeline with gst-glcl elements, and the cost of a frame in it.
struct Pipeline {
  std::string name;     ///< "gltestsrc ! 2 × glclinvert"
  std::string method;   ///< value of `sharing`; empty without a gst-glcl element
  std::string source;   ///< takes num-buffers
  std::string rest;     ///< from the source's caps on, without the sink
  bool mapped = false;  ///< every frame is read on the host in the end

  struct Cost {
    double wall = 0,
           processor = 0;  ///< by the clock; of all cores added up, which others hardly change
  };
  /// ms per frame: the time of a long run less that of a short one, over the frames between, so
  /// that the start does not count. Nothing if the pipeline can't run, for instance without a way
  /// of sharing.
  std::optional<Cost> frame_cost(int frames) const;
};

/// One, two and four of an element in a row behind drawn frames, one behind raw ones, each of these
/// ways. `element` may go on with properties.
std::vector<Pipeline> pipelines(const std::string &element, const std::vector<std::string> &methods,
                                int width, int height);

}  // namespace glcl::bench
