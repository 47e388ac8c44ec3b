// SPDX-License-Identifier: LGPL-2.1-or-later
#include "candidatesearch.h"

#include <utility>

#include "flowlayout.h"
#include "opencl/queuesync.h"

namespace glcl::opticalflow {

CandidateSearch::CandidateSearch(Context &context, const FlowPyramids &pyramids,
                                 FlowChannels channels)
    : candidates_(context, pyramids.width(), pyramids.height(), channels == FlowChannels::census),
      side_queue_(context.shared_from_this()),
      brightness_(buffer(context.cl(), 2 * sizeof(cl_float2))) {}

void CandidateSearch::next_frame(bool known) {
  if (!known) has_signatures_ = false;
  started_ = false;
}

void CandidateSearch::start(Queue &queue, const FlowPyramids &pyramids, const FlowPyramid &before,
                            const FlowPyramid &after) {
  const int level = Candidates::matched_level(pyramids.width(), pyramids.height());
  wait_for(side_queue(queue), queue);
  candidates_.propose(side_queue(queue), pyramids.plane(before, level),
                      pyramids.plane(after, level), std::exchange(has_signatures_, false));
  started_ = true;
}

void CandidateSearch::match(Queue &queue, const FramePair &frames) {
  const FlowPyramids &pyramids = frames.pyramids;
  const int level = Candidates::matched_level(pyramids.width(), pyramids.height());
  if (!std::exchange(started_, false)) start(queue, pyramids, frames.before, frames.after);
  wait_for(side_queue(queue), queue);
  candidates_.match(side_queue(queue), pyramids.plane(frames.before, level),
                    pyramids.plane(frames.after, level), frames.brightness, brightness_);
  has_signatures_ = true;
}

void CandidateSearch::select(Queue &queue, const FramePair &frames, int level,
                             const Candidates::Nodes &nodes, const cl::Buffer &result) {
  wait_for(queue, side_queue(queue));
  candidates_.select(queue,
                     {frames.before.texels(), frames.after.texels(),
                      frames.pyramids.all_levels()[level].cl(), frames.pyramids.gains()[level],
                      frames.matched_brightness, frames.pyramids.noise().variances()},
                     nodes, result);
}

}  // namespace glcl::opticalflow
