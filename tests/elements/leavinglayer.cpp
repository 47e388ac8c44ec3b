// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL layer for the ICD loader (OPENCL_LAYERS). It simulates a driver whose compiler is slow
// and crashes after exit(): a context, a build or a launch after the layer's static objects were
// destroyed aborts the process. It prints a line when build number GLCL_TEST_BUILD begins; build 0
// is the first context. With GLCL_TEST_ENDLESS no build ends.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "layer/entry.h"

namespace {

cl_icd_dispatch target, layer;

/// An object of the compiler that exit() destroys, with time for the compiler to notice.
std::atomic<bool> gone{false}, busy{false};
struct Statics {
  ~Statics() {
    gone = true;
    if (busy) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
};

void say(const char *text, size_t size) {
  if (write(STDOUT_FILENO, text, size) < 0) std::abort();
}

void work() {
  static const Statics set_up_while_it_runs;
  busy = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (gone) std::abort();
  busy = false;
}

cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                      const cl_device_id *devices,
                                      void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                void *),
                                      void *data, cl_int *error) {
  const char *build = std::getenv("GLCL_TEST_BUILD");
  static std::atomic<bool> first{build && std::atoi(build) == 0};
  if (first.exchange(false)) {
    say("creating\n", 9);
    work();
  }
  return target.clCreateContext(properties, count, devices, notify, data, error);
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options,
                         void(CL_CALLBACK *notify)(cl_program program, void *user_data),
                         void *data) {
  while (std::getenv("GLCL_TEST_ENDLESS")) pause();
  static std::atomic<int> left{std::atoi(std::getenv("GLCL_TEST_BUILD"))};
  if (--left == 0) {
    say("building\n", 9);
    work();
  }
  static const Statics set_up_by_the_first;
  if (gone) std::abort();
  return target.clBuildProgram(program, count, devices, options, notify, data);
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint count, const cl_event *wait, cl_event *event) {
  if (gone) std::abort();
  return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count,
                                       wait, event);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl a compiler that exit destroys", parameter, size, value,
                                size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = glcl_layer::take_dispatch(entries, before, target);
  layer = target;
  layer.clCreateContext = create_context;
  layer.clBuildProgram = build;
  layer.clEnqueueNDRangeKernel = enqueue;
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
