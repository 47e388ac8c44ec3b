// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "opencl/rect.h"
#include "rulefile.h"
#include "zonecells.h"

namespace glcl::rules {

/// The part of an object's box that counts.
enum class RulePart { bottom, center, any };

/// An object of a frame.
struct RuleObject {
  uint64_t id = 0;
  RectF box;          ///< px
  uint32_t type = 0;  ///< a number that the caller knows; 0: none
};

/// Where a point of the scene is in a frame: `scale` times where it was in a first frame, plus
/// `shift`, as complex numbers relative to the centre, px.
struct CameraPlace {
  std::complex<double> scale{1, 0}, shift{0, 0};
  int frames = 0;  ///< since the first frame of a take; smaller than before after a cut; below 0
                   ///< while the place is unknown
  bool crowded = false;  ///< the last step was not that of the camera: camera::is_crowded()
};

/// Something that an object did.
struct RuleEvent {
  enum class Kind { enter, leave, loiter, count, cross };
  Kind kind;
  std::string rule;                     ///< name of the zone or line
  RuleObject object;                    ///< not for count
  uint64_t lasted = 0;                  ///< ns inside: leave, loiter
  int count = 0;                        ///< objects inside: count
  bool left_to_right = false;           ///< cross
  std::optional<OnGround> on_ground{};  ///< of the object, if the rules have a world
};

/// A line to draw, px.
struct RuleOutline {
  std::vector<RulePoint> points;  ///< that of a zone ends where it begins
  bool occupied = false;          ///< an object is inside
};

/// Applies rules to the objects of a stream.
class Rules {
 public:
  /// For frames of width × height px.
  Rules(int width, int height) : width_(width), height_(height) {}

  /// Sets the rules of the next frames. Other ones than before begin without objects; what had
  /// entered leaves by the events of the next step.
  void set(std::shared_ptr<const RuleSet> rules);
  /// The events of a frame. `objects`: those found; one that is not found stays where it was until
  /// it is in `ended`.
  std::vector<RuleEvent> step(const std::vector<RuleObject> &objects,
                              const std::vector<RuleObject> &ended, RulePart part,
                              const CameraPlace &camera, const RuleTime &time);
  /// Ends all objects. Rules on the ground stay where they are.
  std::vector<RuleEvent> forget(uint64_t now);
  /// Ends all objects. Rules on the ground are set again in the next frame.
  std::vector<RuleEvent> end(uint64_t now);
  /// Where zones and lines are in the frame of the last step. A line has a tick on each side that
  /// crossings may reach.
  std::vector<RuleOutline> outlines() const;
  /// The active zones with a sensitivity, in the frame of the last step.
  std::vector<ZoneArea> sensitive_areas(const RuleTime &time) const;
  /// True if the rules have a world.
  bool measures() const { return meter_.has_value(); }
  /// An object of the last steps on the ground. Unset if the rules have no world.
  std::optional<OnGround> on_ground(uint64_t id) const;

 private:
  /// An object in a zone.
  struct Visit {
    RuleObject object;
    uint64_t since = 0;
    bool entered = false, loiters = false;
  };
  struct ZoneState {
    std::vector<RulePoint> polygon;    // px
    RulePoint low, high;               // of its points, px
    std::map<uint64_t, Visit> visits;  // by id
    bool full = false;                 // `count` objects were reported
  };
  struct Side {
    bool right = false;
    RulePoint point;
  };
  struct Known {
    Path path;
    OnGround on_ground;
  };
  /// An object and its points for rules of each anchor.
  struct Seen {
    const RuleObject &object;
    std::vector<RulePoint> points[2];
    const Path &path;
    const std::vector<RulePoint> &at(RuleAnchor anchor) const {
      return points[static_cast<int>(anchor)];
    }
  };

  std::vector<RulePoint> points_of(const RuleObject &object, RulePart part,
                                   RuleAnchor anchor) const;
  RulePoint anchored(const RulePoint &point) const;
  void add(RuleEvent event);
  RulePoint in_frame(const RulePoint &fraction) const;
  RulePoint shown(const RulePoint &point, RuleAnchor anchor) const;
  double depth_in_zone(const RuleZone &zone, const ZoneState &state,
                       const std::vector<RulePoint> &points) const;
  double margin() const;
  void leave(const RuleZone &zone, const Visit &visit, uint64_t now);
  void leave_all(const RuleZone &zone, ZoneState &state, uint64_t now);
  bool heads(const RuleZone &zone, const Path &path, bool inside) const;
  void step_object(const RuleZone &zone, ZoneState &state, const Seen &seen, uint64_t now);
  void step_zone(const RuleZone &zone, ZoneState &state, const std::vector<Seen> &all,
                 const RuleTime &time);
  void count(const RuleZone &zone, ZoneState &state);
  void step_line(const RuleLine &line, std::map<uint64_t, Side> &sides, const Seen &seen);
  void follow(const CameraPlace &camera);
  std::vector<RulePoint> corners_of(size_t zone) const;
  Seen seen(const RuleObject &object, RulePart part, uint64_t now);

  int width_, height_;
  std::shared_ptr<const RuleSet> rules_ = std::make_shared<const RuleSet>();
  std::vector<ZoneState> zones_;
  std::vector<std::map<uint64_t, Side>> lines_;
  bool anchored_ = false;
  CameraPlace anchor_, camera_;      // of the frame for which the rules were set; of this frame
  std::map<uint64_t, Known> known_;  // objects, by id
  std::optional<GroundMeter> meter_;
  std::vector<RuleEvent> events_;  // of this frame
  uint64_t now_ = 0;               // its time
};

}  // namespace glcl::rules
