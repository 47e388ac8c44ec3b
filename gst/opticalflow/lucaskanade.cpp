// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lucaskanade.h"

#include <algorithm>
#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

constexpr int gpu_column_stretch = 32;  // pixels of a column per work-item, for GPUs
constexpr int strip_steps = 3;          // per group, each strip_rows() rows

/// Px of the result of a tile along x.
int tile_width(int lanes, int radius) { return (lanes - 2 * radius) / TILE_RUN * TILE_RUN; }

/// Local memory of a tile with its sums, greys and padding, bytes.
size_t tile_bytes(int lanes, int radius) {
  const size_t side = 2 * radius + 1;
  return side * (5 * (lanes + 7 * TILE_RUN) + lanes + 1) * sizeof(cl_int);
}

/// Local memory for the column sums of a row of a strip, bytes.
size_t strip_row_bytes() { return size_t(5) * 2 * STRIP_WORDS * sizeof(cl_int4); }

Parameters default_variant(const Device &device, const std::string &) {
  const bool tile = !device.prefers_buffers();
  return {{"form", int(tile ? LucasKanade::Form::tile : LucasKanade::Form::columns)},
          {"lanes", 64},
          {"blocks", 4}};
}

bool possible_variant(const Device &device, const std::string &, const Parameters &variant) {
  const int lanes = variant.at("lanes");
  if (variant.at("form") == int(LucasKanade::Form::columns))
    return variant == Parameters{{"form", variant.at("form")}, {"lanes", 64}, {"blocks", 4}};
  return size_t(lanes) <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         tile_bytes(lanes, 4) <= device.local_memory();
}

constexpr float slope = 0.5f / 3;  // converts Ix from the kernels' integers to the settings' units

}  // namespace

const Tunable &LucasKanade::tunable() {
  static const Tunable tunable{
      "lucas-kanade",
      {"window-9"},
      {"opticalflow/lktile.cl", "opticalflow/lkstrip.cl", "opticalflow/lucaskanade.cl",
       "opticalflow/lucaskanade.clh"},
      {{"form", {0, 1}}, {"lanes", {32, 64, 96, 128, 256}}, {"blocks", {1, 2, 3, 4, 5, 6}}},
      default_variant,
      possible_variant};
  return tunable;
}

LucasKanade::LucasKanade(Context &context, int width, int height, const FrameFormat &frame)
    : LucasKanade(context, width, height, frame,
                  tuned_parameters(tunable(), context.device(), tunable().problems.front())) {}

LucasKanade::LucasKanade(Context &context, int width, int height, const FrameFormat &frame,
                         const Parameters &variant)
    : context_(context.shared_from_this()),
      frame_(frame),
      variant_(variant),
      size_{{width, height}} {
  try {
    set_format(frame);
    const auto plane = [&, pixels = size_t(width) * height](size_t bytes) {
      return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * bytes);
    };
    previous_ = plane(sizeof(cl_ushort));
    current_ = plane(sizeof(cl_ushort));
    field_ = {width, height, plane(sizeof(cl_float2)), plane(sizeof(cl_float))};
  } catch (const cl::Error &error) {
    throw Error("Lucas and Kanade's method can't be set up on " + context.device().name + ".",
                error);
  }
}

void LucasKanade::set_format(const FrameFormat &frame) {
  if (!frame.same_grey(frame_)) reset();
  window_kernels_.clear();  // those of the old format
  frame_ = frame;
  const Program program = context_->program("opticalflow/lucaskanade.cl", frame_options(frame));
  grey_ = Kernel(*context_, program, "lk_grey", {32, 8});
  greys_ = Kernel(*context_, program, "lk_greys", {32, 8});
  window_sums_.set_program(*context_, program);
}

bool LucasKanade::has_tile(int radius) const {
  return 2 * radius < tile_window && tile_width(variant_.at("lanes"), radius) > 0 &&
         tile_bytes(variant_.at("lanes"), radius) <= context_->device().local_memory();
}

/// Rows per step of a group down its strip, as items and local memory allow; 0: no strips.
int LucasKanade::strip_rows(int radius) const {
  const Device &device = context_->device();
  if (device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() < size_t(STRIP_LANES)) return 0;
  const int fit = static_cast<int>(device.local_memory() / strip_row_bytes());
  return std::min(STRIP_LANES / ((STRIP_LANES - 2 * radius) / STRIP_RUN), fit);
}

