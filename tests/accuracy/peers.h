// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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
