// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclmotionscene.h"

#include <algorithm>
#include <cmath>

#include "objects/scene.h"

namespace glcl::motion {

namespace {

using rules::SceneChange;
using Kind = SceneChange::Kind;

constexpr float moving = 0.003f;  // part of the width per frame

/// True if the camera is known to move.
bool moves(const camera::CameraState &camera, const camera::FrameGeometry &geometry) {
  const float width = float(geometry.size.s[0]) * geometry.reduction;
  return camera.reliable &&
         std::hypot(camera.frame_motion.x, camera.frame_motion.y) > std::max(moving * width, 1.0f);
}

const char *name_of(const SceneChange &change) {
  switch (change.kind) {
    case Kind::covered:
      return change.on ? "camera-covered-begin" : "camera-covered-end";
    case Kind::defocused:
      return change.on ? "camera-defocused-begin" : "camera-defocused-end";
    case Kind::frozen:
      return change.on ? "camera-frozen-begin" : "camera-frozen-end";
    default:
      return "ir-switch";
  }
}

}  // namespace

rules::ScenePicture picture_of(const objects::SceneSums &sums, bool colours,
                               const camera::FrameGeometry &geometry,
                               const camera::CameraState *camera) {
  const cl_int2 cells = objects::SceneMeasurement::cells_of(geometry);
  const double noise = objects::SceneMeasurement::noise_detail(geometry);
  rules::ScenePicture picture;
  picture.columns = cells.s[0], picture.rows = cells.s[1];
  const int count = cells.s[0] * cells.s[1];
  for (std::vector<float> *values : {&picture.level, &picture.detail, &picture.colour})
    values->reserve(size_t(count));
  for (int i = 0; i < count; i++) {
    const objects::SceneCell &cell = sums.cells[i];
    const double area = objects::SceneMeasurement::area_of(geometry, i);
    picture.level.push_back(static_cast<float>(cell.level / (16 * area)));
    picture.detail.push_back(
        static_cast<float>(std::max(cell.detail / (16 * area) - noise * double(cell.noise), 0.0)));
    if (colours) picture.colour.push_back(static_cast<float>(cell.colour / (64 * area)));
  }
  picture.repeats = std::count(sums.changed, sums.changed + count, 0) == count;
  picture.moves = camera && moves(*camera, geometry);
  return picture;
}

void MotionScene::post(GstGLCLAnalyzer *element, const std::vector<SceneChange> &changes,
                       const FrameTimes &times) {
  for (const SceneChange &change : changes) {
    // Nothing of the picture in between is part of the background.
    if (change.kind == Kind::switched || (change.kind != Kind::frozen && !change.on))
      restart_ = true;
    if (!gst_glcl_analyzer_posts(element)) continue;
    GstStructure *message = gst_glcl_analyzer_structure(name_of(change), times);
    if (change.kind == Kind::switched)
      gst_structure_set(message, "to", G_TYPE_STRING, change.on ? "grey" : "colour", nullptr);
    else
      gst_structure_set(message, "scene-duration", G_TYPE_UINT64, guint64(change.lasted), nullptr);
    gst_glcl_analyzer_post(element, message);
  }
}

void MotionScene::step(GstGLCLAnalyzer *element, const rules::ScenePicture &picture, bool follows,
                       const rules::SceneWishes &wishes, const FrameTimes &times, uint64_t now) {
  post(element, watch_.step(picture, follows, wishes, now), times);
}

void MotionScene::end(GstGLCLAnalyzer *element, const FrameTimes &times, uint64_t now) {
  post(element, watch_.end(now), times);
  restart_ = false;
}

}  // namespace glcl::motion
