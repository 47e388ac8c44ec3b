// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "candidates.h"
#include "pyramids.h"

namespace glcl::opticalflow {

/// Runs Candidates for Flow on a queue of its own, beside the coarsest levels, which leave the
/// device idle.
class CandidateSearch {
 public:
  CandidateSearch(Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  /// Begins with the next frame. `known`: its predecessor may keep its signatures.
  void next_frame(bool known);
  /// The signatures that the last search left are not those of the current frame.
  void forget() { has_signatures_ = false; }

  /// Enqueues the part that does not depend on brightness.
  void start(Queue &queue, const FlowPyramids &pyramids, const FlowPyramid &before,
             const FlowPyramid &after);
  /// Enqueues the vote for candidates, after start() if that is missing.
  void match(Queue &queue, const FramePair &frames);
  /// Enqueues the choice on a level, after the vote. `result` has as many nodes as the flow.
  void select(Queue &queue, const FramePair &frames, int level, const Candidates::Nodes &nodes,
              const cl::Buffer &result);
  /// The change of brightness by matches: written by match(), in grey only.
  const cl::Buffer &brightness() const { return brightness_; }

 private:
  /// Profiling needs one kernel after the other.
  Queue &side_queue(Queue &queue) { return queue.profiles() ? queue : side_queue_; }

  Candidates candidates_;
  Queue side_queue_;
  cl::Buffer brightness_;
  bool has_signatures_ = false;  // of the previous frame
  bool started_ = false;         // for the next flow
};

}  // namespace glcl::opticalflow
