// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclmotiondetection.h"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/compat.h"
#include "base/glclresult.h"
#include "opencl/queuesync.h"

namespace glcl::motion {

namespace {

// Camera motion below is not drawn: an object that fills much of the frame may be mistaken for it.
constexpr float shown_confidence = 0.7f;
constexpr double usual_frame = 0.04;                      // s, for frames without timestamps
constexpr GstClockTime sample_interval = GST_SECOND / 2;  // of the background
constexpr int sample_frames = 12;                         // the same without timestamps

const char *name_of(objects::ObjectState state) {
  using objects::ObjectState;
  switch (state) {
    case ObjectState::moving:
      return "moving";
    case ObjectState::stationary:
      return "stationary";
    case ObjectState::left:
      return "left";
    case ObjectState::removed:
      return "removed";
    default:
      return "unknown";
  }
}

GstStructure *describe(const char *name, const objects::Object &object) {
  const RectF &box = object.box;
  return gst_structure_new(
      name, "id", G_TYPE_UINT64, guint64(object.id), "x", G_TYPE_INT, gint(std::lround(box.left)),
      "y", G_TYPE_INT, gint(std::lround(box.top)), "width", G_TYPE_INT,
      gint(std::lround(box.right) - std::lround(box.left)), "height", G_TYPE_INT,
      gint(std::lround(box.bottom) - std::lround(box.top)), "velocity-x", G_TYPE_DOUBLE,
      double(object.vx), "velocity-y", G_TYPE_DOUBLE, double(object.vy), "score", G_TYPE_DOUBLE,
      double(object.score), "age", G_TYPE_UINT, guint(object.age), "state", G_TYPE_STRING,
      name_of(object.state), nullptr);
}

/// The same with its speed and size, if the rules have a world.
GstStructure *describe(const char *name, const objects::Object &object,
                       const std::optional<ObjectsOnGround> &on_ground) {
  GstStructure *structure = describe(name, object);
  if (!on_ground) return structure;
  const auto found = on_ground->find(object.id);
  add_on_ground(structure, found == on_ground->end() ? rules::OnGround{} : found->second);
  return structure;
}

/// Creates an empty field for descriptions of objects.
FieldRows rows(const std::optional<ObjectsOnGround> &on_ground) {
  std::vector<const char *> columns{"id",         "x",          "y",     "width", "height",
                                    "velocity-x", "velocity-y", "score", "age",   "state"};
  if (on_ground) columns.insert(columns.end(), on_ground_fields.begin(), on_ground_fields.end());
  return FieldRows(columns);
}

rules::ZoneCells cells_over(const camera::FrameGeometry &geometry) {
  const cl_int2 cells = objects::BackgroundModel::cells_of(geometry);
  return {cells.s[0], cells.s[1], objects::BOUNDS_CELL * double(geometry.reduction)};
}

}  // namespace

camera::Compensation ObjectDetection::Settings::compensation() const {
  using camera::Compensation;
  switch (camera) {
    case Camera::automatic:
      return detect || (on_upstream() && rules->set->needs_camera())
                 ? Compensation::first_order_flow
                 : Compensation::none;
    case Camera::translation:
      return Compensation::translation;
    case Camera::first_order_flow:
      return Compensation::first_order_flow;
    default:
      return Compensation::none;
  }
}

ObjectDetection::ObjectDetection(GstGLCLAnalyzer *element, Context &context, int width, int height,
                                 const FrameFormat &format, const Settings &settings)
    : element_(element),
      size_{width, height},
      format_(format),
      context_(context.shared_from_this()),
      tracker_(width, height),
      rules_(width, height),
      detected_(settings.detected) {
  if (settings.runs()) objects();
}

void ObjectDetection::set_format(const FrameFormat &format) {
  ObjectsPointer *built = objects_.value();
  if (!built) objects_ = {};  // waits for an engine that is being built for the old format
  format_ = format;
  if (built) (*built)->set_format(*context_, format_);
}

ObjectDetection::ObjectsPointer ObjectDetection::build() const {
  return std::make_unique<objects::Objects>(*context_, size_.width, size_.height, format_,
                                            BlockMotion::most_in_flight);
}

objects::Objects::Settings ObjectDetection::settings_of(const Settings &settings) {
  return {settings.compensation(),
          settings.sensitivity,
          settings.min_area,
          static_cast<cl_uint>(settings.seed),
          settings.detect && settings.shadows,
          settings.watches(),
          settings.watches() && settings.watch().ir_switch,
          {}};
}

ObjectDetection::~ObjectDetection() { set_detected(false); }

void ObjectDetection::sample_colours(Queue &queue, Queue &results, const Settings &settings,
                                     const Picture &in) {
  const objects::Objects::Settings wanted = settings_of(settings);
  if (!settings.runs() || !settings.needs_colours()) return;
  objects().sample_colours(queue, wanted, in);
  wait_for(results, queue);
}

void ObjectDetection::next(Queue &queue, const Settings &settings, const BlockMotion &motion,
                           bool moved, const RuleFrame &frame) {
  const bool remembered = std::exchange(previous_.seen, settings.runs());
  if (!settings.runs()) {
    // All objects end after the pending results have arrived.
    if (remembered)
      gst_glcl_analyzer_read(element_, queue, objects().regions(), sizeof(cl_int),
                             [weak = weak_from_this(), times = frame.times](const void *) {
                               const auto self = weak.lock();
                               if (!self) return;
                               self->camera_ = {};
                               self->report(self->tracker_.reset(), times);
                               self->rules_.end(self->element_, times);
                             });
    else
      objects_.request([this] { return build(); });
    return;
  }
  if (settings.mask != mask_) {
    mask_ = settings.mask;
    const HostPicture none, &mask = mask_ ? *mask_ : none;
    objects().set_mask(queue, mask_ ? mask.levels.data() : nullptr, mask.width, mask.height);
  }
  objects::Objects::Settings wanted = settings_of(settings);
  wanted.zones = latest_.with([](const LatestResult &latest) { return latest.sensitivities; });
  const bool follows = remembered && moved, restarts = rules_.take_restart();
  objects().next(queue, wanted, motion, !follows || restarts);
  const auto take = [weak = weak_from_this(), settings, geometry = objects().frame(), follows,
                     colours = wanted.colours, scene = wanted.scene, frame](const void *bytes) {
    const auto self = weak.lock();
    if (!self) return;
    objects::RegionList result;
    std::memcpy(&result, bytes, sizeof result);
    RuleFrame seen = frame;
    seen.follows = follows;
    objects::SceneSums sums;
    const bool compensates = settings.compensation() != camera::Compensation::none;
    if (scene) {
      std::memcpy(&sums, static_cast<const char *>(bytes) + sizeof result, sizeof sums);
      seen.picture = picture_of(sums, colours, geometry, compensates ? &result.state : nullptr);
    }
    self->take(settings, result, geometry, std::move(seen));
  };
  gst_glcl_analyzer_read(element_, queue, objects().regions(),
                         sizeof(objects::RegionList) + wanted.scene * sizeof(objects::SceneSums),
                         take);
  sample(queue, settings, frame.times);
}

/// Samples the background twice per second while standing objects may last.
void ObjectDetection::sample(Queue &queue, const Settings &settings, const FrameTimes &times) {
  if (!settings.detect || settings.max_duration <= 0) return;
  const GstClockTime now = times.running_time, before = previous_.sampled;
  previous_.frames++;
  const bool due = GST_CLOCK_TIME_IS_VALID(now) && GST_CLOCK_TIME_IS_VALID(before)
                       ? now < before || now - before >= sample_interval
                       : previous_.frames >= sample_frames;
  if (!due) return;
  previous_ = {previous_.seen, now, 0};
  const cl_int2 cells = objects::BackgroundModel::standing_cells_of(objects().frame());
  gst_glcl_analyzer_read(
      element_, queue, objects().means(queue), size_t(cells.s[0]) * cells.s[1] * sizeof(cl_ushort),
      [weak = weak_from_this(), settings, geometry = objects().frame()](const void *means) {
        if (const auto self = weak.lock())
          self->tracker_.sample(tracking_of(settings), static_cast<const cl_ushort *>(means),
                                geometry);
      });
}

objects::Tracker::Settings ObjectDetection::tracking_of(const Settings &settings) {
  return {settings.min_frames,   settings.gap,        settings.max_speed,
          settings.max_duration, settings.left_after, settings.learn_scenery};
}

void ObjectDetection::take(const Settings &settings, const objects::RegionList &result,
                           const camera::FrameGeometry &geometry, RuleFrame frame) {
  const FrameTimes &times = frame.times;
  camera_ = {};
  if (settings.compensation() != camera::Compensation::none) camera_ = result.state;
  const GstClockTime now = times.running_time, before = last_times_.running_time;
  frame.gap = settings.gap;
  frame.light = double(result.state.brightness);
  frame.cells = cells_over(geometry);
  frame.seconds = GST_CLOCK_TIME_IS_VALID(now) && GST_CLOCK_TIME_IS_VALID(before) && now > before
                      ? double(now - before) / GST_SECOND
                      : usual_frame;
  last_times_ = times;
  const double least =
      objects::Objects::least_area(settings_of(settings), size_.width, size_.height);
  const bool own = settings.rules_on == RuleProperties::On::own;
  if (own && !settings.detect) rules_.end(element_, times);
  objects::Tracker::Settings tracking = tracking_of(settings);
  tracking.may_begin = rules_.watch(element_, settings, frame);
  const objects::Tracker::Report found =
      settings.detect ? tracker_.step(tracking, result, geometry, least, frame.seconds)
                      : tracker_.reset();
  report(found, times);
  if (own && !settings.detect) return;
  rules_.step(element_, settings, found, camera_ ? &*camera_ : nullptr, frame);
  std::optional<ObjectsOnGround> on_ground;
  if (own) on_ground = rules_.on_ground(found.objects);
  latest_.with([&](LatestResult &latest) {
    latest.outlines = rules_.outlines();
    latest.on_ground = on_ground;
    latest.sensitivities = rules_.sensitivities();
    latest.seconds = frame.seconds;
  });
  if (!frame.posts || !settings.detect) return;
  GstStructure *structure = gst_glcl_analyzer_structure("objects", times);
  FieldRows list = rows(on_ground);
  for (const objects::Object &object : found.objects)
    list.add(describe("object", object, on_ground));
  list.into(structure, "objects");
  gst_glcl_analyzer_post(element_, structure);
}

void ObjectDetection::report(const objects::Tracker::Report &report, const FrameTimes &times) {
  for (const objects::Object &object : report.ended) {
    first_seen_.erase(object.id);
    post("motion-end", times, object);
  }
  for (const objects::Object &object : report.begun) {
    first_seen_[object.id] = times.timestamp;
    post("motion-begin", times, object);
  }
  for (const objects::Object &object : report.changed) post_state(object, times);
  latest_.set({tracker_.predicted(),
               first_seen_,
               last_times_.timestamp,
               camera_ && camera_->confidence >= shown_confidence ? camera_->frame_motion
                                                                  : camera::SimilarityMotion{},
               {},
               {},
               rules_.sensitivities()});
  active_ += int(report.begun.size()) - int(report.ended.size());
  set_detected(active_ > 0);
}

objects::ObjectView ObjectDetection::view(bool zones) const {
  const LatestResult latest = latest_.get();
  objects::ObjectView view{latest.predicted, latest.step, latest.seconds};
  if (latest.on_ground)
    for (const auto &[id, ground] : *latest.on_ground)
      if (ground.speed.known()) view.speeds[id] = ground.speed.value;
  if (!zones) return view;
  for (const rules::RuleOutline &outline : latest.outlines) {
    view.outlines.push_back({{}, outline.occupied ? 1.0f : 0.5f});  // empty ones are half as opaque
    for (const rules::RulePoint &point : outline.points)
      view.outlines.back().points.push_back({float(point.x), float(point.y)});
  }
  return view;
}

void ObjectDetection::post(const char *name, const FrameTimes &times,
                           const objects::Object &object) const {
  GstStructure *structure = gst_glcl_analyzer_structure(name, times),
               *fields = describe(name, object);
  gst_structure_foreach(
      fields,
      [](GQuark field, const GValue *value, gpointer to) -> gboolean {
        gst_structure_id_set_value(static_cast<GstStructure *>(to), field, value);
        return TRUE;
      },
      structure);
  gst_structure_free(fields);
  gst_glcl_analyzer_announce(element_, structure);
}

/// Announces the state of an object, and since when it stands.
void ObjectDetection::post_state(const objects::Object &object, const FrameTimes &times) const {
  GstClockTime since = times.timestamp;
  if (GST_CLOCK_TIME_IS_VALID(since))
    since -= std::min(since, static_cast<GstClockTime>(object.still_seconds * GST_SECOND));
  GstStructure *structure = gst_glcl_analyzer_structure("object-state", times);
  const RectF &box = object.box;
  const long left = std::lround(box.left), top = std::lround(box.top);
  gst_structure_set(structure, "id", G_TYPE_UINT64, guint64(object.id), "state", G_TYPE_STRING,
                    name_of(object.state), "since", G_TYPE_UINT64, guint64(since), "x", G_TYPE_INT,
                    gint(left), "y", G_TYPE_INT, gint(top), "width", G_TYPE_INT,
                    gint(std::lround(box.right) - left), "height", G_TYPE_INT,
                    gint(std::lround(box.bottom) - top), nullptr);
  gst_glcl_analyzer_announce(element_, structure);
}

void ObjectDetection::set_detected(bool detected) {
  if (detected_->exchange(detected) != detected)
    g_object_notify(G_OBJECT(element_), "motion-detected");
}

void ObjectDetection::end() {
  rules_.end(element_, last_times_);
  report(tracker_.reset(), last_times_);
}

void ObjectDetection::add_camera(GstStructure *structure, bool vectors_fit) const {
  if (!camera_) return;
  const camera::CameraState &s = *camera_;
  gst_structure_set(structure, "camera-dilation", G_TYPE_DOUBLE, double(s.frame_motion.dilation),
                    "camera-rotation", G_TYPE_DOUBLE, double(s.frame_motion.rotation), "camera-x",
                    G_TYPE_DOUBLE, double(s.frame_motion.x), "camera-y", G_TYPE_DOUBLE,
                    double(s.frame_motion.y), "camera-inliers", G_TYPE_DOUBLE,
                    s.vector_count > 0 ? double(s.inliers) / double(s.vector_count) : 0.0,
                    "camera-path-x", G_TYPE_DOUBLE, double(s.path.s[0]), "camera-path-y",
                    G_TYPE_DOUBLE, double(s.path.s[1]), "camera-path-scale", G_TYPE_DOUBLE,
                    std::exp(double(s.path.s[2])), "camera-path-rotation", G_TYPE_DOUBLE,
                    double(s.path.s[3]), nullptr);
  if (s.confidence >= 0)
    gst_structure_set(structure, "camera-confidence", G_TYPE_DOUBLE,
                      vectors_fit ? double(s.confidence) : 0.0, nullptr);
  gst_structure_set(structure, "camera-known", G_TYPE_BOOLEAN, vectors_fit && s.confidence > 0,
                    nullptr);
}

void ObjectDetection::attach(GstBuffer *to, GstStructure *result) const {
  const LatestResult latest = latest_.get();
  FieldRows list = rows(latest.on_ground);
  for (const objects::Object &object : latest.predicted) {
    const RectF &box = object.box;
    const auto left = static_cast<guint>(std::lround(box.left)),
               top = static_cast<guint>(std::lround(box.top)),
               width = static_cast<guint>(std::lround(box.right)) - left,
               height = static_cast<guint>(std::lround(box.bottom)) - top;
    if (!width || !height) continue;
    GstVideoRegionOfInterestMeta *meta =
        gst_buffer_add_video_region_of_interest_meta(to, "moving-object", left, top, width, height);
    meta->id = static_cast<gint>(object.id);
    gst_video_region_of_interest_meta_add_param(meta,
                                                describe("glclmotion", object, latest.on_ground));
    list.add(describe("object", object, latest.on_ground));
    const auto first_seen = latest.first_seen.find(object.id);
    attach_detection(to, "moving-object", {int(left), int(top), int(width), int(height)},
                     object.score, object.id,
                     first_seen == latest.first_seen.end() ? latest.last : first_seen->second,
                     latest.last);
  }
  list.into(result, "objects");
}

}  // namespace glcl::motion
