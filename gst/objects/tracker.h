// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "objects.h"
#include "parked.h"
#include "scenery.h"
#include "standingmap.h"
#include "track.h"

namespace glcl::objects {

/// Tracks regions from frame to frame on the host. Objects keep their number through a crossing and
/// while they are briefly not found.
class Tracker {
 public:
  struct Settings {
    int min_frames = 2;       ///< detections before an object begins
    double gap = 0.5;         ///< s without a detection after which an object ends
    double max_speed = 0;     ///< px per frame, beyond its length; 0: a quarter of the longer side
    double max_duration = 0;  ///< s after which a standing object ends; 0: once it is background
    double left_after = 10;   ///< s after which a standing thing is left or removed
    bool learn_scenery = false;  ///< what swings in its place stops being an object
    bool may_begin = true;       ///< false: no object begins, also later from what is found now
  };
  /// The changes of a frame.
  struct Report {
    std::vector<Object> objects;  ///< objects of this frame, sorted by id
    std::vector<Object> begun, ended;
    std::vector<Object> changed;  ///< objects with another state; not those that begin to move
  };

  /// For frames of width × height px.
  Tracker(int width, int height) : size_{width, height} {}

  /// Updates the tracks by the regions of the next frame, `seconds` after the previous one. Regions
  /// smaller than `least` px² do not begin an object.
  Report step(const Settings &settings, const RegionList &result,
              const camera::FrameGeometry &frame, double least, double seconds);
  /// Takes BackgroundModel::means() of the frame of the last step, for objects that stand still for
  /// longer than the background model needs to learn them. They last only with such samples.
  void sample(const Settings &settings, const cl_ushort *means, const camera::FrameGeometry &frame);
  /// Ends all objects.
  Report reset();
  /// The objects at their predicted places in the next frame.
  std::vector<Object> predicted() const;

 private:
  void update(size_t which, const Claims &claimed, const std::vector<Detection> &list, bool jumped,
              double seconds);
  bool begins(const Settings &settings, const Track &track, float brightness_peak, float pan) const;
  bool is_reported(const Track &track) const;
  bool inside(const RectF &box) const;
  bool leaves(const Track &track) const;
  bool is_gone(const Settings &settings, const Track &track) const;
  /// True if the track and an older one are one object; then the remaining track takes over the
  /// number.
  bool merges(size_t which);
  /// Removes lost tracks, and the younger of two tracks in one place.
  void remove(const Settings &settings, Report &report);
  /// Begins a track for each detection without a track.
  void add(const RegionList &result, const std::vector<Detection> &list, double least);
  /// Begins the objects whose tracks have moved.
  void begin(const Settings &settings, const camera::CameraState &state, Report &report);
  /// Updates what stands still: tracks, and objects that are background by now.
  void rest(const Settings &settings, double least, double seconds, Report &report);
  void learn_scenery(const Settings &settings, const camera::FrameGeometry &frame, double seconds,
                     Report &report);
  void end(size_t which, Report &report);
  void end_parked(Report &report);
  /// Reports objects, and states that have changed.
  void list(Report &report);
  ObjectState state_of(const Track &track) const;

  FrameSize size_;
  std::vector<Track> tracks_;
  uint64_t last_id_ = 0, last_serial_ = 0;
  CameraRest rest_;
  StandingMap standing_;
  bool fresh_ = false;     // the map has changed since the last step
  bool may_begin_ = true;  // objects may begin in this frame
  ParkedObjects parked_;
  Scenery scenery_;
  std::map<uint64_t, ObjectState> states_;  // of the objects in the last report
};

}  // namespace glcl::objects
