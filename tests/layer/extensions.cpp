// SPDX-License-Identifier: LGPL-2.1-or-later
// extensions LAYER: functions that are fetched by their names, which no driver of the tests has,
// and user events: the layer sees their objects and makes them fail.
#include <CL/cl_layer.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "control.h"
#include "functions.h"

namespace {

int failures = 0;

void expect(bool condition, const char *what) {
  if (condition) return;
  std::printf("FAIL: %s\n", what);
  failures++;
}

// The driver below the layer.
int reached = 0;
cl_semaphore_khr CL_API_CALL create(cl_context, const cl_semaphore_properties_khr *,
                                    cl_int *status) {
  reached++;
  *status = CL_SUCCESS;
  return reinterpret_cast<cl_semaphore_khr>(uintptr_t(64));
}
cl_int CL_API_CALL release(cl_semaphore_khr) { return CL_SUCCESS; }
cl_int CL_API_CALL set_status(cl_event, cl_int) {
  reached++;
  return CL_SUCCESS;
}
void *CL_API_CALL address(cl_platform_id, const char *name) {
  if (!std::strcmp(name, "clCreateSemaphoreWithPropertiesKHR"))
    return reinterpret_cast<void *>(create);
  return !std::strcmp(name, "clReleaseSemaphoreKHR") ? reinterpret_cast<void *>(release) : nullptr;
}

template <class Function>
void find(void *library, Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  expect(function, name);
}

}  // namespace

int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    std::printf("FAIL: %s\n", dlerror());
    return 1;
  }
  pfn_clInitLayer init;
  decltype(&glcl_layer_plan) plan;
  decltype(&glcl_layer_objects) objects;
  decltype(&glcl_layer_injected) injected;
  find(library, init, "clInitLayer");
  find(library, plan, "glcl_layer_plan");
  find(library, objects, "glcl_layer_objects");
  find(library, injected, "glcl_layer_injected");
  if (failures) return 1;

  cl_icd_dispatch driver{};
  driver.clGetExtensionFunctionAddressForPlatform = address;
  driver.clSetUserEventStatus = set_status;
  const cl_icd_dispatch *layer = nullptr;
  cl_uint entries = 0;
  init(sizeof driver / sizeof(void *), &driver, &entries, &layer);
  const auto create_semaphore = reinterpret_cast<clCreateSemaphoreWithPropertiesKHR_fn>(
      layer->clGetExtensionFunctionAddressForPlatform(nullptr,
                                                      "clCreateSemaphoreWithPropertiesKHR"));
  const auto release_semaphore = reinterpret_cast<clReleaseSemaphoreKHR_fn>(
      layer->clGetExtensionFunctionAddressForPlatform(nullptr, "clReleaseSemaphoreKHR"));

  cl_int status = CL_SUCCESS;
  cl_semaphore_khr semaphore = create_semaphore(nullptr, nullptr, &status);
  expect(semaphore && reached == 1 && objects("clCreateSemaphore") == 1, "a semaphore lives");
  release_semaphore(semaphore);
  expect(objects(nullptr) == 0, "it is released");

  plan("clCreateSemaphoreWithPropertiesKHR:2");
  create_semaphore(nullptr, nullptr, &status);
  expect(status == CL_SUCCESS, "the first call works");
  semaphore = create_semaphore(nullptr, nullptr, &status);
  expect(!semaphore && status == CL_OUT_OF_RESOURCES && reached == 2, "the second one fails");
  expect(injected() == std::string("clCreateSemaphoreWithPropertiesKHR CL_OUT_OF_RESOURCES\n"),
         "it says so");

  plan("clSetUserEventStatus:1+:CL_OUT_OF_HOST_MEMORY");
  reached = 0;
  for (int i = 0; i < 2; i++)
    expect(layer->clSetUserEventStatus(nullptr, CL_COMPLETE) == CL_OUT_OF_HOST_MEMORY,
           "the status is not set");
  expect(reached == 0, "the driver hears nothing of it");

  // Random faults are as many as asked for, and the same ones for the same seed.
  std::string picked[3];
  for (int run = 0; run < 3; run++) {
    plan(run == 2 ? "random:2:10" : "random:1:10");
    for (int i = 0; i < 200; i++)
      picked[run] += layer->clSetUserEventStatus(nullptr, CL_COMPLETE) == CL_SUCCESS ? '.' : 'x';
  }
  int faults = 0;
  for (const char c : picked[0]) faults += c == 'x';
  expect(faults > 5 && faults < 60, "one in ten fails");
  expect(picked[0] == picked[1] && picked[0] != picked[2], "the seed decides which");

  release_semaphore(reinterpret_cast<cl_semaphore_khr>(uintptr_t(64)));
  return failures != 0;
}
