// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lucaskanade.h"

#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl {

namespace {

constexpr Size pixel_group{32, 8};
constexpr int stretch = 64;    // pixels of a running sum
constexpr int fused_rows = 4;  // per work-item
constexpr size_t reserved_local_memory = 1024;

size_t stretches(int px) { return (px + stretch - 1) / stretch; }

}  // namespace

LucasKanade::LucasKanade(Context &context, int width, int height, Layout layout, Form form)
    : layout_(layout),
      form_(form),
      size_{{width, height}},
      local_memory_(context.device().device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>()) {
  try {
    const bool native = form == Form::native || form == Form::merged;
    const cl::Program program = context.program(
        "opticalflow/lucaskanade.cl", native ? "-cl-mad-enable -DNATIVE" : "-cl-mad-enable");
    const auto kernel = [&](const char *name, Size group = pixel_group) {
      return Kernel(context, program, name, group);
    };
    const size_t pixels = size_t(width) * height;
    const auto planes = [&](size_t bytes, auto &...buffers) {
      ((buffers = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, pixels * bytes)), ...);
    };
    planes(sizeof(cl_float), previous_, current_, field_.confidence);
    planes(sizeof(cl_float2), field_.vectors);
    field_.width = width, field_.height = height;
    grey_ = kernel(layout == Layout::image ? "lk_grey_image" : "lk_grey_buffer");
    if (form < Form::separable) {
      planes(sizeof(cl_float), ix_, iy_, it_, difference_);
      add_ = kernel("lk_add", {256, 1});
      convolve_ = kernel(form < Form::constant ? "lk_convolve_global" : "lk_convolve_constant");
      merged_ = kernel("lk_merged");
      solve_global_ = kernel("lk_solve_global");
      solve_local_ = kernel("lk_solve_local");
      cl_float4 k[] = {{{-1, 1, -1, 1}}, {{-1, -1, 1, 1}}, {{1, 1, 1, 1}}};
      coefficients_ =
          cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof k, k);
    } else {
      planes(sizeof(cl_int4), columns4_);
      planes(sizeof(cl_int), columns1_);
      columns_ = kernel("lk_columns", {64, 1});
      rows_ = kernel("lk_rows", {64, 1});
      fused_ = kernel("lk_fused");
    }
  } catch (const cl::Error &error) {
    throw Error("Lucas and Kanade's method can't be set up on " + context.device().name + ".",
                error);
  }
}

bool LucasKanade::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, size_.s[0], size_.s[1], layout_, "Lucas and Kanade's method");
  try {
    std::swap(previous_, current_);
    const Size pixels{size_t(size_.s[0]), size_t(size_.s[1])};
    if (layout_ == Layout::image)
      grey_(queue, pixels, in.image, current_, size_);
    else
      grey_(queue, pixels, in.buffer, in.pitch, current_, size_);
    if (!std::exchange(has_previous_, true)) return false;
    if (form_ < Form::separable) {
      derive(queue, factor(settings));
      solve(queue, settings);
    } else if (form_ == Form::separable || !solve_fused(queue, settings)) {
      solve_separable(queue, settings);
    }
    return true;
  } catch (const cl::Error &error) {
    throw Error("Lucas and Kanade's method could not be run.", error);
  }
}

void LucasKanade::derive(Queue &queue, float factor) {
  const Size pixels{size_t(size_.s[0]), size_t(size_.s[1])};
  if (form_ == Form::merged) {
    merged_(queue, pixels, previous_, current_, factor, ix_, iy_, it_, size_);
    return;
  }
  add_(queue, {pixels.x * pixels.y, 1}, current_, previous_, -1.0f, difference_,
       size_.s[0] * size_.s[1]);
  convolve_(queue, pixels, previous_, coefficients_, 0, factor, ix_, size_);
  convolve_(queue, pixels, previous_, coefficients_, 1, factor, iy_, size_);
  convolve_(queue, pixels, difference_, coefficients_, 2, 0.25f, it_, size_);
}

void LucasKanade::solve(Queue &queue, const Settings &settings) {
  const int radius = settings.window / 2;
  const Size group = solve_local_.group();
  const size_t bytes = (group.x + 2 * radius) * (group.y + 2 * radius) * sizeof(cl_float4);
  const bool tiled = form_ != Form::naive && bytes + reserved_local_memory <= local_memory_;
  (tiled ? solve_local_ : solve_global_)(queue, {size_t(size_.s[0]), size_t(size_.s[1])}, ix_, iy_,
                                         it_, size_, radius, static_cast<float>(settings.alpha),
                                         half_sure, field_.vectors, field_.confidence,
                                         cl::Local(tiled ? bytes : sizeof(cl_float4)));
}

void LucasKanade::solve_separable(Queue &queue, const Settings &settings) {
  const int radius = settings.window / 2;
  columns_(queue, {size_t(size_.s[0]), stretches(size_.s[1])}, previous_, current_, size_, radius,
           stretch, columns4_, columns1_);
  rows_(queue, {size_t(size_.s[1]), stretches(size_.s[0])}, columns4_, columns1_, size_, radius,
        factor(settings), static_cast<float>(settings.alpha), half_sure, stretch, field_.vectors,
        field_.confidence);
}

/// False where the window is too large for local memory.
bool LucasKanade::solve_fused(Queue &queue, const Settings &settings) {
  const int radius = settings.window / 2;
  const Size group = fused_.group();
  const size_t wide = group.x + 2 * radius, tall = group.y * fused_rows;
  const size_t greys = (wide + 1) * (tall + 2 * radius + 1) * sizeof(cl_int2);
  const size_t strip = wide * tall;
  if (greys + strip * 5 * sizeof(cl_int) + reserved_local_memory > local_memory_) return false;
  fused_(queue, {size_t(size_.s[0]), size_t(size_.s[1] + fused_rows - 1) / fused_rows}, previous_,
         current_, size_, radius, factor(settings), static_cast<float>(settings.alpha), half_sure,
         fused_rows, field_.vectors, field_.confidence, cl::Local(greys),
         cl::Local(strip * sizeof(cl_int4)), cl::Local(strip * sizeof(cl_int)));
  return true;
}

}  // namespace glcl
