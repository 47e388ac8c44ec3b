// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scene.h"

#include <algorithm>
#include <string>

namespace glcl::objects {

namespace {

constexpr int dense = 200 * 1000;  // pixels; of larger reduced frames, one in four is enough

}  // namespace

SceneMeasurement::SceneMeasurement(Context &context, const camera::FrameGeometry &frame)
    : frame_(frame) {
  // Groups of one item compile and run fastest on CPUs.
  const size_t items =
      context.device().is_cpu() ? 1 : std::min<size_t>(128, one_group(context.device().device));
  kernel_ = Kernel(context, context.program("objects/scene.cl", "-DITEMS=" + std::to_string(items)),
                   "objects_scene", {});
}

cl_int2 SceneMeasurement::cells_of(const camera::FrameGeometry &frame) {
  return {{std::min(frame.size.s[0], SCENE_COLUMNS), std::min(frame.size.s[1], SCENE_ROWS)}};
}

int SceneMeasurement::spacing_of(const camera::FrameGeometry &frame) {
  return frame.size.s[0] * frame.size.s[1] < dense ? 1 : 2;
}

int SceneMeasurement::area_of(const camera::FrameGeometry &frame, int cell) {
  const cl_int2 cells = cells_of(frame);
  const int spacing = spacing_of(frame);
  const auto along = [spacing](int at, int count, int size) {
    return ((at + 1) * size / count - at * size / count + spacing - 1) / spacing;
  };
  return along(cell % cells.s[0], cells.s[0], frame.size.s[0]) *
         along(cell / cells.s[0], cells.s[1], frame.size.s[1]);
}

double SceneMeasurement::noise_detail(const camera::FrameGeometry &frame) {
  // camera_shrink leaves these covariances of white noise at distances of 0, 1 and 2 px.
  const double r[] = {6 / 16.0, 4 / 16.0, 1 / 16.0};
  const double neighbours = 4 * r[0] * r[0] + 4 * r[2] * r[0] + 8 * r[1] * r[1];
  return (r[0] * r[0] + neighbours / 16 - 2 * r[1] * r[0]) / (frame.reduction * frame.reduction);
}

void SceneMeasurement::run(Queue &queue, const Frame &frame, const cl::Buffer &list) {
  const cl_int2 cells = cells_of(frame_);
  const motion::LumaPlane &plane = frame.planes.current;
  const size_t groups = size_t(cells.s[0]) * cells.s[1];
  kernel_(queue, {groups * kernel_.group().x, 1}, plane.buffer, frame.planes.reference.buffer,
          frame.small, frame.colours ? *frame.colours : frame.small,
          frame.noise ? frame.noise->state() : frame.small, list,
          SceneRun{frame_.size, cells, spacing_of(frame_), plane.pitch, plane.height,
                   frame.colours != nullptr, frame.noise != nullptr});
}

}  // namespace glcl::objects
