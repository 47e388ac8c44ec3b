// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/frames.h"
#include "reference/hough/scenes.h"

/// A search of OpenCV for a target, on the CPU.
struct ShapePeer {
  std::string name;
  /// The places of the picture in a scene, the best first, at most 10. `truth`: given to methods
  /// that can't find all parameters.
  std::function<std::vector<reference::Pose>(
      const reference::Frame &scene, const reference::Target &target, const reference::Pose &truth)>
      find;
};

/// GeneralizedHoughGuil, and GeneralizedHoughBallard, which gets the true rotation and scale; empty
/// in a build without -Dpeers=enabled.
std::vector<ShapePeer> shape_peers();

struct PeerResult {
  std::vector<reference::Pose> poses;
  double seconds = 0;  ///< of a CPU
  bool ended = false;
};

/// The detections of a peer, in its own process, which ends after so many seconds of CPU time.
PeerResult find_within(int seconds, const ShapePeer &peer, const reference::Frame &scene,
                       const reference::Target &target, const reference::Pose &truth);
