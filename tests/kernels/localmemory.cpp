// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL layer for the ICD loader (OPENCL_LAYERS) that fills local memory before each kernel, in
// turn with all bits 1 and with the least int. The former is NaN as a float, which no calculation
// can make 0; the latter has no magnitude. A kernel that reads local memory before it writes there
// differs from the reference.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "layer/entry.h"

namespace {

constexpr size_t most_bytes = 1 << 16, groups = 4;

cl_icd_dispatch target, layer;
std::mutex mutex;

constexpr char source[] =
    "__kernel void fill(volatile __local uint16 *all, uint count, uint value) {\n"
    "  for (uint i = get_local_id(0); i < count; i += get_local_size(0)) all[i] = value;\n"
    "}";

/// With all its arguments. Null where it can't be built.
cl_kernel make(cl_context context, cl_device_id device) {
  const char *text = source;
  cl_ulong size = 0;
  const cl_program program = target.clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
  if (!program || target.clBuildProgram(program, 1, &device, "", nullptr, nullptr) ||
      target.clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, nullptr))
    return nullptr;
  const cl_kernel kernel = target.clCreateKernel(program, "fill", nullptr);
  target.clReleaseProgram(program);
  const size_t bytes = std::min<size_t>(size, most_bytes);
  const cl_uint count = static_cast<cl_uint>(bytes / sizeof(cl_uint16));
  if (!kernel || target.clSetKernelArg(kernel, 0, bytes, nullptr) ||
      target.clSetKernelArg(kernel, 1, sizeof count, &count))
    return nullptr;
  return kernel;
}

bool fill(cl_command_queue queue) {
  // A context lives as long as its kernel, so no other has its address.
  static std::map<std::pair<cl_context, cl_device_id>, cl_kernel> kernels;
  std::pair<cl_context, cl_device_id> key;
  if (target.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof key.first, &key.first,
                                   nullptr) ||
      target.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof key.second, &key.second, nullptr))
    return false;
  static cl_uint value;
  const std::lock_guard lock(mutex);
  value = value == ~0u ? 1u << 31 : ~0u;
  const auto [at, fresh] = kernels.try_emplace(key);
  if (fresh) at->second = make(key.first, key.second);
  const size_t items = groups;
  const size_t one = 1;
  return at->second && !target.clSetKernelArg(at->second, 2, sizeof value, &value) &&
         !target.clEnqueueNDRangeKernel(queue, at->second, 1, nullptr, &items, &one, 0, nullptr,
                                        nullptr);
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint count, const cl_event *wait, cl_event *event) {
  if (!fill(queue)) {
    std::fprintf(stderr, "local memory can't be filled\n");
    return CL_OUT_OF_RESOURCES;
  }
  return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                       wait, event);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl local memory without a value", parameter, size, value,
                                size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = glcl_layer::take_dispatch(entries, before, target);
  layer = target;
  layer.clEnqueueNDRangeKernel = enqueue;
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
