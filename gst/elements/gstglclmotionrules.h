// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of glclmotion: from objects to messages.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/gstglclanalyzer.h"
#include "camera/interface.h"
#include "gstglclmotionrulesource.h"
#include "gstglclmotionscene.h"
#include "objects/tracker.h"
#include "rules/boxtracker.h"
#include "rules/rules.h"
#include "rules/sceneevents.h"

namespace glcl::motion {

/// The values of the properties of rules.
struct RuleProperties {
  enum class On { own, upstream };
  std::shared_ptr<const RuleSource> rules = std::make_shared<const RuleSource>();
  rules::RulePart rules_point = rules::RulePart::bottom;
  On rules_on = On::own;  ///< whose objects count

  /// True if rules apply to boxes of other elements.
  bool on_upstream() const { return rules_on == On::upstream && !rules->set->empty(); }
  /// The wanted events of the camera.
  const rules::SceneWishes &watch() const { return rules->set->watch; }
};

/// A frame to which rules are applied.
struct RuleFrame {
  FrameTimes times;
  int second_of_week = 0;                ///< of the stream's clock, if the rules have times
  bool posts = false;                    ///< a message with all objects is due
  std::vector<rules::GivenBox> boxes{};  ///< of other elements, for rules that apply to them
  double seconds = 0;                    ///< since the previous frame
  double gap = 0;                        ///< s without a box after which an object of others ends
  rules::ZoneCells cells{};              ///< of the background model
  double light = 0;                      ///< recent change of mid-grey, levels
  bool follows = false;                  ///< the frame before was seen
  std::optional<rules::ScenePicture> picture{};  ///< for events of the camera that are wanted
};

/// Objects on the ground, by id.
using ObjectsOnGround = std::map<uint64_t, rules::OnGround>;

/// Adds speed and size to a structure; -1 where they are unknown.
void add_on_ground(GstStructure *structure, const rules::OnGround &object);
/// The fields that add_on_ground() adds.
inline constexpr std::array on_ground_fields{"speed", "speed-error", "size", "size-error"};

/// Posts a message for each event of rules. Use it where results arrive.
class MotionRules {
 public:
  /// For frames of width × height px.
  MotionRules(int width, int height) : rules_(width, height), scene_(width, height) {}

  /// Posts events of the camera, before step() for the same frame. Returns false if no object may
  /// begin in it.
  bool watch(GstGLCLAnalyzer *element, const RuleProperties &settings, const RuleFrame &frame);
  /// See MotionScene::take_restart().
  bool take_restart() { return watched_.take_restart(); }
  /// Applies the rules to the objects of a frame: those of the report, or the boxes of the
  /// frame. `camera`: null if its motion is not compensated; then the ground
  /// moves with the picture.
  void step(GstGLCLAnalyzer *element, const RuleProperties &settings,
            const objects::Tracker::Report &report, const camera::CameraState *camera,
            const RuleFrame &frame);
  /// Ends all objects, with the times of the last frame.
  void end(GstGLCLAnalyzer *element, const FrameTimes &times);
  std::vector<rules::RuleOutline> outlines() const { return rules_.outlines(); }
  /// The sensitivity of each cell of the last frame; below 0: that of the element. Null: without
  /// such zones.
  std::shared_ptr<const std::vector<float>> sensitivities() const { return sensitivities_; }
  /// Objects of the last steps on the ground. Unset if the rules have no world.
  std::optional<ObjectsOnGround> on_ground(const std::vector<objects::Object> &objects) const;

 private:
  rules::BoxTracker::Followed objects_of(const RuleProperties &settings,
                                         const objects::Tracker::Report &report,
                                         const RuleFrame &frame);

  void post_scene(GstGLCLAnalyzer *element, const rules::RuleSet &rules,
                  const camera::CameraState *camera, const RuleFrame &frame);

  uint64_t now_of(const FrameTimes &times);

  rules::Rules rules_;
  rules::SceneEvents scene_;
  MotionScene watched_;
  rules::BoxTracker boxes_;
  std::vector<rules::ZoneArea> areas_;  // of sensitivities_
  std::shared_ptr<const std::vector<float>> sensitivities_;
  RuleProperties::On on_ = RuleProperties::On::own;  // in the last frame
  uint64_t now_ = 0;                                 // the last time of a frame, ns
};

}  // namespace glcl::motion
