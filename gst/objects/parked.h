// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <vector>

#include "standingmap.h"
#include "track.h"

namespace glcl::objects {

/// Objects that stand still for so long that they are background by now: those that were tracked
/// until then, things that were put down, and places from which something was taken away. They last
/// while the StandingMap shows them.
class ParkedObjects {
 public:
  struct Settings {
    double max_duration;  ///< s after which a standing object ends
    double left_after;    ///< s after which a thing is left or removed
    float least;          ///< px²; smaller things are no objects
    FrameSize size;
  };
  /// The changes of a frame.
  struct Changes {
    std::vector<Object> ended;
    std::vector<Object> found;  ///< things that were left or removed, still without a number
  };

  /// Takes over a track that stood still and is no longer found. False if nothing stands there.
  bool takes(const Track &track, const StandingMap &map);
  /// True if a track only moves within the place of a parked object.
  bool holds(const Track &track) const;
  /// The object that a track continues because it leaves its place. It is parked no longer.
  std::optional<Object> departs(const Track &track, StandingMap &map);
  /// Remembers where an object has begun: it leaves no removed thing behind.
  void note_begin(const RectF &start_box) { starts_.push_back({start_box, 0}); }
  /// Takes a frame, `seconds` after the previous one. `fresh`: the map has changed. `others`: the
  /// boxes of objects that are tracked. The caller adds the things that are found.
  Changes step(const Settings &settings, StandingMap &map, double seconds, bool fresh,
               const std::vector<RectF> &others);
  void add(const Object &object);

  /// All objects.
  std::vector<Object> objects() const;
  void reset() { *this = {}; }

 private:
  struct Parked {
    Object object;
    bool is_part = false;  // it is much smaller than what was tracked: that may have put it down
    double uncovered = 0;  // s since the map no longer shows it
  };
  struct Start {
    RectF box;
    double seconds;  // ago
  };

  void classify(const Settings &settings, const StandingMap &map);
  std::vector<Object> find(const Settings &settings, StandingMap &map,
                           const std::vector<RectF> &others) const;

  std::vector<Parked> list_;
  std::vector<Start> starts_;
};

}  // namespace glcl::objects
