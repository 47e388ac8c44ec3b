// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contract.h"

#include <CL/cl_gl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "descriptors.h"
#include "eglobjects.h"
#include "record.h"

namespace glcl_layer {

namespace {

struct Queue {
  cl_context context = nullptr;
  bool gl_event = false;  // the device orders acquire and release by itself
  uint64_t issued = 0, done = 0;
  std::map<cl_command_queue, uint64_t> waited_for;  // so much of each other queue
  cl_event waits_for = nullptr;                     // a user event that is not complete
  Clock after_gl;                                   // OpenGL's work that it waits for by itself
};

/// How OpenCL gets an image of OpenGL: the functions that acquire and release it.
enum class Way { gl, external, egl };

/// An acquire of a queue that waits for a user event: OpenGL has to do the work before that event.
struct PendingAcquire {
  std::string call, object;
  Clock work;
};

/// An image of a GL texture or of its EGLImage, or of memory that OpenGL imports or exports too.
struct Image {
  cl_context context = nullptr;
  TextureKey texture;
  Way way = Way::gl;
  std::string memory;
  cl_command_queue acquired_on = nullptr;
  cl_command_queue used_on = nullptr;  // last
  uint64_t used_at = 0;
  cl_command_queue released_on = nullptr;
  uint64_t released_at = 0;
  cl_command_queue refused_on = nullptr;  // its release, which may be tried again
  bool stale = false;                     // the texture has gone
};

struct Object {
  std::string creator;
  int references = 1;
};

struct State {
  std::map<const void *, Object> objects;
  std::map<cl_context, const void *> gl_contexts;
  std::map<cl_command_queue, Queue> queues;
  std::map<cl_event, std::pair<cl_command_queue, uint64_t>> events;
  std::map<cl_event, std::vector<PendingAcquire>> user_events;
  std::map<cl_kernel, std::map<cl_uint, cl_mem>> arguments;
  std::map<cl_mem, Image> images;
  std::map<TextureKey, std::string> memories;  // of textures that have some in common with others
};

State &state() {
  static auto *the = new State;
  return *the;
}

std::string name(cl_mem object) {
  const Image &image = state().images[object];
  return "image " + hex(object) + " of " +
         (image.way == Way::external ? "memory " + image.memory : texture_name(image.texture));
}

Image *image_of(cl_mem object) {
  const auto known = state().images.find(object);
  return known != state().images.end() ? &known->second : nullptr;
}

bool shows(const Image &image, const TextureKey &texture) {
  if (image.way != Way::external) return image.texture == texture;
  const auto of_texture = state().memories.find(texture);
  return !image.memory.empty() && of_texture != state().memories.end() &&
         of_texture->second == image.memory;
}

/// OpenGL's work on the texture, or on every one that may be the image's.
Clock gl_work(const Image &image, const Queue &on) {
  if (image.way == Way::gl)
    return gl_work_on(image.texture, on.gl_event ? state().gl_contexts[on.context] : nullptr);
  Clock work;
  if (image.way == Way::egl) {
    work = gl_work_on(image.texture);
    drop_done(work, on.after_gl);
    return work;
  }
  for (const auto &[texture, memory] : state().memories)
    if (memory == image.memory) join(work, gl_work_on(texture));
  return work;
}

void require_gl_context(const char *call, cl_context context, const std::string &object) {
  const auto made_with = state().gl_contexts.find(context);
  if (made_with == state().gl_contexts.end())
    violation(call, object, "the OpenCL context was not made from a GL context");
  else if (!current_gl_context())
    violation(call, object, "no GL context is current on this thread");
  else if (current_gl_context() != made_with->second)
    violation(call, object, "another GL context is current than the OpenCL context was made from");
}

void require_fresh(const char *call, cl_mem object) {
  if (image_of(object)->stale)
    violation(call, name(object), "stale: OpenGL has deleted or respecified the texture");
}

/// True if later commands of the queue come after a command of another.
bool comes_after(cl_command_queue queue, cl_command_queue other, uint64_t command) {
  if (queue == other) return true;
  const auto known = state().queues.find(other);
  if (known == state().queues.end() || known->second.done >= command) return true;
  const auto waited = state().queues[queue].waited_for.find(other);
  return waited != state().queues[queue].waited_for.end() && waited->second >= command;
}

/// The queue's later commands wait for the events, and so for all that these came after.
void wait_for(cl_command_queue queue, cl_uint count, const cl_event *events) {
  Queue &on = state().queues[queue];
  const auto waits = [&](cl_command_queue other, uint64_t command) {
    if (other != queue) on.waited_for[other] = std::max(on.waited_for[other], command);
  };
  for (cl_uint i = 0; i < count; i++) {
    join(on.after_gl, work_before(events[i]));
    const auto event = state().events.find(events[i]);
    if (event == state().events.end()) continue;
    waits(event->second.first, event->second.second);
    const auto earlier = state().queues[event->second.first].waited_for;
    for (const auto &[other, command] : earlier) waits(other, command);
  }
}

void note_use(Image &image, cl_command_queue queue) {
  image.used_on = queue;
  image.used_at = state().queues[queue].issued + 1;
}

bool pending(const Image &image) {
  if (!image.released_on) return false;
  const auto queue = state().queues.find(image.released_on);
  return queue != state().queues.end() && queue->second.done < image.released_at;
}

void kernel_uses(const char *call, cl_command_queue queue, cl_kernel kernel) {
  if (kernels_off_gl() && current_gl_context())
    violation(call, "kernel " + hex(kernel), "enqueued on a thread of OpenGL");
  for (const auto &[index, object] : state().arguments[kernel])
    uses((std::string(call) + " argument " + std::to_string(index)).c_str(), queue, object);
}

bool lists_gl_event(cl_device_id device) {
  size_t size = 0;
  driver().clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, nullptr, &size);
  std::string extensions(size, '\0');
  driver().clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, extensions.data(), nullptr);
  return extensions.find("cl_khr_gl_event") != std::string::npos;
}

