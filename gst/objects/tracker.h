// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "objects.h"
#include "track.h"

namespace glcl::objects {

/// Tracks regions from frame to frame on the host. Objects keep their number through a crossing and
/// while they are briefly not found.
class Tracker {
 public:
  struct Settings {
    int min_frames = 2;     ///< detections before an object begins
    double gap = 0.5;       ///< s without a detection after which an object ends
    double max_speed = 0;   ///< px per frame, beyond its length; 0: a quarter of the longer side
    bool may_begin = true;  ///< false: no object begins, also later from what is found now
  };
  /// The changes of a frame.
  struct Report {
    std::vector<Object> objects;  ///< objects of this frame, sorted by id
    std::vector<Object> begun, ended;
  };

  /// For frames of width × height px.
  Tracker(int width, int height) : size_{width, height} {}

  /// Updates the tracks by the regions of the next frame, `seconds` after the previous one. Regions
  /// smaller than `least` px² do not begin an object.
  Report step(const Settings &settings, const RegionList &result,
              const camera::FrameGeometry &frame, double least, double seconds);
  /// Ends all objects.
  Report reset();
  /// The objects at their predicted places in the next frame.
  std::vector<Object> predicted() const;

 private:
  void update(size_t which, const Claims &claimed, const std::vector<Detection> &list, bool jumped,
              double seconds);
  bool begins(const Settings &settings, const Track &track, float brightness_peak, float pan) const;
  bool is_reported(const Settings &settings, const Track &track) const;
  bool inside(const RectF &box) const;
  bool is_gone(const Settings &settings, const Track &track) const;
  /// True if the track and an older one are one object; then the remaining track takes over the
  /// number.
  bool merges(size_t which);
  /// Removes lost tracks, and the younger of two tracks in one place.
  void remove(const Settings &settings, Report &report);
  /// Begins a track for each detection without a track.
  void add(const RegionList &result, const std::vector<Detection> &list, double least);

  FrameSize size_;
  std::vector<Track> tracks_;
  uint64_t last_id_ = 0, last_serial_ = 0;
};

}  // namespace glcl::objects
