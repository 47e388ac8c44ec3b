// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "candidates.h"
#include "pyramids.h"

namespace glcl::opticalflow {

/// Runs Candidates for Flow. Search and vote run on a second queue, at the same time as the warps
/// of the coarsest levels, which leave most of the device idle. select() uses the caller's queue,
/// and so does everything while profiling.
class CandidateSearch {
 public:
  CandidateSearch(Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  /// Starts with the next pair of frames. `known`: its earlier frame was the later one of the last
  /// search, so that the signatures of that frame are reused.
  void next_frame(bool known);
  /// Drops the signatures of the last search.
  void forget() { has_signatures_ = false; }

  /// Enqueues the search for matching pixels, which does not depend on brightness.
  void start(Queue &queue, const FlowPyramids &pyramids, const FlowPyramid &before,
             const FlowPyramid &after);
  /// Enqueues the vote for candidates. Calls start() if nothing else called it for these frames.
  void match(Queue &queue, const FramePair &frames);
  /// Enqueues the selection on a level, after match(); see Candidates::select().
  void select(Queue &queue, const FramePair &frames, int level, const Candidates::Nodes &nodes,
              const cl::Buffer &result);
  /// The change of brightness that the matches measure, see FramePair. Only match() with grey
  /// writes it.
  const cl::Buffer &brightness() const { return brightness_; }

 private:
  /// The queue of the search. Profiling uses only one queue, because kernels must not overlap.
  Queue &side_queue(Queue &queue) { return queue.profiles() ? queue : side_queue_; }

  Candidates candidates_;
  Queue side_queue_;
  cl::Buffer brightness_;
  bool has_signatures_ = false;  // the earlier frame's signatures are on the device
  bool started_ = false;         // start() was called for the next match()
};

}  // namespace glcl::opticalflow