void forget_image(const char *call, cl_mem object) {
  Image &image = *image_of(object);
  if (image.acquired_on) violation(call, name(object), "destroyed while acquired by a queue");
  if (image.stale) violation(call, name(object), "outlived its texture");
  state().images.erase(object);
  egl_image_unused(object);
  for (auto &[kernel, arguments] : state().arguments)
    for (auto argument = arguments.begin(); argument != arguments.end();)
      argument = argument->second == object ? arguments.erase(argument) : std::next(argument);
}

void forget_queue(cl_command_queue queue) {
  // OpenCL 1.2, section 5.1: the queue goes when its commands have finished, without a wait.
  state().queues[queue].issued++;
}

}  // namespace

bool &kernels_off_gl() {
  static bool off = std::getenv("GLCL_KERNELS_OFF_GL") != nullptr;
  return off;
}

void uses(const char *call, cl_command_queue queue, cl_mem object) {
  Image *image = image_of(object);
  if (!image) return;
  require_fresh(call, object);
  if (!image->acquired_on)
    violation(call, name(object), "used without being acquired");
  else if (!comes_after(queue, image->used_on, image->used_at))
    violation(call, name(object), "used on a queue that does not wait for its last use");
  note_use(*image, queue);
}

void before(tag::clEnqueueNDRangeKernel, cl_command_queue queue, cl_kernel kernel, ...) {
  kernel_uses("clEnqueueNDRangeKernel", queue, kernel);
}

void before(tag::clEnqueueTask, cl_command_queue queue, cl_kernel kernel, ...) {
  kernel_uses("clEnqueueTask", queue, kernel);
}

void before(tag::clEnqueueMigrateMemObjects, cl_command_queue queue, cl_uint count,
            const cl_mem *objects, ...) {
  for (cl_uint i = 0; i < count; i++) uses("clEnqueueMigrateMemObjects", queue, objects[i]);
}

