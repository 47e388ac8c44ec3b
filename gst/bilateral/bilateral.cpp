// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "opencl/error.h"

namespace glcl {

namespace {

constexpr const char *weight_names[] = {"intensity", "color", "per_channel"};
constexpr int vector_rows = 2;  // rows per work-item
constexpr int tile_rows = 2;
constexpr size_t reserved_local_memory = 1024;  // drivers may use some of what they say there is
constexpr Size vector_group{16, 4}, tile_group{32, 8}, direct_group{32, 8};

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

bool has_images(const cl::Device &device, int width, int height) {
  return device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() &&
         size_t(width) <= device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>() &&
         size_t(height) <= device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
}

Bilateral::Form choose_form(const Device &device, Bilateral::Form wish, int width, int height) {
  const bool images = has_images(device.device, width, height);
  if (wish == Bilateral::Form::automatic)
    return device.prefers_buffers() || !images ? Bilateral::Form::vector : Bilateral::Form::tile;
  if (wish != Bilateral::Form::vector && !images)
    throw Error(Error::Kind::settings, device.name + " has no images of " + std::to_string(width) +
                                           "×" + std::to_string(height) +
                                           " for this form of the bilateral filter.");
  return wish;
}

/// Factor of a squared difference in an exponent of 2.
float gaussian_exponent(double sigma) {
  return static_cast<float>(-std::log2(std::exp(1.0)) / (2 * sigma * sigma));
}

/// For differences of `full_scale` where colours as 0..1 differ by 1. sigma_range 0 means the
/// limit, which 1e-6 reaches: the least difference, 1/25500, then weighs less than 2^-1000.
float range_exponent(const Bilateral::Settings &settings, double full_scale) {
  return gaussian_exponent(std::max(settings.sigma_range, 1e-6) * full_scale);
}

float space_exponent(const Bilateral::Settings &settings) {
  return gaussian_exponent(std::max(settings.sigma_space, 1e-3));
}

}  // namespace

int Bilateral::radius(const Settings &settings) {
  const int wish =
      settings.radius > 0
          ? settings.radius
          : static_cast<int>(std::ceil(std::min<double>(2 * settings.sigma_space, max_radius)));
  return std::clamp(wish, 0, max_radius);
}

int Bilateral::split_column(const Settings &settings, int width) {
  return static_cast<int>(std::lround(std::clamp(settings.split, 0.0, 1.0) * width));
}

Bilateral::Bilateral(Context &context, int width, int height, Form form, Size group)
    : context_(context.cl()),
      local_memory_(context.device().device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>()),
      width_(width),
      height_(height),
      form_(choose_form(context.device(), form, width, height)) {
  try {
    build(context, group);
  } catch (const cl::Error &error) {
    throw Error(Error::Kind::failed,
                "The bilateral filter can't be set up on " + context.device().name + ".",
                std::string(error.what()) + ": " + error_name(error.err()));
  }
}

void Bilateral::build(Context &context, Size group) {
  const auto kernels = [&](Kernel *kernels, const cl::Program &program, const std::string &prefix,
                           Size own_group) {
    for (int weight = 0; weight < 3; weight++)
      kernels[weight] = Kernel(context, program, prefix + weight_names[weight],
                               group.x && group.y ? group : own_group);
  };
  if (form_ != Form::vector) {
    const std::string options = "-cl-mad-enable";
    kernels(direct_, context.program("bilateral/direct.cl", options), "bilateral_direct_",
            direct_group);
    if (form_ == Form::tile)
      kernels(
          tile_,
          context.program("bilateral/tile.cl", options + " -DROWS=" + std::to_string(tile_rows)),
          "bilateral_tile_", tile_group);
    return;
  }

  const int native = context.device().device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  lanes_ = native >= 16 ? 16 : native >= 8 ? 8 : 4;
  const cl::Program program =
      context.program("bilateral/vector.cl", "-DV=" + std::to_string(lanes_) +
                                                 " -DROWS=" + std::to_string(vector_rows) +
                                                 " -DPAD=" + std::to_string(max_radius));
  kernels(vector_, program, "bilateral_vector_", vector_group);
  const Size whole = vector_[0].group();
  planes_kernel_ = Kernel(context, program, "bilateral_planes", whole);
  space_kernel_ = Kernel(context, program, "bilateral_space", whole);
  plane_pitch_ = max_radius + round_up(width_ + max_radius, lanes_);
  planes_ = cl::Buffer(context_, CL_MEM_READ_WRITE, size_t(3) * plane_pitch_ * height_);
}

void Bilateral::check(const Picture &picture) const {
  if (picture.width != width_ || picture.height != height_ || picture.layout != layout() ||
      (picture.layout == Layout::buffer && picture.pitch < width_))
    throw Error(Error::Kind::settings, "The bilateral filter was set up for frames of " +
                                           std::to_string(width_) + "×" + std::to_string(height_) +
                                           " in another layout or size.");
}

/// Where an iteration before the last one leaves its result. Buffers are read (into planes) before
/// they are written, so one is enough.
Picture &Bilateral::between(int iteration) {
  Picture &picture = between_[form_ == Form::vector ? 0 : iteration % 2];
  if (!picture.width) picture = make_picture(context_, width_, height_, layout());
  return picture;
}

void Bilateral::run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out) {
  check(in);
  check(out);
  const int split = split_column(settings, width_);
  const int iterations = split == width_ ? 1 : std::max(settings.iterations, 1);
  try {
    const Picture *from = &in;
    for (int i = 0; i < iterations; i++) {
      const bool last = i == iterations - 1;
      const Picture &to = last ? out : between(i);
      pass(queue, settings, *from, in, to, last ? split : 0);
      from = &to;
    }
  } catch (const cl::Error &error) {
    throw Error(Error::Kind::failed, "The bilateral filter could not be run.",
                std::string(error.what()) + ": " + error_name(error.err()));
  }
}

