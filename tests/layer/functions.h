// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL functions that the layer stands before.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <CL/cl_icd.h>

// clang-format off
#define GLCL_FUNCTIONS(F) \
  F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo) \
  F(clCreateContext) F(clCreateContextFromType) F(clRetainContext) F(clReleaseContext) \
  F(clGetContextInfo) F(clCreateCommandQueue) F(clCreateCommandQueueWithProperties) \
  F(clRetainCommandQueue) F(clReleaseCommandQueue) F(clGetCommandQueueInfo) \
  F(clCreateBuffer) F(clCreateBufferWithProperties) F(clCreateSubBuffer) F(clCreateImage) \
  F(clCreateImageWithProperties) F(clCreateImage2D) F(clCreateImage3D) F(clRetainMemObject) \
  F(clReleaseMemObject) F(clGetSupportedImageFormats) F(clGetMemObjectInfo) F(clGetImageInfo) \
  F(clCreateSampler) F(clRetainSampler) F(clReleaseSampler) \
  F(clCreateProgramWithSource) F(clCreateProgramWithBinary) F(clRetainProgram) \
  F(clReleaseProgram) F(clBuildProgram) F(clCompileProgram) F(clLinkProgram) \
  F(clGetProgramInfo) F(clGetProgramBuildInfo) \
  F(clCreateKernel) F(clRetainKernel) F(clReleaseKernel) F(clSetKernelArg) F(clGetKernelInfo) \
  F(clGetKernelWorkGroupInfo) F(clGetKernelArgInfo) \
  F(clWaitForEvents) F(clGetEventInfo) F(clRetainEvent) F(clReleaseEvent) \
  F(clGetEventProfilingInfo) F(clCreateUserEvent) F(clSetUserEventStatus) F(clFlush) F(clFinish) \
  F(clEnqueueReadBuffer) F(clEnqueueReadBufferRect) F(clEnqueueWriteBuffer) \
  F(clEnqueueWriteBufferRect) F(clEnqueueCopyBuffer) F(clEnqueueCopyBufferRect) \
  F(clEnqueueFillBuffer) F(clEnqueueReadImage) F(clEnqueueWriteImage) F(clEnqueueCopyImage) \
  F(clEnqueueFillImage) F(clEnqueueCopyImageToBuffer) F(clEnqueueCopyBufferToImage) \
  F(clEnqueueMapBuffer) F(clEnqueueMapImage) F(clEnqueueUnmapMemObject) \
  F(clEnqueueMigrateMemObjects) F(clEnqueueNDRangeKernel) F(clEnqueueTask) \
  F(clEnqueueMarkerWithWaitList) F(clEnqueueBarrierWithWaitList) \
  F(clCreateFromGLBuffer) F(clCreateFromGLTexture) F(clCreateFromGLTexture2D) \
  F(clCreateFromGLTexture3D) F(clCreateFromGLRenderbuffer) F(clGetGLObjectInfo) \
  F(clGetGLTextureInfo) F(clEnqueueAcquireGLObjects) F(clEnqueueReleaseGLObjects) \
  F(clGetExtensionFunctionAddress) F(clGetExtensionFunctionAddressForPlatform)

// Those that are fetched by their names.
#define GLCL_EXTENSIONS(F) \
  F(clEnqueueAcquireExternalMemObjectsKHR) F(clEnqueueReleaseExternalMemObjectsKHR) \
  F(clCreateSemaphoreWithPropertiesKHR) F(clRetainSemaphoreKHR) F(clReleaseSemaphoreKHR) \
  F(clEnqueueWaitSemaphoresKHR) F(clEnqueueSignalSemaphoresKHR) \
  F(clCreateFromEGLImageKHR) F(clCreateEventFromEGLSyncKHR) \
  F(clEnqueueAcquireEGLObjectsKHR) F(clEnqueueReleaseEGLObjectsKHR)
// clang-format on

namespace glcl_layer {

/// A type per function, to choose hooks by.
namespace tag {
#define GLCL_TAG(function) \
  struct function {};
GLCL_FUNCTIONS(GLCL_TAG)
GLCL_EXTENSIONS(GLCL_TAG)
#undef GLCL_TAG
}  // namespace tag

/// The functions below the layer; only after the loader has loaded it.
const cl_icd_dispatch &driver();

}  // namespace glcl_layer