namespace {

/// The image, where it is one that goes by this call.
Image *shared(const char *call, cl_mem object, Way way) {
  Image *image = image_of(object);
  if (!image || image->way == way) return image;
  violation(call, name(object), "is shared in another way");
  return nullptr;
}

void require_done(const std::string &call, const std::string &object, const Clock &work) {
  if (!gl_has_done(work))
    violation(call, object,
              "OpenGL has work on the texture that was neither finished nor waited for");
}

void check_acquire(const char *call, cl_command_queue queue, cl_uint count, const cl_mem *objects,
                   Way way, cl_uint events, const cl_event *wait_list) {
  wait_for(queue, events, wait_list);
  const Queue &on = state().queues[queue];
  if (way == Way::gl) require_gl_context(call, on.context, "queue " + hex(queue));
  std::set<cl_mem> seen;
  for (cl_uint i = 0; i < count; i++) {
    const Image *image = shared(call, objects[i], way);
    if (!image) continue;
    require_fresh(call, objects[i]);
    if (image->acquired_on || !seen.insert(objects[i]).second)
      violation(call, name(objects[i]), "acquired already");
    if (image->released_on && !comes_after(queue, image->released_on, image->released_at))
      violation(call, name(objects[i]), "acquired on a queue that does not wait for its release");
    if (image->context != on.context)
      violation(call, name(objects[i]), "belongs to another OpenCL context than the queue");
    const Clock work = gl_work(*image, on);
    if (way == Way::external && on.waits_for)
      state().user_events[on.waits_for].push_back({call, name(objects[i]), work});
    else
      require_done(call, name(objects[i]), work);
  }
}

void check_release(const char *call, cl_command_queue queue, cl_uint count, const cl_mem *objects,
                   Way way, cl_uint events, const cl_event *wait_list) {
  wait_for(queue, events, wait_list);
  if (way == Way::gl)
    require_gl_context(call, state().queues[queue].context, "queue " + hex(queue));
  for (cl_uint i = 0; i < count; i++) {
    const Image *image = shared(call, objects[i], way);
    if (!image) continue;
    require_fresh(call, objects[i]);
    if (!image->acquired_on && image->refused_on) continue;  // tried again, on any queue
    if (!image->acquired_on)
      violation(call, name(objects[i]), "released without being acquired");
    else if (!comes_after(queue, image->used_on, image->used_at))
      violation(call, name(objects[i]), "released on a queue that does not wait for its last use");
  }
}

void acquired(cl_command_queue queue, cl_uint count, const cl_mem *objects) {
  for (cl_uint i = 0; i < count; i++)
    if (Image *image = image_of(objects[i])) {
      image->acquired_on = queue;
      image->released_on = image->refused_on = nullptr;
      note_use(*image, queue);
    }
}

void handed_back(cl_command_queue queue, cl_uint count, const cl_mem *objects) {
  for (cl_uint i = 0; i < count; i++)
    if (Image *image = image_of(objects[i])) {
      image->acquired_on = image->refused_on = nullptr;
      image->released_on = queue;
      image->released_at = state().queues[queue].issued;
    }
}

void lost(cl_uint count, const cl_mem *objects) {
  for (cl_uint i = 0; i < count; i++)
    if (Image *image = image_of(objects[i])) {
      image->refused_on = std::exchange(image->acquired_on, nullptr);
      image->released_on = nullptr;
    }
}

/// The descriptor of memory among an image's properties; -1 for none.
int descriptor_of(const cl_mem_properties *properties) {
  for (; properties && *properties; properties += 2)
    if (properties[0] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR ||
        properties[0] == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR)
      return static_cast<int>(properties[1]);
  return -1;
}

/// The driver closes the descriptor while it makes the image of it.
thread_local std::string memory_of_new_image;

}  // namespace

