// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL layer for the ICD loader (OPENCL_LAYERS) that makes any device as small as devices are:
// groups of at most 256 work-items and 32 KiB of local memory, of which its driver uses some itself
// for each kernel that takes a pointer to it, as NVIDIA's does. It refuses launches that take more,
// and says so. With GLCL_TEST_GPU in the environment the device also is a GPU, with
// GLCL_TEST_NAME its name is no UTF-8. GLCL_TEST_LACKS
// names what PoCL's device "basic", then a GPU, has not: compiler, images, items of a group, local
// memory.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "layer/entry.h"

namespace {

constexpr cl_ulong most_local = 32 << 10, own_local = 64;
constexpr size_t most_items = 256;

cl_icd_dispatch target, layer;
std::mutex mutex;
std::set<cl_kernel> with_pointers;

/// Makes an answer of a query smaller.
template <class T>
void limit(void *value, size_t size, T most) {
  if (!value) return;
  T *values = static_cast<T *>(value);
  for (size_t i = 0; i < size / sizeof(T); i++) values[i] = std::min(values[i], most);
}

/// The missing features of this device.
std::string lacks(cl_device_id device) {
  size_t size = 0;
  target.clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size);
  std::string whole(size, '\0');
  target.clGetDeviceInfo(device, CL_DEVICE_NAME, size, whole.data(), nullptr);
  const char *what = std::getenv("GLCL_TEST_LACKS");
  return what && whole.rfind("basic", 0) == 0 ? what : "";
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                               size_t *size_ret) {
  size_t written = 0;
  const cl_int status = target.clGetDeviceInfo(device, name, size, value, &written);
  if (size_ret) *size_ret = written;
  if (status || !value) return status;
  if (name == CL_DEVICE_TYPE && std::getenv("GLCL_TEST_GPU"))
    *static_cast<cl_device_type *>(value) = CL_DEVICE_TYPE_GPU;
  if (name == CL_DEVICE_NAME && std::getenv("GLCL_TEST_NAME")) *static_cast<char *>(value) = '\xe9';
  if (name == CL_DEVICE_LOCAL_MEM_SIZE) limit(value, written, most_local);
  if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE || name == CL_DEVICE_MAX_WORK_ITEM_SIZES)
    limit(value, written, most_items);
  const std::string lacking = lacks(device);
  if (lacking.empty()) return CL_SUCCESS;
  if (name == CL_DEVICE_TYPE) *static_cast<cl_device_type *>(value) = CL_DEVICE_TYPE_GPU;
  if ((lacking == "compiler" && name == CL_DEVICE_COMPILER_AVAILABLE) ||
      (lacking == "images" && name == CL_DEVICE_IMAGE_SUPPORT))
    *static_cast<cl_bool *>(value) = CL_FALSE;
  if (lacking == "items" && name == CL_DEVICE_MAX_WORK_GROUP_SIZE)
    limit(value, written, most_items / 4);
  if (lacking == "local" && name == CL_DEVICE_LOCAL_MEM_SIZE)
    limit<cl_ulong>(value, written, 1 << 10);
  return CL_SUCCESS;
}

cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                              size_t size, void *value, size_t *size_ret) {
  const cl_int status =
      target.clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
  if (!status && name == CL_KERNEL_WORK_GROUP_SIZE) limit(value, sizeof(size_t), most_items);
  return status;
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  const std::lock_guard lock(mutex);
  if (!value && size > sizeof(cl_mem)) with_pointers.insert(kernel);
  return target.clSetKernelArg(kernel, index, size, value);
}

cl_int CL_API_CALL release(cl_kernel kernel) {
  cl_uint count = 0;
  target.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, nullptr);
  const std::lock_guard lock(mutex);
  if (count == 1) with_pointers.erase(kernel);
  return target.clReleaseKernel(kernel);
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint count, const cl_event *wait, cl_event *event) {
  cl_device_id device = nullptr;
  cl_ulong bytes = 0;
  target.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  target.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                  nullptr);
  size_t items = 1;
  for (cl_uint i = 0; local && i < dimensions; i++) items *= local[i];
  {
    const std::lock_guard lock(mutex);
    if (with_pointers.count(kernel)) bytes += own_local;
  }
  if (bytes > most_local || items > most_items) {
    char name[64] = "";
    target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
    std::fprintf(stderr, "%s takes %zu work-items and %llu bytes of local memory\n", name, items,
                 static_cast<unsigned long long>(bytes));
    return items <= most_items ? CL_OUT_OF_RESOURCES : CL_INVALID_WORK_GROUP_SIZE;
  }
  return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                       wait, event);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl a small device", parameter, size, value, size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = glcl_layer::take_dispatch(entries, before, target);
  layer = target;
  layer.clGetDeviceInfo = device_info;
  layer.clGetKernelWorkGroupInfo = group_info;
  layer.clSetKernelArg = set_argument;
  layer.clReleaseKernel = release;
  layer.clEnqueueNDRangeKernel = enqueue;
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
