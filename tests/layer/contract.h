// SPDX-License-Identifier: LGPL-2.1-or-later
// The contract of cl_khr_gl_sharing (OpenCL 1.2 extension specification, section 9.7.6) and the
// lifetime of OpenCL objects. dispatch.cpp calls before() ahead of every call and after() behind
// every one that succeeded, with the function's tag; a function without rules of its own falls
// through to the first pair. All of it with state_mutex() held.
#pragma once

#include "functions.h"
#include "timeline.h"

namespace glcl_layer {

inline void before(...) {}
inline void after(...) {}

void before(tag::clEnqueueNDRangeKernel, cl_command_queue, cl_kernel, ...);
void before(tag::clEnqueueTask, cl_command_queue, cl_kernel, ...);
void before(tag::clEnqueueMigrateMemObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void before(tag::clEnqueueAcquireGLObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void before(tag::clEnqueueReleaseGLObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void before(tag::clCreateFromGLTexture, cl_context, ...);

void after(tag::clCreateContext, cl_context, const cl_context_properties *, ...);
void after(tag::clCreateCommandQueue, cl_command_queue, cl_context, cl_device_id, ...);
void after(tag::clCreateCommandQueueWithProperties, cl_command_queue, cl_context, cl_device_id,
           ...);
void after(tag::clCreateKernel, cl_kernel, ...);
void after(tag::clSetKernelArg, cl_int, cl_kernel, cl_uint, size_t, const void *, ...);
void after(tag::clCreateFromGLTexture, cl_mem, cl_context, cl_mem_flags, cl_GLenum, cl_GLint,
           cl_GLuint, ...);
void after(tag::clCreateFromGLTexture2D, cl_mem, cl_context, cl_mem_flags, cl_GLenum, cl_GLint,
           cl_GLuint, ...);
void after(tag::clEnqueueAcquireGLObjects, cl_int, cl_command_queue, cl_uint, const cl_mem *, ...);
void after(tag::clEnqueueReleaseGLObjects, cl_int, cl_command_queue, cl_uint, const cl_mem *, ...);
void after(tag::clFinish, cl_int, cl_command_queue, ...);
void after(tag::clWaitForEvents, cl_int, cl_uint, const cl_event *, ...);

/// These were made to fail. Whoever called them can't hand the objects over any more, so that what
/// OpenGL does with them until the error has stopped the pipeline is no violation.
void refused(tag::clEnqueueReleaseGLObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void refused(tag::clFinish, cl_command_queue, ...);
inline void refused(...) {}

/// A command uses a memory object.
void uses(const char *call, cl_command_queue queue, cl_mem object);
/// A command was enqueued; a blocking one is done, and everything before it.
void enqueued(cl_command_queue queue, bool blocking, const cl_event *event);

void created(const char *call, const void *object);
void retained(const void *object);
void released(const char *call, const void *object);

/// OpenGL is about to use the texture, give it other storage, or delete it.
void gl_uses(const char *call, const TextureKey &texture);
void gl_replaces(const char *call, const TextureKey &texture);

/// OpenCL objects that nobody released. At exit.
void report_leaks();

}  // namespace glcl_layer
