// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/ransac.h"
#include "klt.h"
#include "klt/interface.h"

namespace glcl::klt {

/// Stabilizes the picture by the tracked points. The anchor of a point is a position in the
/// stabilized picture: of the previous frame, or for a fixed picture (`smoothing` 0) its first one.
/// camera::Ransac finds the similarity that brings most points back to their anchors. Anchors of a
/// fixed picture follow their points by a sixteenth of the distance, so errors decay. The motion is
/// unknown if fewer than 6 points, or an eighth of them, agree. It is unknown, too, if these lie
/// close together and disagree with the motion before. Then the camera is assumed to go on as
/// before.
///
/// The stabilized picture has a virtual camera. A critically damped filter makes it follow position
/// and velocity of the real one, so an even pan has no lag. As the margin is used up, the memory
/// of the filter gets shorter, so the start of a pan does not show the shake. The virtual camera
/// slows down before the end of the margin and never leaves it. A film that begins in a fast pan is
/// followed at once. In a blank frame the picture does not move.
///
/// Everything stays on the device, and no call waits.
class Stabilizer {
 public:
  struct Settings {
    bool stabilize = false;
    int smoothing = 50;   ///< memory, frames; 0: a still picture while the margin suffices
    double margin = 0.1;  ///< fraction of width and height cropped on each side, 0 … 0.4; the
                          ///< visible part may move by as much
  };

  /// For frames of width × height px. `aspect`: width by height of a pixel. Throws Error::failed if
  /// the device refuses kernels or memory.
  Stabilizer(Context &context, int width, int height, const FrameFormat &frame, float aspect = 1);

  /// Changes the pixel format of the next frames, in the same layout; the position stays. Throws
  /// Error::failed if the device refuses kernels.
  void set_format(Context &context, const FrameFormat &frame);
  /// Enqueues the position of a frame in the stabilized picture. Follows Klt::run() in every frame.
  void run(Queue &queue, const Settings &settings, const Klt &klt);
  /// Enqueues the stabilized output for `in`: the frame, or an RGBA picture of its size. `state`:
  /// StabilizerState of the frame.
  void show(Queue &queue, const Picture &in, const Picture &out, const cl::Buffer &state);
  void show(Queue &queue, const Picture &in, const Picture &out) { show(queue, in, out, state_); }
  /// Restarts with the next frame.
  void forget() { has_state_ = false; }
  /// The StabilizerState of the last frame.
  const cl::Buffer &state() const { return state_; }
  /// The StabilizerState of the frame before, and the CameraState of the last frame.
  const cl::Buffer &previous_state() const { return previous_state_; }
  const cl::Buffer &camera() const { return camera_; }
  /// True if the last frame followed none.
  bool fresh() const { return fresh_; }
  StabilizerFilter filter(const Settings &settings) const;

 private:
  StabilizedView view_;
  camera::Ransac ransac_;
  camera::Ransac::Settings ransac_settings_;
  Kernel displacements_kernel_, update_, show_, show_planes_;
  cl::Buffer displacements_, anchors_, camera_, previous_state_, state_;
  bool has_state_ = false, fresh_ = false;
};

}  // namespace glcl::klt
