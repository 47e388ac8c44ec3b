// SPDX-License-Identifier: LGPL-2.1-or-later
#include "estimator.h"

namespace glcl::opticalflow {

namespace {

LucasKanade::Settings lucas_kanade_settings(const Flow::Settings &settings) {
  return {settings.window, settings.alpha};
}

}  // namespace

FlowEstimator::FlowEstimator(Context &context, int width, int height, const FrameFormat &frame,
                             const Flow::Settings &settings, FlowMethod method) {
  if (method == FlowMethod::lucas_kanade) {
    lucas_kanade_ = std::make_unique<LucasKanade>(context, width, height, frame);
    lucas_kanade_->prepare(lucas_kanade_settings(settings));
  } else {
    flow_ = std::make_unique<Flow>(
        context, width, height, frame,
        method == FlowMethod::census ? Flow::Channels::census : Flow::Channels::grey);
    flow_->prepare(settings);
  }
}

const FlowField *FlowEstimator::run(Queue &queue, const Flow::Settings &settings,
                                    const Picture &in) {
  if (lucas_kanade_)
    return lucas_kanade_->run(queue, lucas_kanade_settings(settings), in) ? &lucas_kanade_->field()
                                                                          : nullptr;
  return flow_->run(queue, settings, in) ? &flow_->field() : nullptr;
}

void FlowEstimator::set_format(const FrameFormat &frame) {
  if (flow_) flow_->set_format(frame);
  if (lucas_kanade_) lucas_kanade_->set_format(frame);
}

void FlowEstimator::reset() {
  if (flow_) flow_->reset();
  if (lucas_kanade_) lucas_kanade_->reset();
}

}  // namespace glcl::opticalflow
