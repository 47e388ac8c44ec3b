// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls functions of kernel files, for tests of the tables kernels/*/tuned.clh.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernels/engine.h"
#include "kernels/limit.h"
#include "opencl/source.h"

/// A kernel that includes files and calls their functions. `body` stores a number in *out; a and b
/// are numbers, `in` is an array.
class Probe {
 public:
  Probe(const std::vector<std::string> &files, const std::string &options,
        const std::string &body) {
    std::string source;
    for (const std::string &file : files) source += glcl::kernel_source(file) + "\n";
    program_ = cl::Program(
        bench_.context->cl(),
        source +
            "__kernel void probe(float a, float b, __global const float *in, __global float *out)"
            " {\n" +
            body + "\n}");
    const glcl::Device &device = bench_.context->device();
    program_.build({device.device}, (options + device.options()).c_str());
    kernel_ = glcl::Kernel(*bench_.context, program_, "probe", {1, 1});
  }

  float operator()(double a, double b = 0, std::vector<float> in = {0}) {
    const cl::Buffer values(bench_.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            in.size() * sizeof in[0], in.data());
    kernel_(*bench_.queue, {1, 1}, float(a), float(b), values, out_);
    float result = NAN;
    bench_.queue->cl().enqueueReadBuffer(out_, CL_TRUE, 0, sizeof result, &result);
    return result;
  }

  /// The values of a at which the result begins and stops to change. It rises or falls linearly
  /// between 0 and 1 there.
  void expect_ramp(double low, double high, double first, double last, const char *what,
                   double b = 0) {
    const auto at = [&](double part) {
      return limit(low, high, [&](float a) { return (*this)(a, b) > part; });
    };
    const bool rises = (*this)(high, b) > (*this)(low, b);
    expect_number(at(rises ? 0.002 : 0.998), first, what);
    expect_number(at(rises ? 0.998 : 0.002), last, what);
  }

 private:
  Bench bench_;
  cl::Program program_;
  glcl::Kernel kernel_;
  cl::Buffer out_{bench_.context->cl(), CL_MEM_READ_WRITE, 4096};  // the rest is for bodies
};
