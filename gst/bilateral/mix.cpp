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
              "bilateral_mix", frame_group(layout)),
      no_mask_(make_picture(context.cl(), 1, 1, Layout::buffer, PlaneFormat::r8)) {}

int Mix::hairline(const BilateralFilter::Settings &settings, int width) {
  const int column = BilateralFilter::split_column(settings, width);
  const Rect columns = clipped(settings.region, width, 1);
  return column > 0 && column >= columns.x && column < columns.right() ? column : -1;
}

void Mix::run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out,
              const std::function<void(const Picture &to)> &filter) {
  const Rect region = clipped(settings.region, width_, height_);
  const bool whole = region == Rect{0, 0, width_, height_};
  if (settings.amount >= 1 && !settings.luma && !settings.mask && whole) return filter(out);
  for (const Picture *picture : {&in, &out})
    check_picture(*picture, width_, height_, {layout_, pixels_, {}}, "The mix");
  const bool filters = settings.amount > 0;
  const Picture &mask = settings.mask ? *settings.mask : no_mask_;
  try {
    if (filters && !filtered_)
      filtered_ = make_picture(context_->cl(), width_, height_, layout_, *pixels_.planes[0]);
    if (filters) filter(filtered_);
    const auto scale = [](int from, int to) {
      return static_cast<float>(from) / static_cast<float>(to);
    };
    kernel_(queue, frame_items(layout_, width_, height_), in, filters ? filtered_ : in, out, mask,
            MixSettings{int4_of(region),
                        {{width_, height_}},
                        {{settings.mask ? mask.width : 0, mask.height}},
                        {{scale(mask.width, width_), scale(mask.height, height_)}},
                        settings.hairline,
                        settings.luma,
                        static_cast<float>(filters ? settings.amount : 0)});
  } catch (const cl::Error &error) {
    throw Error("Mixing the filtered picture with its input failed.", error);
  }
}

}  // namespace glcl::bilateral
