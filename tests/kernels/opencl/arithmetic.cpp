// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions of kernels/common in place of OpenCL's, against double precision.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/engine.h"
#include "opencl/buffer.h"
#include "opencl/source.h"

namespace {

/// A kernel that computes `expression` of three numbers a, b and c, as a float2.
std::vector<cl_float2> results(const std::string &file, const std::string &options,
                               const std::string &expression,
                               const std::vector<cl_float4> &numbers) {
  const Bench bench;
  const cl::Context &context = bench.context->cl();
  const cl::Program program(
      context, glcl::kernel_source(file) +
                   "\n__kernel void evaluate(__global const float4 *in, __global float2 *out) {\n"
                   "const float a = in[get_global_id(0)].x, b = in[get_global_id(0)].y,\n"
                   "            c = in[get_global_id(0)].z;\n"
                   "out[get_global_id(0)] = (float2)(" +
                   expression + ");\n}");
  program.build({bench.context->device().device}, options.c_str());
  const size_t bytes = numbers.size() * sizeof(cl_float2);
  const cl::Buffer out = glcl::make_buffer(context, bytes);
  glcl::Kernel(*bench.context, program, "evaluate", {64, 1})(
      *bench.queue, {numbers.size(), 1}, glcl::upload_values(context, numbers), out);
  std::vector<cl_float2> found(numbers.size());
  bench.queue->cl().enqueueReadBuffer(out, CL_TRUE, 0, bytes, found.data());
  return found;
}

/// The options for the device, and for one without fused multiply-add.
std::vector<std::string> arithmetics() {
  const std::string own = Bench().context->device().options();
  return own.empty() ? std::vector<std::string>{"", "-DNO_FMA"} : std::vector<std::string>{own};
}

/// The distance of a float from the exact number, in steps of floats at that number.
double ulps(float found, double exact) {
  const auto nearest = std::abs(static_cast<float>(exact));
  return std::abs(found - exact) / (std::nextafter(nearest, INFINITY) - nearest);
}

}  // namespace

// Unit vectors of angles between -100 and 100, near multiples of quarter turns, too.
TEST(test_unit_vectors) {
  std::vector<cl_float4> angles(1 << 20);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(-100, 100), small(-7, 7), tiny(-1e-3f, 1e-3f);
  std::uniform_int_distribution<int> turns(-63, 63);
  const double quarter = std::acos(0.0);
  for (size_t i = 0; i < angles.size(); i++)
    angles[i].s[0] = i % 3 == 0   ? any(random)
                     : i % 3 == 1 ? small(random)
                                  : static_cast<float>(turns(random) * quarter) + tiny(random);
  angles[0].s[0] = 0;
  const std::vector<cl_float2> found =
      results("common/unitvector.clh", "", "unit_vector(a)", angles);
  double most = 0;
  for (size_t i = 0; i < angles.size(); i++) {
    const double angle = angles[i].s[0],
                 error = std::max(std::abs(found[i].s[0] - std::cos(angle)),
                                  std::abs(found[i].s[1] - std::sin(angle)));
    fail_unless(error <= 1.5 * 0x1p-24, "unit_vector(%.9g) is (%.9g, %.9g), %.2f × 2^-24 off",
                angle, found[i].s[0], found[i].s[1], error * 0x1p24);
    most = std::max(most, error);
  }
  std::printf("unit_vector: the largest error is %.3f × 2^-24\n", most * 0x1p24);
  fail_unless(found[0].s[0] == 1 && found[0].s[1] == 0, "unit_vector(0)");
}

// Products and sums that nearly cancel, and others.
TEST(test_fused) {
  std::vector<cl_float4> numbers(1 << 18);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-20, 20);
  const auto number = [&] {
    return std::ldexp(random() % 2 ? mantissa(random) : -mantissa(random), exponent(random));
  };
  for (size_t i = 0; i < numbers.size(); i++) {
    const float a = number(), b = number(), near = -(a * b);
    const float c = i % 4 == 0   ? near
                    : i % 4 == 1 ? std::nextafter(near, 0.0f)
                    : i % 4 == 2 ? near * mantissa(random)
                                 : number();
    numbers[i] = {{a, b, c, 0}};
  }
  numbers[0] = {{0, 3, 5, 0}};
  for (const std::string &options : arithmetics()) {
    const std::vector<cl_float2> found =
        results("common/fused.clh", options, "fused(a, b, c), 0.0f", numbers);
    size_t off = 0;
    for (size_t i = 0; i < numbers.size(); i++) {
      const auto [a, b, c, none] = numbers[i].s;
      const float expected = std::fma(a, b, c), got = found[i].s[0];
      // Without cancellation a rounding may go to the other neighbour.
      fail_unless(i % 4 < 2 ? got == expected : ulps(got, expected) <= 1,
                  "%s: %.9g × %.9g + %.9g is %.9g, expected %.9g", options.c_str(), a, b, c, got,
                  expected);
      off += got != expected;
    }
    std::printf("fused%s: %zu of %zu are not the nearest number\n", options.c_str(), off,
                numbers.size());
    fail_unless(off * 1000 <= numbers.size(), "%zu of %zu are not the nearest number", off,
                numbers.size());
  }
}
