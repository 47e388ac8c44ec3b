// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks that share a region with others.
#pragma once

#include <vector>

#include "track.h"

namespace glcl::objects {

/// Assigns two regions by predicted position, size and level to two tracks that shared one region
/// before. The light may have changed for both.
void separate(const std::vector<Track> &tracks, size_t which, size_t older, Claims &claimed,
              std::vector<Detection> &list);
/// Places a track within a region that it shares with others.
void update_shared(std::vector<Track> &tracks, size_t which, const TrackObservation &found,
                   const Claims &claimed);
/// True if a track and an older one are one object. Either they overlap and move alike. Or they
/// shared a region long enough, and move alike or the region holds one of them back. Or the region
/// exceeds both.
bool same_object(const Track &older, const Track &track);
/// True if a shared region has kept a track from moving on.
bool held_back(const Track &track);

}  // namespace glcl::objects
