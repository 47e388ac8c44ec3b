// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shadows.h"

#include "opencl/error.h"

namespace glcl::objects {

ShadowDetector::ShadowDetector(Context &context, const camera::FrameGeometry &frame,
                               const FrameFormat &format, int in_flight)
    : frame_(frame) {
  set_format(context, format);
  const size_t pixels = size_t(frame.size.s[0]) * frame.size.s[1];
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * bytes);
  };
  try {
    for (int i = 0; i < in_flight; i++) sampled_.push_back(make(sizeof(cl_short2)));
    for (cl::Buffer &buffer : colours_) buffer = make(sizeof(cl_short2));
    foreground_ = make(1);
    changes_ = make(sizeof(cl_short));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for shadow detection on " + context.device().name + ".",
                error);
  }
}

void ShadowDetector::set_format(Context &context, const FrameFormat &format) {
  const Program program = context.program("objects/shadows.cl", frame_options(format));
  const Size group = context.device().is_cpu() ? Size{64, 1} : Size{32, 8};
  sample_ = Kernel(context, program, "objects_colours", group);
  mark_ = Kernel(context, program, "objects_shadows", group);
}

void ShadowDetector::sample_colours(Queue &queue, const Picture &in) {
  last_ = (last_ + 1) % sampled_.size();
  sample_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, in,
          cl_int2{{in.width, in.height}}, static_cast<cl_int>(frame_.reduction), sampled_[last_],
          frame_.size);
}

void ShadowDetector::run(Queue &queue, const cl::Buffer &small, const cl::Buffer &state,
                         const BackgroundModel &background, bool restart) {
  const int from = now_;
  now_ = 1 - now_;
  mark_(queue, {size_t(frame_.size.s[0]), size_t(frame_.size.s[1])}, small, sampled_[last_], state,
        frame_, background.levels(), background.history(), background.foreground(), colours_[from],
        colours_[now_], static_cast<cl_int>(restart), foreground_, changes_);
}

}  // namespace glcl::objects
