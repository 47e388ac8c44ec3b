// SPDX-License-Identifier: LGPL-2.1-or-later
// Every struct of an interface.h has the same layout in C++ and on the device.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernels/engine.h"
#include "opencl/source.h"

namespace {

struct Interface {
  std::string file, stores;                             // OpenCL C: out[i] = the number of entry i
  std::vector<std::pair<std::string, size_t>> numbers;  // structs' sizes, members' offsets, bytes
};

}  // namespace

#include "kernels/opencl/interfaces.inc"

TEST(test_layouts) {
  const Bench bench;
  for (const Interface &one : interfaces) {
    const cl::Program program(bench.context->cl(),
                              glcl::kernel_source(one.file) +
                                  "\n__kernel void store_layout(__global uint *out) { " +
                                  one.stores + " }");
    program.build({bench.context->device().device}, "");
    std::vector<cl_uint> device(one.numbers.size());
    const cl::Buffer out(bench.context->cl(), CL_MEM_READ_WRITE, device.size() * sizeof(cl_uint));
    glcl::Kernel(*bench.context, program, "store_layout", {1, 1})(*bench.queue, {1, 1}, out);
    bench.queue->cl().enqueueReadBuffer(out, CL_TRUE, 0, device.size() * sizeof(cl_uint),
                                        device.data());
    for (size_t i = 0; i < device.size(); i++)
      fail_unless(device[i] == one.numbers[i].second, "%s: %s is %u on the device, %zu in C++",
                  one.file.c_str(), one.numbers[i].first.c_str(), device[i], one.numbers[i].second);
  }
  fail_unless(!interfaces.empty());
}
