// SPDX-License-Identifier: LGPL-2.1-or-later
// Defines every OpenCL function that the project uses. Each calls the function of the same name in
// the loader, and fails with CL_PLATFORM_NOT_FOUND_KHR without a loader.
#include "loader.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <dlfcn.h>

#include <tuple>
#include <type_traits>

namespace {

struct Loader {
  Loader() : library(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (!library) load_error = dlerror();
  }
  void *const library;  // never closed: drivers crash when unloaded
  std::string load_error;
};

const Loader &loader() {
  static const auto *opened = new Loader;
  return *opened;
}

template <class Function>
struct Signature;
template <class Of, class... Arguments>
struct Signature<Of(Arguments...)> {
  using Result = Of;
  template <size_t index>
  using Argument = std::tuple_element_t<index, std::tuple<Arguments...>>;
};

/// The result of a missing function: the error, or null and the error in the last argument.
template <class Result, class... Arguments>
Result missing(Arguments... arguments) {
  const cl_int error = loader().library ? CL_INVALID_OPERATION : CL_PLATFORM_NOT_FOUND_KHR;
  if constexpr (std::is_same_v<Result, cl_int>) {
    return error;
  } else {
    const auto last = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    if constexpr (std::is_same_v<decltype(last), cl_int *const>)
      if (last) *last = error;
    return nullptr;
  }
}

}  // namespace

namespace glcl {

const std::string &loader_obstacle() { return loader().load_error; }

void *loader_function(const char *name) {
  return loader().library ? dlsym(loader().library, name) : nullptr;
}

}  // namespace glcl

#define PARAMETER(function, index) Signature<decltype(function)>::Argument<index> a##index
#define PARAMETERS_1(function) PARAMETER(function, 0)
#define PARAMETERS_2(function) PARAMETERS_1(function), PARAMETER(function, 1)
#define PARAMETERS_3(function) PARAMETERS_2(function), PARAMETER(function, 2)
#define PARAMETERS_4(function) PARAMETERS_3(function), PARAMETER(function, 3)
#define PARAMETERS_5(function) PARAMETERS_4(function), PARAMETER(function, 4)
#define PARAMETERS_6(function) PARAMETERS_5(function), PARAMETER(function, 5)
#define PARAMETERS_7(function) PARAMETERS_6(function), PARAMETER(function, 6)
#define PARAMETERS_8(function) PARAMETERS_7(function), PARAMETER(function, 7)
#define PARAMETERS_9(function) PARAMETERS_8(function), PARAMETER(function, 8)
#define PARAMETERS_10(function) PARAMETERS_9(function), PARAMETER(function, 9)
#define PARAMETERS_11(function) PARAMETERS_10(function), PARAMETER(function, 10)
#define PARAMETERS_12(function) PARAMETERS_11(function), PARAMETER(function, 11)
#define PARAMETERS_13(function) PARAMETERS_12(function), PARAMETER(function, 12)
#define PARAMETERS_14(function) PARAMETERS_13(function), PARAMETER(function, 13)

#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define ARGUMENTS_13 ARGUMENTS_12, a12
#define ARGUMENTS_14 ARGUMENTS_13, a13

// Hidden, so that no other library of the process calls these functions.
#define FORWARD(count, function)                                                                   \
  extern "C" __attribute__((visibility("hidden"))) Signature<decltype(function)>::Result function( \
      PARAMETERS_##count(function)) {                                                              \
    using Result = Signature<decltype(function)>::Result;                                          \
    static const auto real =                                                                       \
        reinterpret_cast<decltype(&(function))>(glcl::loader_function(#function));                 \
    return real ? real(ARGUMENTS_##count) : missing<Result>(ARGUMENTS_##count);                    \
  }

FORWARD(6, clBuildProgram)
FORWARD(5, clCreateBuffer)
FORWARD(5, clCreateSubBuffer)
FORWARD(4, clCreateCommandQueue)
FORWARD(6, clCreateContext)
FORWARD(6, clCreateFromGLTexture)
FORWARD(6, clCreateImage)
FORWARD(3, clCreateKernel)
FORWARD(7, clCreateProgramWithBinary)
FORWARD(5, clCreateProgramWithSource)
FORWARD(5, clCreateSubDevices)
FORWARD(2, clCreateUserEvent)
FORWARD(6, clEnqueueAcquireGLObjects)
FORWARD(4, clEnqueueBarrierWithWaitList)
FORWARD(9, clEnqueueCopyBuffer)
FORWARD(13, clEnqueueCopyBufferRect)
FORWARD(9, clEnqueueCopyBufferToImage)
FORWARD(9, clEnqueueCopyImage)
FORWARD(9, clEnqueueCopyImageToBuffer)
FORWARD(9, clEnqueueFillBuffer)
FORWARD(8, clEnqueueFillImage)
FORWARD(10, clEnqueueMapBuffer)
FORWARD(12, clEnqueueMapImage)
FORWARD(4, clEnqueueMarkerWithWaitList)
FORWARD(9, clEnqueueNDRangeKernel)
FORWARD(9, clEnqueueReadBuffer)
FORWARD(14, clEnqueueReadBufferRect)
FORWARD(11, clEnqueueReadImage)
FORWARD(6, clEnqueueReleaseGLObjects)
FORWARD(6, clEnqueueUnmapMemObject)
FORWARD(9, clEnqueueWriteBuffer)
FORWARD(14, clEnqueueWriteBufferRect)
FORWARD(11, clEnqueueWriteImage)
FORWARD(1, clFinish)
FORWARD(1, clFlush)
FORWARD(5, clGetCommandQueueInfo)
FORWARD(5, clGetContextInfo)
FORWARD(5, clGetDeviceIDs)
FORWARD(5, clGetDeviceInfo)
FORWARD(5, clGetEventInfo)
FORWARD(5, clGetEventProfilingInfo)
FORWARD(2, clGetExtensionFunctionAddressForPlatform)
FORWARD(5, clGetImageInfo)
FORWARD(6, clGetKernelArgInfo)
FORWARD(5, clGetKernelInfo)
FORWARD(6, clGetKernelWorkGroupInfo)
FORWARD(5, clGetMemObjectInfo)
FORWARD(3, clGetPlatformIDs)
FORWARD(5, clGetPlatformInfo)
FORWARD(6, clGetProgramBuildInfo)
FORWARD(5, clGetProgramInfo)
FORWARD(6, clGetSupportedImageFormats)
FORWARD(1, clReleaseCommandQueue)
FORWARD(1, clReleaseContext)
FORWARD(1, clReleaseDevice)
FORWARD(1, clReleaseEvent)
FORWARD(1, clReleaseKernel)
FORWARD(1, clReleaseMemObject)
FORWARD(1, clReleaseProgram)
FORWARD(1, clRetainCommandQueue)
FORWARD(1, clRetainContext)
FORWARD(1, clRetainDevice)
FORWARD(1, clRetainEvent)
FORWARD(1, clRetainKernel)
FORWARD(1, clRetainMemObject)
FORWARD(1, clRetainProgram)
FORWARD(4, clSetEventCallback)
FORWARD(4, clSetKernelArg)
FORWARD(2, clSetUserEventStatus)
FORWARD(2, clWaitForEvents)