/// True if a program for this window exists, with a tile or a strip.
bool LucasKanade::has_window_kernel(int radius) const {
  return variant_.at("form") == int(Form::tile) && (has_tile(radius) || strip_rows(radius) > 0);
}

Kernel LucasKanade::build_window_kernel(int radius) const {
  const bool tile = has_tile(radius);
  const int lanes = tile ? variant_.at("lanes") : STRIP_LANES;
  std::string options = "-cl-mad-enable -DRADIUS=" + std::to_string(radius) + frame_options(frame_);
  options += tile ? " -DLANES=" + std::to_string(lanes) +
                        " -DBLOCKS=" + std::to_string(variant_.at("blocks"))
                  : " -DROWS=" + std::to_string(strip_rows(radius));
  return Kernel(
      *context_,
      context_->program(tile ? "opticalflow/lktile.cl" : "opticalflow/lkstrip.cl", options),
      tile ? "lk_tile" : "lk_strip", {size_t(lanes), 1});
}

void LucasKanade::prepare(const Settings &settings) {
  const int radius = settings.window / 2;
  if (has_window_kernel(radius))
    window_kernels_[radius].get([&] { return build_window_kernel(radius); });
}

bool LucasKanade::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, size_.s[0], size_.s[1], frame_, "Lucas and Kanade's method");
  try {
    std::swap(previous_, current_);
    process(queue, settings, in);
    return std::exchange(has_previous_, true);
  } catch (const cl::Error &error) {
    throw Error("Running Lucas and Kanade's method failed.", error);
  }
}

/// The program for a window; null while its build runs in the background, or without one.
Kernel *LucasKanade::window_kernel(int radius) {
  if (!has_window_kernel(radius)) return nullptr;
  try {
    return window_kernels_[radius].poll([this, radius] { return build_window_kernel(radius); });
  } catch (const Error &) {
    return nullptr;  // use Form::columns
  }
}

LeastSquares LucasKanade::least_squares(const Settings &settings) {
  const float k = slope;
  return {static_cast<float>(settings.alpha) / (k * k),
          half_confidence * settings.window * settings.window / (k * k), 1 / (12 * k)};
}

/// Computes the greys of a frame and, if there is a previous one, the flow from it.
void LucasKanade::process(Queue &queue, const Settings &settings, const Picture &in) {
  const int radius = settings.window / 2;
  Kernel *kernel = has_previous_ ? window_kernel(radius) : nullptr;
  const size_t width = size_.s[0], height = size_.s[1];
  if (!kernel) grey_(queue, {width, height}, FirstPlane{in}, size_, current_);
  if (!has_previous_) return;
  const LeastSquares solution = least_squares(settings);
  if (kernel && !has_tile(radius)) {
    process_strips(queue, *kernel, radius, in, solution);
    return;
  }
  if (kernel) {
    const size_t lanes = variant_.at("lanes");
    const int rows = variant_.at("blocks") * settings.window;
    (*kernel)(queue,
              {divide_up(size_.s[0], tile_width(variant_.at("lanes"), radius)) * lanes,
               size_t(divide_up(size_.s[1], rows))},
              FirstPlane{in}, previous_, current_, size_, solution.alpha, solution.half_confidence,
              solution.scale, field_.vectors, field_.confidence);
    return;
  }
  const bool on_gpu = variant_.at("form") == int(Form::tile);
  window_sums_.run(queue, previous_, current_, size_, radius,
                   on_gpu ? gpu_column_stretch : WindowSums::row_stretch, solution, field_);
}

/// The flow by strips, see Form::tile.
void LucasKanade::process_strips(Queue &queue, Kernel &strip, int radius, const Picture &in,
                                 const LeastSquares &solution) {
  const size_t width = size_.s[0], height = size_.s[1];
  if (!grey_pairs_())
    grey_pairs_ = cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, width * height * sizeof(cl_uint));
  greys_(queue, {width, height}, FirstPlane{in}, size_, previous_, current_, grey_pairs_);
  const int step = (STRIP_LANES - 2 * radius) / STRIP_RUN * STRIP_RUN,
            rows = strip_steps * strip_rows(radius);
  strip(queue,
        {size_t(divide_up(size_.s[0], step)) * STRIP_LANES, size_t(divide_up(size_.s[1], rows))},
        grey_pairs_, size_, rows, solution.alpha, solution.half_confidence, solution.scale,
        field_.vectors, field_.confidence);
}

}  // namespace glcl::opticalflow
