// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "flow.h"
#include "lucaskanade.h"

namespace glcl::opticalflow {

enum class FlowMethod { lucas_kanade, pyramidal, census };

/// The dense flow by one of the methods: Flow or LucasKanade.
class FlowEstimator {
 public:
  /// For frames of width × height px. Builds everything for these settings. Throws as Flow and
  /// LucasKanade.
  FlowEstimator(Context &context, int width, int height, const FrameFormat &frame,
                const Flow::Settings &settings, FlowMethod method);

  /// Enqueues the flow from the previous frame to this one; null without a previous frame. Never
  /// waits.
  const FlowField *run(Queue &queue, const Flow::Settings &settings, const Picture &in);
  /// Forgets the previous frame.
  void reset();
  /// The engine of the methods with a pyramid, whose frames Signatures uses; null for others.
  const Flow *flow() const { return flow_.get(); }

 private:
  std::unique_ptr<Flow> flow_;
  std::unique_ptr<LucasKanade> lucas_kanade_;
};

}  // namespace glcl::opticalflow