void Bilateral::pass(Queue &queue, const Settings &settings, const Picture &from,
                     const Picture &original, const Picture &to, int split) {
  if (form_ == Form::vector)
    pass_buffers(queue, settings, from, original, to, split);
  else
    pass_images(queue, settings, from, original, to, split);
}

void Bilateral::pass_images(Queue &queue, const Settings &settings, const Picture &from,
                            const Picture &original, const Picture &to, int split) {
  const int weight = static_cast<int>(settings.weight), r = radius(settings);
  const float space = space_exponent(settings);
  if (form_ == Form::tile) {
    const Size group = tile_[weight].group();
    const size_t bytes = (group.x + 2 * r) * (group.y * tile_rows + 2 * r) * sizeof(cl_float4);
    if (bytes + reserved_local_memory <= local_memory_) {
      const float range =
          range_exponent(settings, settings.weight == Weight::intensity ? 25500 : 255);
      tile_[weight](queue, {size_t(width_), size_t(height_ + tile_rows - 1) / tile_rows},
                    from.image, original.image, to.image, range, space, r, split, cl::Local(bytes));
      return;
    }
  }
  const float range = range_exponent(settings, settings.weight == Weight::intensity ? 25500 : 1);
  direct_[weight](queue, {size_t(width_), size_t(height_)}, from.image, original.image, to.image,
                  range, space, r, split);
}

void Bilateral::pass_buffers(Queue &queue, const Settings &settings, const Picture &from,
                             const Picture &original, const Picture &to, int split) {
  prepare_space(queue, settings);
  const int r = radius(settings);
  const size_t chunks = (round_up(r, lanes_) + round_up(width_ + r, lanes_)) / lanes_;
  planes_kernel_(queue, {chunks, size_t(height_)}, from.buffer, from.pitch, planes_, plane_pitch_,
                 width_, height_, r);
  const float range = range_exponent(settings, settings.weight == Weight::intensity ? 25500 : 255);
  vector_[static_cast<int>(settings.weight)](
      queue,
      {size_t(width_ + lanes_ - 1) / lanes_, size_t(height_ + vector_rows - 1) / vector_rows},
      planes_, plane_pitch_, space_, range, r, original.buffer, original.pitch, to.buffer, to.pitch,
      width_, height_, split);
}

/// Fills the table of space exponents where radius or sigma_space changed.
void Bilateral::prepare_space(Queue &queue, const Settings &settings) {
  const int r = radius(settings);
  if (r == space_radius_ && settings.sigma_space == space_sigma_) return;
  const size_t side = 2 * r + 1, rows = side + 2 * (vector_rows - 1);
  if (side * rows * sizeof(cl_float) > space_size_) {
    space_size_ = side * rows * sizeof(cl_float);
    space_ = cl::Buffer(context_, CL_MEM_READ_WRITE, space_size_);
  }
  space_kernel_(queue, {side, rows}, space_, space_exponent(settings), r);
  space_radius_ = r;
  space_sigma_ = settings.sigma_space;
}

}  // namespace glcl
