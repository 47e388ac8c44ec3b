// SPDX-License-Identifier: LGPL-2.1-or-later
// Assigns the regions of a frame to tracks.
#pragma once

#include <vector>

#include "objects.h"
#include "track.h"

namespace glcl::objects {

/// The regions of a frame in px of the frame, merged with the fragments next to them.
std::vector<Detection> detections(const RegionList &result, const camera::FrameGeometry &frame,
                                  const FrameSize &size);
/// Assigns detections to the tracks that are predicted there.
Claims associate(const std::vector<Track> &tracks, std::vector<Detection> &list);
/// Matches tracks without a region to regions without a track, by size and level: objects that
/// moved further than their length. Returns which tracks were matched. `max_speed` and `least` are
/// as in Tracker::step().
std::vector<bool> match_distant(const std::vector<Track> &tracks, double max_speed, double least,
                                const FrameSize &size, Claims &claimed,
                                std::vector<Detection> &list);

/// This many new regions at once come from an encoder or a change of light.
constexpr int crowd_size = 5;

}  // namespace glcl::objects
