// SPDX-License-Identifier: LGPL-2.1-or-later
#include "forms.h"

#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl::research {

namespace {

constexpr Size group{64, 8}, window_group{16, 24};
constexpr int segment = 64;  // bytes
constexpr size_t reserved_local_memory = 1024;

std::string options(LucasKanadeForms::Form form) {
  using Form = LucasKanadeForms::Form;
  return std::string(form < Form::native ? "" : "-cl-mad-enable -DNATIVE") +
         (form == Form::image ? " -DIMAGES" : "");
}

}  // namespace

int LucasKanadeForms::padding(int group, int halo) {
  int padding = halo;
  while ((group + padding) * 3 % 4 || (group + padding) * 3 / 4 % 16 ||
         (group + padding) * 3 % segment)
    padding++;
  return padding;
}

LucasKanadeForms::LucasKanadeForms(Context &context, int width, int height, Form form)
    : form_(form),
      size_{{width, height}},
      pitch_((3 * width + segment - 1) / segment * segment),
      local_memory_(context.device().device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>()) {
  try {
    const Program program = context.program("research/opticalflow/forms.cl", options(form));
    const auto kernel = [&](const char *name, Size wish = group) {
      return Kernel(context, program, name, wish);
    };
    const auto buffers = [&](size_t bytes, auto &...list) {
      ((list = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes)), ...);
    };
    const size_t pixels = size_t(width) * height;
    buffers(size_t(pitch_) * height, before_, after_, picture_);
    buffers(pixels * sizeof(cl_float), field_.confidence);
    buffers(pixels * sizeof(cl_float2), field_.vectors);
    field_.width = width, field_.height = height;
    if (form < Form::merged) {
      buffers(pixels * sizeof(cl_float), grey_before_, grey_after_, difference_);
      grey_ = kernel("lk_grey");
      add_ = kernel("lk_add", {512, 1});
      convolve_ = kernel(form < Form::constant ? "lk_convolve_global" : "lk_convolve_constant");
      cl_float4 k[] = {{{-1, 1, -1, 1}}, {{-1, -1, 1, 1}}, {{1, 1, 1, 1}}};
      coefficients_ =
          cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof k, k);
    } else {
      merged_ = kernel(form < Form::coalesced ? "lk_merged" : "lk_merged_padded");
    }
    visualize_ = kernel(form < Form::coalesced ? "lk_visualize" : "lk_visualize_padded");
    if (form == Form::image) {
      derivatives_ =
          cl::Image2D(context.cl(), CL_MEM_READ_WRITE, {CL_RGBA, CL_FLOAT}, width, height);
      solve_ = kernel("lk_solve_image");
    } else {
      buffers(pixels * sizeof(cl_float), ix_, iy_, it_);
      solve_global_ = kernel("lk_solve_global");
      if (form != Form::naive) solve_ = kernel("lk_solve_local", window_group);
    }
  } catch (const cl::Error &error) {
    throw Error(
        Error::Kind::failed,
        "The forms of Lucas and Kanade's method can't be set up on " + context.device().name + ".",
        std::string(error.what()) + ": " + error_name(error.err()));
  }
}

bool LucasKanadeForms::run(Queue &queue, const Settings &settings, float gain, const void *frame,
                           void *picture) {
  try {
    std::swap(before_, after_);
    const size_t bytes = size_t(pitch_) * size_.s[1];
    queue.cl().enqueueWriteBuffer(after_, CL_FALSE, 0, bytes, frame, nullptr,
                                  queue.event("upload"));
    if (!std::exchange(has_previous_, true)) return false;
    derive(queue, settings);
    solve(queue, settings);
    visualize_(queue, pixels(), field_.vectors, size_, gain, picture_, pitch_,
               cl::Local(visualize_.group().x * visualize_.group().y * 3));
    queue.cl().enqueueReadBuffer(picture_, CL_FALSE, 0, bytes, picture, nullptr,
                                 queue.event("download"));
    return true;
  } catch (const cl::Error &error) {
    throw Error(Error::Kind::failed, "The forms of Lucas and Kanade's method could not be run.",
                std::string(error.what()) + ": " + error_name(error.err()));
  }
}

void LucasKanadeForms::derive(Queue &queue, const Settings &settings) {
  const float factor = settings.thesis_scale ? 0.25f : 0.5f;
  if (form_ < Form::merged) {
    grey_(queue, pixels(), before_, pitch_, size_, grey_before_);
    grey_(queue, pixels(), after_, pitch_, size_, grey_after_);
    add_(queue, {pixels().x * pixels().y, 1}, grey_after_, grey_before_, -1.0f, difference_,
         size_.s[0] * size_.s[1]);
    convolve_(queue, pixels(), grey_before_, coefficients_, 0, factor, size_, ix_);
    convolve_(queue, pixels(), grey_before_, coefficients_, 1, factor, size_, iy_);
    convolve_(queue, pixels(), difference_, coefficients_, 2, 0.25f, size_, it_);
    return;
  }
  const Size g = merged_.group();
  if (form_ == Form::merged) {
    merged_(queue, pixels(), before_, after_, pitch_, size_, factor,
            cl::Local((g.x + 1) * (g.y + 1) * sizeof(cl_float2)), ix_, iy_, it_);
    return;
  }
  const int pad = padding(static_cast<int>(g.x), 1);
  const auto words = cl::Local(2 * (g.x + pad) * 3 * (g.y + 1));
  if (form_ == Form::coalesced)
    merged_(queue, pixels(), before_, after_, pitch_, size_, factor, pad, words, ix_, iy_, it_);
  else
    merged_(queue, pixels(), before_, after_, pitch_, size_, factor, pad, words, derivatives_);
}

void LucasKanadeForms::solve(Queue &queue, const Settings &settings) {
  const int radius = settings.window / 2;
  const float half_confidence =
      opticalflow::LucasKanade::half_confidence * settings.window * settings.window;
  const auto alpha = static_cast<float>(settings.alpha);
  if (form_ == Form::image) {
    solve_(queue, pixels(), derivatives_, size_, radius, alpha, half_confidence, field_.vectors,
           field_.confidence);
    return;
  }
  const Size g = solve_.group();
  const size_t tile = (g.x + 2 * radius) * (g.y + 2 * radius) * sizeof(cl_float4);
  const bool tiled = form_ != Form::naive && tile + reserved_local_memory <= local_memory_;
  (tiled ? solve_ : solve_global_)(queue, pixels(), ix_, iy_, it_, size_, radius, alpha,
                                   half_confidence, field_.vectors, field_.confidence,
                                   cl::Local(tiled ? tile : sizeof(cl_float4)));
}

}  // namespace glcl::research
