// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "flow.h"
#include "lucaskanade.h"

namespace glcl::opticalflow {

/// lucas_kanade: LucasKanade. pyramidal: Flow on grey values. census: Flow on census.
enum class FlowMethod { lucas_kanade, pyramidal, census };

/// Dense optical flow by one of the methods, with Flow or LucasKanade.
class FlowEstimator {
 public:
  /// Builds everything that these settings need for frames of width × height px, and waits for it.
  /// Throws the errors of Flow and LucasKanade.
  FlowEstimator(Context &context, int width, int height, const FrameFormat &frame,
                const Flow::Settings &settings, FlowMethod method);

  /// Enqueues the flow from the previous frame to `in` and returns its field; null without a
  /// previous frame. Never waits.
  const FlowField *run(Queue &queue, const Flow::Settings &settings, const Picture &in);
  /// Changes the pixel format of the next frames, as Flow::set_format().
  void set_format(const FrameFormat &frame);
  /// Forgets the previous frame.
  void reset();
  /// The engine of the methods with a pyramid, which provides the planes for Signatures; else null.
  const Flow *flow() const { return flow_.get(); }

 private:
  std::unique_ptr<Flow> flow_;
  std::unique_ptr<LucasKanade> lucas_kanade_;
};

}  // namespace glcl::opticalflow
