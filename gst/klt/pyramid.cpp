// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pyramid.h"

#include <algorithm>
#include <string>

#include "noise/covariance.h"
#include "opencl/error.h"
#include "opticalflow/interface.h"

namespace glcl::klt {

namespace {

using opticalflow::BORDER;

constexpr int row_unit = 16;  // texels; rows of a level begin at a multiple of it
/// Texels of the finest level per group; for tiles the width is COLUMNS of klt_pyramid.
constexpr Size tile_of(KernelForm form) { return form == rows ? Size{256, 32} : Size{112, 16}; }
constexpr int fine_levels = 3;  // levels per launch of klt_pyramid
constexpr Size pixel_group{32, 8};
/// Texels of the coarsest level per group of flow_coarser.
constexpr Size coarsest_tile{opticalflow::COARSEST_X, opticalflow::COARSEST_Y};

int half(int n) { return (n + 1) / 2; }
size_t divide_up(int n, size_t size) { return (size_t(n) + size - 1) / size; }

std::vector<Gain> noise_gains(size_t levels) {
  noise::Covariance covariance;
  std::vector<Gain> gains;
  covariance.filter({0.0096200556, 0.20542368, 0.56991249, 0.20542368, 0.0096200556});
  for (size_t i = 0; i < levels; i++) {
    if (i) covariance.filter({1 / 16.0, 4 / 16.0, 6 / 16.0, 4 / 16.0, 1 / 16.0}, 2);
    const double own = covariance(0), slope = covariance.variance({-0.5, 0, 0.5});
    gains.push_back({static_cast<float>(own * own), static_cast<float>(slope * own)});
  }
  return gains;
}

template <class Value>
cl::Buffer filled(const cl::Context &context, std::vector<Value> values) {
  return cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(Value),
                    values.data());
}

}  // namespace

int Pyramids::most_levels(int width, int height) {
  int levels = 1;
  for (int side = half(std::min(width, height)); side >= 8 && levels < most; side = half(side))
    levels++;
  return levels;
}

Pyramids::Pyramids(Context &context, int width, int height, const FrameFormat &frame)
    : Pyramids(context, width, height, frame, form_for(context.device())) {}

Pyramids::Pyramids(Context &context, int width, int height, const FrameFormat &frame,
                   KernelForm form)
    : context_(context.cl()), form_(form), tile_(tile_of(form)) {
  std::vector<cl_int4> table;
  int w = width, h = height;
  for (int i = most_levels(width, height); i > 0; i--) {
    const int pitch = row_unit + (w + BORDER + row_unit - 1) / row_unit * row_unit;
    levels_.push_back({w, h, pitch, static_cast<int>(texels_) + BORDER * pitch + row_unit});
    table.push_back(levels_.back().cl());
    texels_ += size_t(pitch) * (h + 2 * BORDER);
    w = half(w), h = half(h);
  }
  level_table_ = filled(context_, table);
  const auto gains = noise_gains(levels_.size());
  gain_table_ = filled(context_, gains);
  gain_ = gains[0];
  set_format(context, frame);
  if (levels_.size() > fine_levels)
    coarse_ = Kernel(
        context,
        context.program("opticalflow/pyramid.cl",
                        "-DROWS=1" + std::string(form == rows ? "" : " -DLINEAR_ITEMS") +
                            frame_options(frame) + one_group_option(context.device().device)),
        "flow_coarser", pixel_group);
}

void Pyramids::set_format(Context &context, const FrameFormat &frame) {
  const std::string wide = std::to_string(tile_.x), high = std::to_string(tile_.y);
  fine_ =
      form_ == rows
          ? Kernel(
                context,
                context.program("klt/pyramidrows.cl",
                                frame_options(frame) + (" -DTILE_X=" + wide) + " -DTILE_Y=" + high),
                "klt_pyramid_rows", {})
          : Kernel(context,
                   context.program("klt/pyramid.cl", frame_options(frame) + (" -DROWS=" + high)),
                   "klt_pyramid", {});
}

cl::Buffer Pyramids::make() const {
  return cl::Buffer(context_, CL_MEM_READ_WRITE, texels_ * sizeof(cl_float));
}

void Pyramids::build(Queue &queue, const Picture &in, int levels, const cl::Buffer &pyramid) {
  const Size group = fine_.group();
  fine_(queue,
        {divide_up(levels_[0].width, tile_.x) * group.x,
         divide_up(levels_[0].height, tile_.y) * group.y},
        FirstPlane{in}, pyramid, level_table_, std::min(levels, fine_levels));
  for (int i = fine_levels - 1; i + 1 < levels; i += 2) {  // up to two levels per launch
    const int count = std::min(levels - 1 - i, 2);
    const Size items = coarse_.group();
    coarse_(queue,
            {divide_up(levels_[i].width, 4 * coarsest_tile.x) * items.x,
             divide_up(levels_[i].height, 4 * coarsest_tile.y) * items.y},
            pyramid, levels_[i].cl(), levels_[i + 1].cl(), levels_[i + count].cl(), count);
  }
}

}  // namespace glcl::klt
