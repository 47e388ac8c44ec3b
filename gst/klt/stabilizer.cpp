// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stabilizer.h"

#include <utility>

#include "opencl/error.h"

namespace glcl::klt {

Stabilizer::Stabilizer(Context &context, int width, int height, const FrameFormat &frame,
                       float aspect)
    : view_{{{width, height}}, {{float(width - 1) / 2, float(height - 1) / 2}}, {}, aspect},
      ransac_(context),
      ransac_settings_(camera::Ransac::defaults(context.device())) {
  const Program program = context.program("klt/stabilize.cl", frame_options(frame.layout));
  displacements_kernel_ = Kernel(context, program, "klt_displacements", {64, 1});
  update_ = Kernel(context, program, "klt_update_stabilizer", {64, 1});
  show_ = Kernel(context, program, "klt_show", {32, 8});
  set_format(context, frame);
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    displacements_ = buffer(Points::most * sizeof(cl_float4));
    anchors_ = buffer(Points::most * sizeof(Anchor));
    camera_ = buffer(sizeof(camera::CameraState));
    previous_state_ = buffer(sizeof(StabilizerState));
    state_ = buffer(sizeof(StabilizerState));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for stabilization on " + context.device().name + ".", error);
  }
}

void Stabilizer::set_format(Context &context, const FrameFormat &frame) {
  if (frame.pixels->has_luma())
    show_planes_ = Kernel(context, context.program("klt/steadyplanes.cl", frame_options(frame)),
                          "klt_show_planes", {32, 8});
  view_.site = {{frame.chroma_site.left ? 0.0f : 0.5f, frame.chroma_site.top ? 0.0f : 0.5f}};
}

void Stabilizer::run(Queue &queue, const Settings &settings, const Klt &klt) {
  const Points &points = klt.points();
  const int slots = klt.features();
  std::swap(previous_state_, state_);
  fresh_ = !std::exchange(has_state_, true) || klt.fresh();
  if (fresh_) {
    queue.cl().enqueueFillBuffer(previous_state_, cl_float(0), 0, sizeof(StabilizerState));
    queue.cl().enqueueFillBuffer(camera_, cl_float(0), 0, sizeof(camera::CameraState));
    queue.cl().enqueueFillBuffer(anchors_, cl_int(-1), 0, Points::most * sizeof(Anchor));
  } else {
    displacements_kernel_(queue, {size_t(slots), 1}, points.points(), slots, anchors_,
                          previous_state_, view_.centre, view_.aspect, displacements_);
    camera::Ransac::Settings ransac = ransac_settings_;
    ransac.converged = 0.5f;
    ransac.width = view_.aspect * float(view_.size.s[0]), ransac.height = float(view_.size.s[1]);
    ransac_.run(queue, ransac, displacements_, slots, camera_);
  }
  update_(queue, {size_t(slots), 1}, points.points(), slots, points.state(), camera_, int(fresh_),
          filter(settings), previous_state_, state_, anchors_);
}

StabilizerFilter Stabilizer::filter(const Settings &settings) const {
  return {float(settings.smoothing), float(1 - 2 * settings.margin), view_.aspect, view_.centre};
}

void Stabilizer::show(Queue &queue, const Picture &in, const Picture &out,
                      const cl::Buffer &state) {
  if (in.format == &PlaneFormat::rgba8)
    show_(queue, {size_t(view_.size.s[0]), size_t(view_.size.s[1])}, in, out, view_, state);
  else
    show_planes_(queue, block_items(in), in, out, view_, state);
}

}  // namespace glcl::klt
