// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace glcl::bench {

/// Processor time of the process so far, ms.
double processor_time();

/// A whole pipeline with gst-glcl elements, and the cost of a frame in it.
struct Pipeline {
  std::string name;     ///< "gltestsrc ! 2 × glclinvert"
  std::string method;   ///< value of `sharing`; empty without a gst-glcl element
  std::string source;   ///< elements with a property num-buffers
  std::string rest;     ///< from the source's caps on, without the sink
  bool mapped = false;  ///< the host reads every frame at the end

  struct Cost {
    double wall = 0,
           processor = 0;  ///< ms per frame: wall clock; processor time of all cores, which other
                           ///< processes hardly change
  };
  /// ms per frame: the difference between a long and a short run, divided by the difference in
  /// frames, so the start does not count. Nothing if the pipeline can't run, for example if the
  /// sharing method is not available.
  std::optional<Cost> frame_cost(int frames) const;
};

/// One, two and four of an element in a row after frames drawn by OpenGL, and one after raw frames,
/// with each of these methods. `element` may contain properties.
std::vector<Pipeline> pipelines(const std::string &element, const std::vector<std::string> &methods,
                                int width, int height);

}  // namespace glcl::bench
