// SPDX-License-Identifier: LGPL-2.1-or-later
#include "converter.h"

namespace glcl::conversion {

Converter::Converter(Context &context, int width, int height, Layout layout,
                     const PixelFormat &format, const Colorimetry &colorimetry)
    : context_(context.cl()),
      width_(width),
      height_(height),
      layout_(layout),
      chroma_side_(1 << format.chroma_shift) {
  const Program program = context.program(
      "conversion/planes.cl", frame_options(layout) + plane_options(format, colorimetry));
  to_rgba_ = Kernel(context, program, "planes_to_rgba", frame_group(layout)).in_bands();
  from_rgba_ = Kernel(context, program, "planes_from_rgba", frame_group(layout)).in_bands();
}

Picture &Converter::scratch(Picture &picture) {
  if (!picture) picture = make_picture(context_, width_, height_, layout_);
  return picture;
}

const Picture &Converter::to_rgba(Queue &queue, const Picture &frame) {
  to_rgba_(queue, {size_t(width_), size_t(height_)}, frame, scratch(in_),
           cl_int2{{width_, height_}});
  return in_;
}

const Picture &Converter::rgba_out() { return scratch(out_); }

void Converter::from_rgba(Queue &queue, const Picture &frame) {
  const auto samples = [this](int pixels) {
    return size_t((pixels + chroma_side_ - 1) / chroma_side_);
  };
  from_rgba_(queue, {samples(width_), samples(height_)}, rgba_out(), frame,
             cl_int2{{width_, height_}});
}

}  // namespace glcl::conversion
