// SPDX-License-Identifier: LGPL-2.1-or-later
// The contract of cl_khr_gl_sharing (OpenCL 1.2 extension specification, section 9.7.6), that of
// cl_khr_external_memory and cl_khr_egl_image, which is the same in other words, and the lifetime
// of OpenCL objects. Which texture shares its memory with an external image is known by the
// descriptors (a dma-buf, a memfd). Of other memory it is only known that OpenGL imported it: then
// OpenGL must be done with all such textures before an acquire, and its use of an acquired one goes
// unseen. dispatch.cpp calls before() ahead of every call and after() behind every one that
// succeeded, with the function's tag; a function without rules of its own falls through to the
// first pair. All of it with state_mutex() held.
#pragma once

#include "functions.h"
#include "timeline.h"

namespace glcl_layer {

inline void before(...) {}
inline void after(...) {}

void before(tag::clEnqueueNDRangeKernel, cl_command_queue, cl_kernel, ...);
void before(tag::clEnqueueTask, cl_command_queue, cl_kernel, ...);
void before(tag::clEnqueueMigrateMemObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void before(tag::clEnqueueAcquireGLObjects, cl_command_queue, cl_uint, const cl_mem *, cl_uint,
            const cl_event *, ...);
void before(tag::clEnqueueReleaseGLObjects, cl_command_queue, cl_uint, const cl_mem *, cl_uint,
            const cl_event *, ...);
void before(tag::clEnqueueAcquireExternalMemObjectsKHR, cl_command_queue, cl_uint, const cl_mem *,
            cl_uint, const cl_event *, ...);
void before(tag::clEnqueueReleaseExternalMemObjectsKHR, cl_command_queue, cl_uint, const cl_mem *,
            cl_uint, const cl_event *, ...);
void before(tag::clEnqueueAcquireEGLObjectsKHR, cl_command_queue, cl_uint, const cl_mem *, cl_uint,
            const cl_event *, ...);
void before(tag::clEnqueueReleaseEGLObjectsKHR, cl_command_queue, cl_uint, const cl_mem *, cl_uint,
            const cl_event *, ...);
void before(tag::clCreateFromEGLImageKHR, cl_context, const void *, const void *, ...);
void before(tag::clSetUserEventStatus, cl_event, ...);
void before(tag::clReleaseMemObject, cl_mem, ...);
void before(tag::clCreateFromGLTexture, cl_context, ...);
void before(tag::clCreateImageWithProperties, cl_context, const cl_mem_properties *, ...);

void after(tag::clCreateContext, cl_context, const cl_context_properties *, ...);
void after(tag::clCreateUserEvent, cl_event, ...);
void after(tag::clEnqueueBarrierWithWaitList, cl_int, cl_command_queue, cl_uint, const cl_event *,
           ...);
void after(tag::clCreateCommandQueue, cl_command_queue, cl_context, cl_device_id, ...);
void after(tag::clCreateCommandQueueWithProperties, cl_command_queue, cl_context, cl_device_id,
           ...);
void after(tag::clCreateKernel, cl_kernel, ...);
void after(tag::clSetKernelArg, cl_int, cl_kernel, cl_uint, size_t, const void *, ...);
void after(tag::clCreateFromGLTexture, cl_mem, cl_context, cl_mem_flags, cl_GLenum, cl_GLint,
           cl_GLuint, ...);
void after(tag::clCreateFromGLTexture2D, cl_mem, cl_context, cl_mem_flags, cl_GLenum, cl_GLint,
           cl_GLuint, ...);
void after(tag::clCreateImageWithProperties, cl_mem, cl_context, const cl_mem_properties *, ...);
void after(tag::clEnqueueAcquireGLObjects, cl_int, cl_command_queue, cl_uint, const cl_mem *, ...);
void after(tag::clEnqueueReleaseGLObjects, cl_int, cl_command_queue, cl_uint, const cl_mem *, ...);
void after(tag::clEnqueueAcquireExternalMemObjectsKHR, cl_int, cl_command_queue, cl_uint,
           const cl_mem *, ...);
void after(tag::clEnqueueReleaseExternalMemObjectsKHR, cl_int, cl_command_queue, cl_uint,
           const cl_mem *, ...);
void after(tag::clCreateFromEGLImageKHR, cl_mem, cl_context, const void *, const void *, ...);
void after(tag::clCreateEventFromEGLSyncKHR, cl_event, cl_context, const void *, ...);
void after(tag::clEnqueueAcquireEGLObjectsKHR, cl_int, cl_command_queue, cl_uint, const cl_mem *,
           ...);
void after(tag::clEnqueueReleaseEGLObjectsKHR, cl_int, cl_command_queue, cl_uint, const cl_mem *,
           ...);
void after(tag::clReleaseMemObject, cl_int, ...);
void after(tag::clFinish, cl_int, cl_command_queue, ...);
void after(tag::clWaitForEvents, cl_int, cl_uint, const cl_event *, ...);

/// True if kernels must not be enqueued on a thread with a current GL context. At first as
/// the environment variable GLCL_KERNELS_OFF_GL says.
bool &kernels_off_gl();

/// Calls that were made to fail. Their callers can't hand the objects over any more, so OpenGL's
/// use of them until the error has stopped the pipeline is no violation.
void refused(tag::clEnqueueReleaseGLObjects, cl_command_queue, cl_uint, const cl_mem *, ...);
void refused(tag::clEnqueueReleaseExternalMemObjectsKHR, cl_command_queue, cl_uint, const cl_mem *,
             ...);
void refused(tag::clEnqueueReleaseEGLObjectsKHR, cl_command_queue, cl_uint, const cl_mem *, ...);
void refused(tag::clFinish, cl_command_queue, ...);
void refused(tag::clWaitForEvents, cl_uint, const cl_event *, ...);
inline void refused(...) {}

/// A command uses a memory object.
void uses(const char *call, cl_command_queue queue, cl_mem object);
/// A command was enqueued; a blocking one is done, and everything before it.
void enqueued(cl_command_queue queue, bool blocking, const cl_event *event);

void created(const char *call, const void *object);
void retained(const void *object);
void released(const char *call, const void *object);

/// The memory behind a descriptor, if known.
std::string memory_of(int descriptor);
/// The texture lives in memory that others can import.
void gl_texture_of(const TextureKey &texture, const std::string &memory);

/// OpenGL is about to use the texture, give it other storage, or delete it.
void gl_uses(const char *call, const TextureKey &texture);
void gl_replaces(const char *call, const TextureKey &texture);

/// OpenCL objects that were not released. At exit.
void report_leaks();
/// Objects that live, of those that a function with a name that begins so has made.
long living(const std::string &creator);

}  // namespace glcl_layer
