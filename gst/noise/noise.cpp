// SPDX-License-Identifier: LGPL-2.1-or-later
#include "noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "covariance.h"
#include "opencl/error.h"

namespace glcl::noise {

namespace {

constexpr int most_squares = 2048;  // about

/// The variance of the mask's response and of the change between frames, for white noise of
/// variance 1.
struct Gains {
  float mask, change;
};

Gains gains(Noise::Texels texels) {
  Covariance covariance;
  if (texels == Noise::Texels::grey) covariance.filter({1 / 8.0, 6 / 8.0, 1 / 8.0});
  if (texels == Noise::Texels::gaussian)
    covariance.filter({0.0096200556, 0.20542368, 0.56991249, 0.20542368, 0.0096200556});
  const double mask = covariance.variance({1, -2, 1}), own = covariance(0);
  return {static_cast<float>(mask * mask), static_cast<float>(2 * own * own)};
}

/// The variance of white noise, relative to the limit that a tenth of its squares stay below.
constexpr float decile_scale = 1.2f;

}  // namespace

Noise::Noise(Context &context, Texels texels, int width, int height) : texels_(texels) {
  const double area = double(width) * height;
  spacing_ = std::max(NOISE_SQUARE, static_cast<int>(std::ceil(std::sqrt(area / most_squares))));
  if (std::min(width, height) >= NOISE_SQUARE) {
    columns_ = (width - NOISE_SQUARE) / spacing_ + 1;
    squares_ = columns_ * ((height - NOISE_SQUARE) / spacing_ + 1);
  }
  const Program program =
      context.program("noise/noise.cl", texels == Texels::luma ? "-DTEXEL=uchar" : "-DTEXEL=float");
  measure_ = Kernel(context, program, "noise_measure", {});
  try {
    NoiseTally none{};
    tally_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, &none);
    state_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sizeof(NoiseState));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the noise measurement on " + context.device().name + ".",
                error);
  }
}

size_t Noise::groups() const {
  return std::max(1, (squares_ + NOISE_GROUP_SQUARES - 1) / NOISE_GROUP_SQUARES);
}

Squares Noise::prepare(Queue &queue, const Plane &plane) {
  const auto [mask, change] = gains(texels_);
  if (clears_flicker_) clear_flicker(queue);
  measured_ = true;
  return {plane.pitch, plane.offset, std::max(columns_, 1), spacing_, squares_,
          mask,        change,       decile_scale,          0};
}

void Noise::measure(Queue &queue, const Plane &before, const Plane &after, bool keep) {
  Squares squares = prepare(queue, before);
  squares.keep_if_quiet = keep;
  measure_(queue, {groups() * NOISE_ITEMS, 1}, before.texels, after.texels, squares, tally_,
           state_);
}

void Noise::set(Queue &queue, double level) {
  const size_t bytes = (1 + NOISE_BANDS) * sizeof(cl_float);
  queue.cl().enqueueFillBuffer(state_, static_cast<cl_float>(level * level), 0, bytes);
  queue.cl().enqueueFillBuffer(state_, cl_float(0), bytes, sizeof(cl_float));
  clear_flicker(queue);
  measured_ = false;
}

void Noise::clear_flicker(Queue &queue) {
  queue.cl().enqueueFillBuffer(state_, cl_uint(0), offsetof(NoiseState, flicker), sizeof(Flicker));
  clears_flicker_ = false;
}

}  // namespace glcl::noise
