// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "reference/frames.h"
#include "reference/opticalflow/field.h"

/// A method of OpenCV, on the CPU; its vectors have no confidence.
struct Peer {
  std::string name;
  std::function<reference::opticalflow::Field(const reference::Frame &before,
                                              const reference::Frame &after)>
      flow;
};

/// Farneback and DIS with their defaults; none in a build without -Dpeers=enabled.
std::vector<Peer> peers();

/// Where a point of one frame is in the next.
struct Followed {
  std::array<float, 2> position;  ///< px
  bool tracked;                   ///< found again
};

/// A tracker of points of OpenCV, on the CPU, with windows of 7×7 px and three levels.
struct PointPeer {
  std::string name;
  /// At most 1000 points, 3 px apart, of a window of 7×7 px.
  std::function<std::vector<std::array<float, 2>>(const reference::Frame &)> choose;
  std::function<std::vector<Followed>(const reference::Frame &before, const reference::Frame &after,
                                      const std::vector<std::array<float, 2>> &points)>
      follow;
};

/// PyrLK; null in a build without -Dpeers=enabled.
const PointPeer *point_peer();

/// Boxes (left, top, right, bottom) of moving objects in each frame of a stream, by OpenCV on the
/// CPU.
struct ObjectPeer {
  std::string name;
  /// For another stream.
  std::function<std::function<std::vector<std::array<double, 4>>(const reference::Frame &)>()>
      begin;
};

/// Mixtures of Gaussians (MOG2); and sparse flow, a homography, the difference to the previous
/// frame laid onto this one. Both end with connected components of at least `least` px, and come
/// with some thresholds each. None in a build without -Dpeers=enabled.
std::vector<ObjectPeer> object_peers(int least);