#define GLCL_ACQUIRE_AND_RELEASE(method, way)                                                 \
  void before(tag::clEnqueueAcquire##method, cl_command_queue queue, cl_uint count,           \
              const cl_mem *objects, cl_uint events, const cl_event *wait_list, ...) {        \
    check_acquire("clEnqueueAcquire" #method, queue, count, objects, way, events, wait_list); \
  }                                                                                           \
  void before(tag::clEnqueueRelease##method, cl_command_queue queue, cl_uint count,           \
              const cl_mem *objects, cl_uint events, const cl_event *wait_list, ...) {        \
    check_release("clEnqueueRelease" #method, queue, count, objects, way, events, wait_list); \
  }                                                                                           \
  void after(tag::clEnqueueAcquire##method, cl_int, cl_command_queue queue, cl_uint count,    \
             const cl_mem *objects, ...) {                                                    \
    acquired(queue, count, objects);                                                          \
  }                                                                                           \
  void after(tag::clEnqueueRelease##method, cl_int, cl_command_queue queue, cl_uint count,    \
             const cl_mem *objects, ...) {                                                    \
    handed_back(queue, count, objects);                                                       \
  }                                                                                           \
  void refused(tag::clEnqueueRelease##method, cl_command_queue, cl_uint count,                \
               const cl_mem *objects, ...) {                                                  \
    lost(count, objects);                                                                     \
  }
GLCL_ACQUIRE_AND_RELEASE(GLObjects, Way::gl)
GLCL_ACQUIRE_AND_RELEASE(ExternalMemObjectsKHR, Way::external)
GLCL_ACQUIRE_AND_RELEASE(EGLObjectsKHR, Way::egl)
#undef GLCL_ACQUIRE_AND_RELEASE

void after(tag::clCreateUserEvent, cl_event event, ...) { state().user_events[event]; }

void after(tag::clEnqueueBarrierWithWaitList, cl_int, cl_command_queue queue, cl_uint count,
           const cl_event *events, ...) {
  wait_for(queue, count, events);
  for (cl_uint i = 0; i < count; i++)
    if (state().user_events.count(events[i])) state().queues[queue].waits_for = events[i];
}

void before(tag::clSetUserEventStatus, cl_event event, ...) {
  for (const PendingAcquire &pending : state().user_events[event])
    require_done(pending.call, pending.object, pending.work);
  state().user_events.erase(event);
  for (auto &[handle, queue] : state().queues)
    if (queue.waits_for == event) queue.waits_for = nullptr;
}

void before(tag::clCreateImageWithProperties, cl_context, const cl_mem_properties *properties,
            ...) {
  memory_of_new_image = memory_of(descriptor_of(properties));
}

void before(tag::clReleaseMemObject, cl_mem object, ...) {
  const auto known = state().objects.find(object);
  Releasing::begins(object, known != state().objects.end() && known->second.references == 1);
}

void after(tag::clReleaseMemObject, cl_int, ...) { Releasing::ends(); }

void before(tag::clCreateFromGLTexture, cl_context context, ...) {
  require_gl_context("clCreateFromGLTexture", context, "context " + hex(context));
}

void after(tag::clCreateContext, cl_context context, const cl_context_properties *properties, ...) {
  for (; properties && *properties; properties += 2)
    if (properties[0] == CL_GL_CONTEXT_KHR)
      state().gl_contexts[context] = reinterpret_cast<const void *>(properties[1]);
}

void after(tag::clCreateCommandQueue, cl_command_queue queue, cl_context context,
           cl_device_id device, ...) {
  state().queues[queue] = {context, lists_gl_event(device)};
}

void after(tag::clCreateCommandQueueWithProperties, cl_command_queue queue, cl_context context,
           cl_device_id device, ...) {
  state().queues[queue] = {context, lists_gl_event(device)};
}

void after(tag::clCreateKernel, cl_kernel kernel, ...) { state().arguments.erase(kernel); }

void after(tag::clSetKernelArg, cl_int, cl_kernel kernel, cl_uint index, size_t size,
           const void *value, ...) {
  cl_mem object = nullptr;
  if (value && size == sizeof object) std::memcpy(&object, value, size);
  if (image_of(object))
    state().arguments[kernel][index] = object;
  else
    state().arguments[kernel].erase(index);
}

void after(tag::clCreateFromGLTexture, cl_mem object, cl_context context, cl_mem_flags, cl_GLenum,
           cl_GLint, cl_GLuint texture, ...) {
  state().images[object] = {context, {share_group(current_gl_context()), texture}};
}

void after(tag::clCreateFromGLTexture2D, cl_mem object, cl_context context, cl_mem_flags flags,
           cl_GLenum target, cl_GLint level, cl_GLuint texture, ...) {
  after(tag::clCreateFromGLTexture{}, object, context, flags, target, level, texture);
}

void after(tag::clCreateImageWithProperties, cl_mem object, cl_context context,
           const cl_mem_properties *properties, ...) {
  const int descriptor = descriptor_of(properties);
  if (descriptor < 0) return;
  descriptor_imported(descriptor, object);
  Image &image = state().images[object] = {context};
  image.way = Way::external;
  image.memory = memory_of_new_image;
}

void before(tag::clCreateFromEGLImageKHR, cl_context, const void *display, const void *handle,
            ...) {
  const EglImage *image = egl_image(handle);
  if (!image)
    violation("clCreateFromEGLImageKHR", "EGLImage " + hex(handle), "does not exist");
  else if (image->display != display)
    violation("clCreateFromEGLImageKHR", "EGLImage " + hex(handle), "belongs to another display");
}

void after(tag::clCreateFromEGLImageKHR, cl_mem object, cl_context context, const void *,
           const void *handle, ...) {
  const EglImage *of = egl_image(handle);
  if (!of) return;
  Image &image = state().images[object] = {context, of->texture};
  image.way = Way::egl;
  egl_image_used(handle, object);
}

void after(tag::clCreateEventFromEGLSyncKHR, cl_event event, cl_context, const void *sync, ...) {
  egl_event_created(event, sync);
}

namespace {
void gives_up(cl_command_queue queue) {
  for (auto &[object, image] : state().images)
    if (image.released_on == queue) image.released_on = nullptr;
}
}  // namespace

void refused(tag::clFinish, cl_command_queue queue, ...) { gives_up(queue); }

void refused(tag::clWaitForEvents, cl_uint count, const cl_event *events, ...) {
  for (cl_uint i = 0; i < count; i++) {
    const auto event = state().events.find(events[i]);
    if (event != state().events.end()) gives_up(event->second.first);
  }
}

void enqueued(cl_command_queue queue, bool blocking, const cl_event *event) {
  Queue &on = state().queues[queue];
  on.issued++;
  if (blocking) on.done = on.issued;
  if (!event) return;
  state().events[*event] = {queue, on.issued};
  created("an enqueue", *event);
}

void after(tag::clFinish, cl_int, cl_command_queue queue, ...) {
  state().queues[queue].done = state().queues[queue].issued;
}

void after(tag::clWaitForEvents, cl_int, cl_uint count, const cl_event *events, ...) {
  for (cl_uint i = 0; i < count; i++) {
    const auto event = state().events.find(events[i]);
    if (event == state().events.end()) continue;
    Queue &queue = state().queues[event->second.first];
    queue.done = std::max(queue.done, event->second.second);
  }
}

void created(const char *call, const void *object) { state().objects[object] = {call}; }

void retained(const void *object) {
  const auto known = state().objects.find(object);
  if (known != state().objects.end()) known->second.references++;
}

void released(const char *call, const void *object) {
  const auto known = state().objects.find(object);
  if (known == state().objects.end() || --known->second.references > 0) return;
  state().objects.erase(known);
  const auto handle = const_cast<void *>(object);
  if (image_of(static_cast<cl_mem>(handle))) forget_image(call, static_cast<cl_mem>(handle));
  if (state().queues.count(static_cast<cl_command_queue>(handle)))
    forget_queue(static_cast<cl_command_queue>(handle));
  state().events.erase(static_cast<cl_event>(handle));
  state().gl_contexts.erase(static_cast<cl_context>(handle));
  for (const auto &[image, of] : state().images)
    if (of.context == handle && of.acquired_on)
      violation(call, name(image), "its context is destroyed while it is acquired");
}

std::string memory_of(int descriptor) {
  char name[128];
  struct stat status;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = readlink(link.c_str(), name, sizeof name);
  if (length < 0 || fstat(descriptor, &status) != 0) return {};
  const std::string target(name, length);
  if (target.rfind("/dmabuf", 0) != 0 && target.rfind("/memfd", 0) != 0) return {};
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

void gl_texture_of(const TextureKey &texture, const std::string &memory) {
  state().memories[texture] = memory;
}

void gl_uses(const char *call, const TextureKey &texture) {
  for (const auto &[object, image] : state().images) {
    if (!shows(image, texture) || image.stale) continue;
    const Queue &released_on = state().queues[image.released_on];
    const bool ordered = released_on.gl_event && image.way == Way::gl &&
                         current_gl_context() == state().gl_contexts[image.context];
    if (image.acquired_on)
      violation(call, name(object), "used by OpenGL while acquired by a queue");
    else if (pending(image) && !ordered)
      violation(call, name(object), "used by OpenGL before OpenCL was finished after its release");
  }
}

void gl_replaces(const char *call, const TextureKey &texture) {
  for (auto &[object, image] : state().images) {
    if (!shows(image, texture) || image.stale) continue;
    if (image.acquired_on)
      violation(call, name(object), "deleted or respecified by OpenGL while acquired by a queue");
    image.stale = image.way != Way::external;  // imported memory outlives the texture
  }
  state().memories.erase(texture);
}

long living(const std::string &creator) {
  return std::count_if(state().objects.begin(), state().objects.end(), [&](const auto &known) {
    return known.second.creator.rfind(creator, 0) == 0;
  });
}

void report_leaks() {
  for (const auto &[handle, object] : state().objects)
    violation("exit", "object " + hex(handle) + " of " + object.creator,
              "leaked with " + std::to_string(object.references) + " references");
}

}  // namespace glcl_layer
