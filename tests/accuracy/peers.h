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

/// Farneback and DIS with their defaults; empty in a build without -Dpeers=enabled.
std::vector<Peer> peers();

/// The position of a point in the next frame.
struct FollowedPoint {
  std::array<float, 2> position;  ///< px
  bool tracked;                   ///< false: lost
};

/// A tracker of points of OpenCV, on the CPU, with windows of 7×7 px and three levels.
struct PointPeer {
  std::string name;
  /// Selects at most 1000 points at distances of 3 px, by windows of 7×7 px.
  std::function<std::vector<std::array<float, 2>>(const reference::Frame &)> select;
  std::function<std::vector<FollowedPoint>(const reference::Frame &before,
                                           const reference::Frame &after,
                                           const std::vector<std::array<float, 2>> &points)>
      track;
};

/// PyrLK; null in a build without -Dpeers=enabled.
const PointPeer *point_peer();

/// Boxes (left, top, right, bottom) of moving objects in each frame of a stream, by OpenCV on the
/// CPU.
struct ObjectPeer {
  std::string name;
  /// Begins another stream.
  std::function<std::function<std::vector<std::array<double, 4>>(const reference::Frame &)>()>
      begin;
};

/// Two methods, each with some thresholds: mixtures of Gaussians (MOG2); and the difference to the
/// previous frame, aligned by sparse flow and a homography. Both end with connected components of
/// at least `least` px. None in a build without -Dpeers=enabled.
std::vector<ObjectPeer> object_peers(int least);
