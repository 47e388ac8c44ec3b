// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stabilizer.h"

#include <utility>

#include "opencl/error.h"

namespace glcl::klt {

namespace {

/// As the kernels have it.
struct Follow {
  cl_float smoothing, zoom, aspect, empty;
  cl_float2 centre;
};
struct Anchor {
  cl_float2 at;
  cl_int id, empty;
};

}  // namespace

Stabilizer::Stabilizer(Context &context, int width, int height, const FrameFormat &frame,
                       float aspect)
    : size_{{width, height}},
      centre_{{float(width - 1) / 2, float(height - 1) / 2}},
      aspect_(aspect),
      ransac_(context),
      usual_(camera::Ransac::usual(context.device())),
      chroma_site_{{frame.chroma_site.left ? 0.0f : 0.5f, frame.chroma_site.top ? 0.0f : 0.5f}} {
  const Program program = context.program("klt/stabilize.cl", frame_options(frame.layout));
  displacements_kernel_ = Kernel(context, program, "klt_displacements", {64, 1});
  hold_ = Kernel(context, program, "klt_hold", {64, 1});
  show_ = Kernel(context, program, "klt_show", {32, 8});
  if (frame.pixels->has_luma())
    show_planes_ = Kernel(context, context.program("klt/steadyplanes.cl", frame_options(frame)),
                          "klt_show_planes", {32, 8});
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    displacements_ = buffer(Points::most * sizeof(cl_float4));
    anchors_ = buffer(Points::most * sizeof(Anchor));
    camera_ = buffer(sizeof(camera::CameraState));
    before_ = buffer(sizeof(StabilizerState));
    now_ = buffer(sizeof(StabilizerState));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for stabilization on " + context.device().name + ".", error);
  }
}

void Stabilizer::run(Queue &queue, const Settings &settings, const Klt &klt) {
  const Points &points = klt.points();
  const int slots = klt.features();
  std::swap(before_, now_);
  const bool fresh = !std::exchange(known_, true) || klt.fresh();
  if (fresh) {
    queue.cl().enqueueFillBuffer(before_, cl_float(0), 0, sizeof(StabilizerState));
    queue.cl().enqueueFillBuffer(camera_, cl_float(0), 0, sizeof(camera::CameraState));
    queue.cl().enqueueFillBuffer(anchors_, cl_int(-1), 0, Points::most * sizeof(Anchor));
  } else {
    displacements_kernel_(queue, {size_t(slots), 1}, points.place(), points.who(), slots, anchors_,
                          before_, centre_, aspect_, displacements_);
    camera::Ransac::Settings ransac = usual_;
    ransac.converged = 0.5f;
    ransac.width = aspect_ * float(size_.s[0]), ransac.height = float(size_.s[1]);
    ransac_.run(queue, ransac, displacements_, slots, camera_);
  }
  const Follow follow{float(settings.smoothing), float(1 - 2 * settings.margin), aspect_, 0,
                      centre_};
  hold_(queue, {size_t(slots), 1}, points.place(), points.who(), slots, points.state(), camera_,
        int(fresh), follow, before_, now_, anchors_);
}

void Stabilizer::show(Queue &queue, const Picture &in, const Picture &out) {
  if (in.format == &PlaneFormat::rgba8)
    show_(queue, {size_t(size_.s[0]), size_t(size_.s[1])}, in, out, size_, centre_, aspect_, now_);
  else
    show_planes_(queue, block_items(in), in, out, size_, centre_, aspect_, chroma_site_, now_);
}

}  // namespace glcl::klt
