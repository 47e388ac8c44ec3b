// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclmotionrules.h"

#include <cmath>
#include <utility>

#include "camera/crowded.h"

namespace glcl::motion {

namespace {

using rules::RuleEvent;
using rules::RuleObject;

std::vector<RuleObject> rule_objects(const std::vector<objects::Object> &objects) {
  std::vector<RuleObject> list;
  for (const objects::Object &object : objects) list.push_back({object.id, object.box, 0});
  return list;
}

rules::CameraPlace place_of(const camera::CameraState *camera) {
  if (!camera) return {1, 0, -1};
  const cl_float4 &path = camera->path;
  return {std::polar(std::exp(double(path.s[2])), double(path.s[3])),
          {double(path.s[0]), double(path.s[1])},
          camera->frames,
          camera::is_crowded(*camera)};
}

const char *name_of(RuleEvent::Kind kind) {
  switch (kind) {
    case RuleEvent::Kind::enter:
      return "zone-enter";
    case RuleEvent::Kind::leave:
      return "zone-leave";
    case RuleEvent::Kind::loiter:
      return "zone-loiter";
    case RuleEvent::Kind::count:
      return "zone-count";
    default:
      return "line-cross";
  }
}

GstStructure *message_of(const RuleEvent &event, const FrameTimes &times) {
  using Kind = RuleEvent::Kind;
  GstStructure *message = gst_glcl_analyzer_structure(name_of(event.kind), times);
  gst_structure_set(message, event.kind == Kind::cross ? "line" : "zone", G_TYPE_STRING,
                    event.rule.c_str(), nullptr);
  if (event.kind == Kind::count) {
    gst_structure_set(message, "count", G_TYPE_INT, event.count, nullptr);
    return message;
  }
  const RectF &box = event.object.box;
  const long left = std::lround(box.left), top = std::lround(box.top);
  gst_structure_set(message, "id", G_TYPE_UINT64, guint64(event.object.id), "x", G_TYPE_INT,
                    gint(left), "y", G_TYPE_INT, gint(top), "width", G_TYPE_INT,
                    gint(std::lround(box.right) - left), "height", G_TYPE_INT,
                    gint(std::lround(box.bottom) - top), nullptr);
  if (event.object.type)
    gst_structure_set(message, "type", G_TYPE_STRING, g_quark_to_string(event.object.type),
                      nullptr);
  if (event.kind == Kind::leave || event.kind == Kind::loiter)
    gst_structure_set(message, "zone-duration", G_TYPE_UINT64, guint64(event.lasted), nullptr);
  if (event.kind == Kind::cross)
    gst_structure_set(message, "direction", G_TYPE_STRING,
                      event.left_to_right ? "left-to-right" : "right-to-left", nullptr);
  if (event.on_ground) add_on_ground(message, *event.on_ground);
  return message;
}

void post(GstGLCLAnalyzer *element, const std::vector<RuleEvent> &events, const FrameTimes &times) {
  for (const RuleEvent &event : events)
    gst_glcl_analyzer_announce(element, message_of(event, times));
}

}  // namespace

/// The time of a frame, ns; without a timestamp that of the frame before. Without any timestamps
/// all durations are 0.
uint64_t MotionRules::now_of(const FrameTimes &times) {
  if (GST_CLOCK_TIME_IS_VALID(times.running_time)) now_ = times.running_time;
  return now_;
}

void add_on_ground(GstStructure *structure, const rules::OnGround &object) {
  const double values[] = {object.speed.value, object.speed.error, object.size.value,
                           object.size.error};
  for (size_t i = 0; i < on_ground_fields.size(); i++)
    gst_structure_set(structure, on_ground_fields[i], G_TYPE_DOUBLE, values[i], nullptr);
}

std::optional<ObjectsOnGround> MotionRules::on_ground(
    const std::vector<objects::Object> &objects) const {
  if (!rules_.measures()) return {};
  ObjectsOnGround all;
  for (const objects::Object &object : objects)
    all[object.id] = rules_.on_ground(object.id).value_or(rules::OnGround{});
  return all;
}

/// The objects to which the rules apply.
rules::BoxTracker::Followed MotionRules::objects_of(const RuleProperties &settings,
                                                    const objects::Tracker::Report &report,
                                                    const RuleFrame &frame) {
  if (settings.rules_on == RuleProperties::On::upstream)
    return boxes_.step(frame.boxes, frame.seconds, frame.gap);
  return {rule_objects(report.objects), rule_objects(report.ended)};
}

bool MotionRules::watch(GstGLCLAnalyzer *element, const RuleProperties &settings,
                        const RuleFrame &frame) {
  const uint64_t now = now_of(frame.times);
  if (frame.picture)
    watched_.step(element, *frame.picture, frame.follows, settings.watch(), frame.times, now);
  else
    watched_.end(element, frame.times, now);
  return watched_.may_begin();
}

void MotionRules::step(GstGLCLAnalyzer *element, const RuleProperties &settings,
                       const objects::Tracker::Report &report, const camera::CameraState *camera,
                       const RuleFrame &frame) {
  const rules::RuleTime time{now_of(frame.times), frame.second_of_week};
  if (std::exchange(on_, settings.rules_on) != settings.rules_on) {
    boxes_.reset();
    post(element, rules_.forget(time.stream), frame.times);
  }
  rules_.set(settings.rules->set);
  const rules::BoxTracker::Followed objects = objects_of(settings, report, frame);
  post(element,
       rules_.step(objects.found, objects.ended, settings.rules_point, place_of(camera), time),
       frame.times);
  post_scene(element, *settings.rules->set, camera, frame);
  std::vector<rules::ZoneArea> areas = rules_.sensitive_areas(time);
  if (areas == areas_) return;
  areas_ = std::move(areas);
  sensitivities_ =
      areas_.empty()
          ? nullptr
          : std::make_shared<const std::vector<float>>(rules::cell_values(areas_, frame.cells));
}

/// Posts wanted events of the scene.
void MotionRules::post_scene(GstGLCLAnalyzer *element, const rules::RuleSet &rules,
                             const camera::CameraState *camera, const RuleFrame &frame) {
  const std::optional<double> light = scene_.light(frame.light);
  std::optional<rules::CameraMoved> moved;
  if (camera) moved = scene_.camera(place_of(camera), now_of(frame.times));
  if (!gst_glcl_analyzer_posts(element)) return;
  if (light && rules.light_switch) {
    GstStructure *message = gst_glcl_analyzer_structure("light-switch", frame.times);
    gst_structure_set(message, "change", G_TYPE_DOUBLE, *light, nullptr);
    gst_glcl_analyzer_post(element, message);
  }
  if (!moved || !rules.camera_moved) return;
  GstStructure *message = gst_glcl_analyzer_structure("camera-moved", frame.times);
  gst_structure_set(message, "shift-x", G_TYPE_DOUBLE, moved->shift.real(), "shift-y",
                    G_TYPE_DOUBLE, moved->shift.imag(), "scale", G_TYPE_DOUBLE,
                    std::abs(moved->scale), "rotation", G_TYPE_DOUBLE, std::arg(moved->scale),
                    nullptr);
  gst_glcl_analyzer_post(element, message);
}

void MotionRules::end(GstGLCLAnalyzer *element, const FrameTimes &times) {
  boxes_.reset();
  areas_.clear();
  sensitivities_ = nullptr;
  const uint64_t now = now_of(times);
  post(element, rules_.end(now), times);
  watched_.end(element, times, now);
}

}  // namespace glcl::motion
