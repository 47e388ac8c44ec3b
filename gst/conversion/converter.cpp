// SPDX-License-Identifier: LGPL-2.1-or-later
#include "converter.h"

namespace glcl::conversion {

Converter::Converter(Context &context, int width, int height, const FrameFormat &frame,
                     const PixelFormat &rgba)
    : context_(context.cl()),
      width_(width),
      height_(height),
      layout_(frame.layout),
      rgba_(*rgba.planes[0]),
      chroma_side_(1 << frame.pixels->chroma_shift) {
  const Program program = context.program("conversion/planes.cl",
                                          frame_options(frame) + (rgba.is_rgba() ? "" : " -DDEEP"));
  const Size group = frame_group(layout_);
  to_rgba_ = Kernel(context, program, "planes_to_rgba", group).in_bands();
  from_rgba_ = Kernel(context, program, "planes_from_rgba", group).in_bands();
}

Picture &Converter::scratch(Picture &picture) {
  if (!picture) picture = make_picture(context_, width_, height_, layout_, rgba_);
  return picture;
}

const Picture &Converter::to_rgba(Queue &queue, const Picture &frame) {
  to_rgba_(queue, {size_t(width_), size_t(height_)}, frame, scratch(in_),
           cl_int2{{width_, height_}});
  return in_;
}

const Picture &Converter::rgba_out() { return scratch(out_); }

void Converter::from_rgba(Queue &queue, const Picture &in, const Picture &out,
                          std::optional<int> keeps_chroma) {
  const auto samples = [this](int pixels) {
    return size_t((pixels + chroma_side_ - 1) / chroma_side_);
  };
  from_rgba_(queue, {samples(width_), samples(height_)}, scratch(in_), rgba_out(), in, out,
             cl_int2{{width_, height_}},
             cl_int2{{keeps_chroma.has_value(), keeps_chroma.value_or(-1)}});
}

}  // namespace glcl::conversion
