// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mix.h"

#include "opencl/error.h"

namespace glcl::bilateral {

Mix::Mix(Context &context, int width, int height, Layout layout, const PixelFormat &pixels)
    : context_(context.shared_from_this()),
      width_(width),
      height_(height),
      layout_(layout),
      pixels_(pixels),
      kernel_(context,
              context.program("bilateral/mix.cl",
                              frame_options(layout) + (pixels.bits > 8 ? " -DDEEP" : "")),
              "bilateral_mix", frame_group(layout)) {}

int Mix::hairline(const BilateralFilter::Settings &settings, int width) {
  const int column = BilateralFilter::split_column(settings, width);
  return column > 0 && column < width ? column : -1;
}

void Mix::run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out,
              const std::function<void(const Picture &to)> &filter) {
  if (settings.amount >= 1 && !settings.luma) return filter(out);
  for (const Picture *picture : {&in, &out})
    check_picture(*picture, width_, height_, {layout_, pixels_, {}}, "The mix");
  const bool filters = settings.amount > 0;
  try {
    if (filters && !filtered_)
      filtered_ = make_picture(context_->cl(), width_, height_, layout_, *pixels_.planes[0]);
    if (filters) filter(filtered_);
    kernel_(queue, frame_items(layout_, width_, height_), in, filters ? filtered_ : in, out,
            MixSettings{{{width_, height_}},
                        settings.hairline,
                        settings.luma,
                        static_cast<float>(filters ? settings.amount : 0)});
  } catch (const cl::Error &error) {
    throw Error("Mixing the filtered picture with its input failed.", error);
  }
}

}  // namespace glcl::bilateral
