// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks that share a region with others.
#pragma once

#include <vector>

#include "track.h"

namespace glcl::objects {

/// Assigns two regions to two tracks that shared one region before, by predicted position, size and
/// level. The light may have changed for both.
void separate(const std::vector<Track> &tracks, size_t which, size_t older, Claims &claimed,
              std::vector<Detection> &list);
/// Places a track within a region that it shares with others.
void update_shared(std::vector<Track> &tracks, size_t which, const TrackObservation &found,
                   const Claims &claimed);
/// Whether a track and an older one are one object: they overlap and move alike; or they shared a
/// region long enough and move alike or one is held back by it; or the region exceeds both.
bool same_object(const Track &older, const Track &track);
/// Whether a shared region has kept a track from moving on.
bool held_back(const Track &track);

}  // namespace glcl::objects
