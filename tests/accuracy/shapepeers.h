// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/frames.h"
#include "reference/hough/scenes.h"

/// A search of OpenCV for a thing, on the CPU.
struct ShapePeer {
  std::string name;
  /// Where a scene shows the picture, the best first, at most 10. `truth`: what the method has to
  /// be told, because it can't find it.
  std::function<std::vector<reference::Pose>(
      const reference::Frame &scene, const reference::Thing &thing, const reference::Pose &truth)>
      find;
};

/// GeneralizedHoughGuil, and GeneralizedHoughBallard, which is told the turn and the size; none in
/// a build without -Dpeers=enabled.
std::vector<ShapePeer> shape_peers();

struct PeerResult {
  std::vector<reference::Pose> poses;
  double seconds = 0;  ///< of a CPU
  bool ended = false;
};

/// What a peer finds, in a process of its own, which ends after so many seconds of a CPU.
PeerResult find_within(int seconds, const ShapePeer &peer, const reference::Frame &scene,
                       const reference::Thing &thing, const reference::Pose &truth);
