// SPDX-License-Identifier: LGPL-2.1-or-later
#include "import.h"

#include <CL/cl_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "descriptors.h"
#include "deviceinfo.h"

namespace glcl_layer {

namespace {

cl_icd_dispatch real;

struct State {
  std::mutex mutex;
  std::map<cl_mem, int> numbers;  // by which objects were imported
  std::map<int, int> counts;      // by number, of imports less releases
};

State &state() {
  static auto *the = new State;
  return *the;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                   void *value, size_t *size_ret) {
  return device_info_with(real, " cl_khr_external_memory cl_khr_external_memory_dma_buf", device,
                          what, size, value, size_ret);
}

struct Mapping {
  void *memory;
  size_t bytes;
};

void CL_CALLBACK unmap(cl_mem, void *data) {
  const auto *mapping = static_cast<Mapping *>(data);
  munmap(mapping->memory, mapping->bytes);
  delete mapping;
}

cl_mem CL_API_CALL create_image(cl_context context, const cl_mem_properties *properties,
                                cl_mem_flags flags, const cl_image_format *format,
                                const cl_image_desc *description, void *host, cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  if (!properties || !properties[0])
    return real.clCreateImage(context, flags, format, description, host, status);
  *status = CL_INVALID_PROPERTY;
  if (properties[0] != CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR || !description->image_row_pitch)
    return nullptr;
  const int number = static_cast<int>(properties[1]);
  const size_t bytes = description->image_row_pitch * description->image_height;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
  if (memory == MAP_FAILED) return nullptr;
  const cl_mem image =
      real.clCreateImage(context, flags | CL_MEM_USE_HOST_PTR, format, description, memory, status);
  if (!image) {
    munmap(memory, bytes);
    return nullptr;
  }
  real.clSetMemObjectDestructorCallback(image, unmap, new Mapping{memory, bytes});
  const std::lock_guard lock(state().mutex);
  state().numbers[image] = number;
  state().counts[number]++;
  return image;
}

cl_int CL_API_CALL release(cl_mem object) {
  cl_uint references = 0;
  real.clGetMemObjectInfo(object, CL_MEM_REFERENCE_COUNT, sizeof references, &references, nullptr);
  int closed = -1;
  {
    const std::lock_guard lock(state().mutex);
    const auto known = state().numbers.find(object);
    if (known != state().numbers.end()) {
      const auto count = state().counts.find(known->second);
      if (count != state().counts.end() && --count->second == 0) {
        closed = count->first;
        state().counts.erase(count);
      }
      if (references == 1) state().numbers.erase(known);
    }
  }
  if (closed >= 0) close(closed);
  return real.clReleaseMemObject(object);
}

/// Acquire and release alike: the memory is the host's.
cl_int CL_API_CALL cross(cl_command_queue queue, cl_uint, const cl_mem *, cl_uint events,
                         const cl_event *wait, cl_event *event) {
  return real.clEnqueueMarkerWithWaitList(queue, events, wait, event);
}

void *CL_API_CALL function_address(cl_platform_id platform, const char *name) {
  for (const char *known :
       {"clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"})
    if (!std::strcmp(name, known)) return reinterpret_cast<void *>(cross);
  return real.clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void import_dma_bufs(cl_icd_dispatch &driver) {
  if (!std::getenv("GLCL_IMPORTS")) return;
  real = driver;
  descriptors_of_driver(library_of(reinterpret_cast<const void *>(release)));
  driver.clGetDeviceInfo = get_device_info;
  driver.clCreateImageWithProperties = create_image;
  driver.clReleaseMemObject = release;
  driver.clGetExtensionFunctionAddressForPlatform = function_address;
}

}  // namespace glcl_layer
