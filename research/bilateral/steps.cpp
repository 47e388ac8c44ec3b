// SPDX-License-Identifier: LGPL-2.1-or-later
#include "steps.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "opencl/error.h"
#include "reference/bilateral/bilateral.h"

namespace glcl::research {

using bilateral::BilateralFilter;

namespace {

using ::reference::Frame;

constexpr int radius = 4, range_steps = 10;
constexpr double sigma_space = 2, sigma_range = 0.25;
constexpr Size group{16, 16};

std::vector<float> space_weights() {
  std::vector<float> weights;
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++)
      weights.push_back(
          static_cast<float>(std::exp(-(x * x + y * y) / (2 * sigma_space * sigma_space))));
  return weights;
}

/// By tenths of the difference; behind them the factor of a squared difference in the exponent.
std::vector<float> range_weights() {
  std::vector<float> weights;
  for (int i = 0; i <= range_steps; i++) {
    const double difference = double(i) / range_steps;
    weights.push_back(
        static_cast<float>(std::exp(-difference * difference / (2 * sigma_range * sigma_range))));
  }
  weights.push_back(static_cast<float>(-1 / (2 * sigma_range * sigma_range)));
  return weights;
}

float intensity(const uint8_t *p) {
  return 0.30f * (p[0] / 255.0f) + 0.59f * (p[1] / 255.0f) + 0.11f * (p[2] / 255.0f);
}

Frame with_table(const Frame &frame) {
  const std::vector<float> space = space_weights(), range = range_weights();
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      double sum[3] = {}, weight = 0;
      const float here = intensity(frame.at(x, y));
      for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
          const uint8_t *q = frame.at(std::clamp(x + i, 0, frame.width - 1),
                                      std::clamp(y + j, 0, frame.height - 1));
          const double w = range[std::lrint(std::abs(intensity(q) - here) * range_steps)] *
                           space[(j + radius) * (2 * radius + 1) + i + radius];
          for (int c = 0; c < 3; c++) sum[c] += w * q[c];
          weight += w;
        }
      for (int c = 0; c < 3; c++)
        result.at(x, y)[c] = static_cast<uint8_t>(std::lround(sum[c] / weight));
    }
  return result;
}

cl::Buffer constant(Context &context, std::vector<float> values) {
  return {context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
          values.data()};
}

}  // namespace

BilateralFilter::Settings BilateralSteps::settings(Step step) {
  BilateralFilter::Settings settings;
  settings.weight =
      step < one_weight ? BilateralFilter::Weight::per_channel : BilateralFilter::Weight::intensity;
  settings.radius = radius;
  settings.sigma_space = sigma_space;
  settings.sigma_range = sigma_range;
  return settings;
}

Frame BilateralSteps::reference(const Frame &frame, Step step) {
  return step < table ? ::reference::bilateral(frame, settings(step)) : with_table(frame);
}

BilateralSteps::BilateralSteps(Context &context, Step step) : rows_(step >= four_pixels ? 4 : 1) {
  try {
    const Program program =
        context.program("research/bilateral/steps.cl",
                        "-DSTEP=" + std::to_string(step) + " -DRADIUS=" + std::to_string(radius));
    kernel_ = Kernel(context, program, "bilateral_step", group);
    space_ = constant(context, space_weights());
    range_ = constant(context, range_weights());
  } catch (const cl::Error &error) {
    throw Error(
        "The steps of the bilateral filter can't be set up on " + context.device().name + ".",
        error);
  }
}

void BilateralSteps::run(Queue &queue, const Picture &in, const Picture &out) {
  kernel_(queue, {size_t(in.width), (in.height + rows_ - 1) / rows_}, in.image, out.image,
          static_cast<float>(sigma_space), static_cast<float>(sigma_range), space_, range_);
}

bool within_a_level(const Frame &result, const Frame &expected) {
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(result.rgba[i]) - int(expected.rgba[i])) > 1;
  return off * 1000 <= expected.rgba.size();
}

}  // namespace glcl::research
