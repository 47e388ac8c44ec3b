// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of the camera of glclmotion: from measures of pictures to messages.
#pragma once

#include <atomic>

#include "base/gstglclanalyzer.h"
#include "camera/camera.h"
#include "objects/interface.h"
#include "rules/scenewatch.h"

namespace glcl::motion {

/// The picture that the sums of a frame describe. `camera`: null if it is
/// unknown.
rules::ScenePicture picture_of(const objects::SceneSums &sums, bool colours,
                               const camera::FrameGeometry &geometry,
                               const camera::CameraState *camera);

/// Posts messages for what happens to the camera. Use it where results arrive.
class MotionScene {
 public:
  /// A frame. `follows`: the frame before is known.
  void step(GstGLCLAnalyzer *element, const rules::ScenePicture &picture, bool follows,
            const rules::SceneWishes &wishes, const FrameTimes &times, uint64_t now);
  /// Ends everything, with the times of the last frame.
  void end(GstGLCLAnalyzer *element, const FrameTimes &times, uint64_t now);
  /// False while no object is to be believed.
  bool may_begin() const { return !watch_.disturbed(); }
  /// True once after what the background model has learnt became worthless. Any thread.
  bool take_restart() { return restart_.exchange(false); }

 private:
  void post(GstGLCLAnalyzer *element, const std::vector<rules::SceneChange> &changes,
            const FrameTimes &times);

  rules::SceneWatch watch_;
  std::atomic<bool> restart_{false};
};

}  // namespace glcl::motion
