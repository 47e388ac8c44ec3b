// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "activetimes.h"
#include "geometry.h"
#include "path.h"
#include "world.h"

namespace glcl::rules {

/// The part that a rule stays with: of the picture, or of the scene that the camera sees.
enum class RuleAnchor { picture, ground };

/// An area. Lengths and points are fractions of the frame's width and height.
struct RuleZone {
  std::string name;
  std::vector<RulePoint> polygon;  ///< empty: a circle
  RulePoint center;
  double radius = 0;               ///< of the circle, as a fraction of the frame's width
  bool inverse = false;            ///< everything but the area
  double min_area = 0;             ///< of an object's box that counts, as a fraction of the frame
  double min_duration = 0;         ///< s inside before an object has entered
  double loiter = 0;               ///< s inside until it loiters; 0: never
  int count = 0;                   ///< objects inside that are reported; 0: none
  std::optional<Heading> heading;  ///< of objects that count
  std::optional<double> sensitivity;  ///< of detection; unset: as elsewhere
  ActiveTimes active;                 ///< none: always
  RuleAnchor anchor = RuleAnchor::picture;
};

/// The directions in which a line counts, for somebody who looks from its first point to its
/// second.
enum class RuleDirection { both, left_to_right, right_to_left };

struct RuleLine {
  std::string name;
  RulePoint from, to;
  RuleDirection direction = RuleDirection::both;
  double min_area = 0;
  RuleAnchor anchor = RuleAnchor::picture;
};

/// The marks by which objects are measured.
struct RuleWorld {
  GroundMarks marks;  ///< points in fractions of the frame
  RuleAnchor anchor = RuleAnchor::picture;
};

/// Wanted events of the camera, which need measures of the picture.
struct SceneWishes {
  bool ir_switch = false, covered = false, defocused = false, frozen = false;
  double frozen_seconds = 5;  ///< least duration

  bool any() const { return ir_switch || covered || defocused || frozen; }
};

struct RuleSet {
  std::vector<RuleZone> zones;
  std::vector<RuleLine> lines;
  std::optional<RuleWorld> world;
  bool light_switch = false, camera_moved = false;  ///< wanted events of the scene
  SceneWishes watch;
  std::string json;  ///< the text from which they were read

  /// True if the time of the week matters.
  bool has_times() const;
  /// True if something stays on the ground.
  bool has_ground() const;
  /// True if the motion of the camera matters.
  bool needs_camera() const { return has_ground() || camera_moved; }
  /// True without zones, lines and events.
  bool empty() const {
    return zones.empty() && lines.empty() && !light_switch && !camera_moved && !watch.any();
  }
};

/// Limits of a text with rules.
constexpr int most_rules = 100, most_points = 1000;
constexpr size_t most_rule_bytes = size_t(1) << 20;

/// Reads rules in JSON. Throws Error::settings, which names the place, the value and a remedy.
std::shared_ptr<const RuleSet> parse_rules(const std::string &text);
/// True if a text is the path of a file with rules: it does not begin with a brace.
bool is_rule_file(const std::string &text);
/// Reads rules in JSON, or from a file. Empty: no rules.
std::shared_ptr<const RuleSet> read_rules(const std::string &text);

}  // namespace glcl::rules
