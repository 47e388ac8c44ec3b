// SPDX-License-Identifier: LGPL-2.1-or-later
// Breaks each rule of the contract once, for images of GL textures, of external memory and of
// EGLImages, and keeps them all once: the checker must name the broken rule and no other.
#include <CL/cl_ext.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "contract.h"
#include "descriptors.h"
#include "eglobjects.h"
#include "record.h"

using namespace glcl_layer;

namespace {

std::vector<std::string> violations;
const void *current = nullptr;
std::string extensions;

cl_int CL_API_CALL device_info(cl_device_id, cl_device_info, size_t size, void *value,
                               size_t *needed) {
  if (needed) *needed = extensions.size() + 1;
  if (value) std::memcpy(value, extensions.c_str(), size);
  return CL_SUCCESS;
}

bool events_have_ended = false;

cl_int CL_API_CALL event_info(cl_event, cl_event_info, size_t size, void *value, size_t *) {
  const cl_int status = events_have_ended ? CL_COMPLETE : CL_SUBMITTED;
  std::memcpy(value, &status, size);
  return CL_SUCCESS;
}

/// A handle that no other has.
template <class T>
T fresh() {
  static uintptr_t count = 0;
  return reinterpret_cast<T>(count += 16);
}

enum class Kind { texture, ordered_texture, known_memory, unknown_memory, egl_image };
const char *const kind_names[] = {"GL texture", "GL texture, cl_khr_gl_event", "dma-buf or memfd",
                                  "opaque memory", "EGLImage"};

/// OpenGL and OpenCL with one texture between them, and what the layer sees of their calls.
struct World {
  explicit World(Kind kind) : kind(kind) {
    extensions = kind == Kind::ordered_texture ? "cl_khr_gl_event" : "cl_khr_icd";
    current = gl;
    gl_context_created(gl, nullptr);
    gl_context_created(other_gl, gl);
    make_context(context);
    make_context(other_context);
    make_queue(queue, context);
    make_queue(other_queue, context);
    make_queue(foreign_queue, other_context);
    make_image();
    set_argument();
  }

  bool is_texture() const { return kind < Kind::known_memory; }
  bool external() const { return kind == Kind::known_memory || kind == Kind::unknown_memory; }

  void make_context(cl_context made) const {
    const cl_context_properties properties[] = {CL_GL_CONTEXT_KHR,
                                                reinterpret_cast<cl_context_properties>(gl), 0};
    created("clCreateContext", made);
    after(tag::clCreateContext{}, made, is_texture() ? properties : nullptr);
  }
  static void make_queue(cl_command_queue made, cl_context of) {
    created("clCreateCommandQueue", made);
    after(tag::clCreateCommandQueue{}, made, of, cl_device_id{});
  }
  void make_image() {
    if (external()) {
      const int descriptor = kind == Kind::known_memory ? memfd_create("texture", MFD_CLOEXEC)
                                                        : open("/dev/null", O_RDWR);
      gl_texture_of(texture, memory_of(descriptor));
      const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                              static_cast<cl_mem_properties>(descriptor), 0};
      before(tag::clCreateImageWithProperties{}, context, properties);
      close(descriptor);
      after(tag::clCreateImageWithProperties{}, image, context, properties);
    } else if (kind == Kind::egl_image) {
      egl_image_created(egl_image, {display, texture, 64, 48});
      before(tag::clCreateFromEGLImageKHR{}, context, display, egl_image);
      after(tag::clCreateFromEGLImageKHR{}, image, context, display, egl_image);
    } else {
      before(tag::clCreateFromGLTexture{}, context);
      after(tag::clCreateFromGLTexture{}, image, context, CL_MEM_READ_WRITE, 0, 0, texture.second);
    }
    created("clCreate…", image);
  }
  void set_argument() { after(tag::clSetKernelArg{}, CL_SUCCESS, kernel, 0, sizeof image, &image); }

  void draw(const char *call = "glDrawArrays") {
    gl_uses(call, texture);
    gl_command(current, texture);
  }
  void wait_for_gl() { gl_finished(gl); }
  /// The queue waits for a user event.
  void wait_for_event() {
    after(tag::clCreateUserEvent{}, event);
    after(tag::clEnqueueBarrierWithWaitList{}, CL_SUCCESS, queue, 1, &event);
  }
  /// The queue waits for OpenGL's work so far, by an EGLSync.
  void wait_for_sync() {
    gl_fence(current, sync);
    after(tag::clCreateEventFromEGLSyncKHR{}, sync_event, context, sync);
    after(tag::clEnqueueBarrierWithWaitList{}, CL_SUCCESS, queue, 1, &sync_event);
  }
  void complete_event() { before(tag::clSetUserEventStatus{}, event); }

  template <class Tag>
  static void cross(Tag tag, cl_command_queue on, const std::vector<cl_mem> &objects) {
    const auto count = static_cast<cl_uint>(objects.size());
    before(tag, on, count, objects.data(), cl_uint(0), nullptr);
    after(tag, CL_SUCCESS, on, count, objects.data());
    enqueued(on, false, nullptr);
  }
  static void acquire_by(Kind by, cl_command_queue on, const std::vector<cl_mem> &objects) {
    if (by == Kind::egl_image)
      cross(tag::clEnqueueAcquireEGLObjectsKHR{}, on, objects);
    else if (by < Kind::known_memory)
      cross(tag::clEnqueueAcquireGLObjects{}, on, objects);
    else
      cross(tag::clEnqueueAcquireExternalMemObjectsKHR{}, on, objects);
  }
  void acquire(cl_command_queue on) const { acquire_by(kind, on, {image}); }
  void acquire() { acquire(queue); }
  void release(cl_command_queue on) {
    // The release is enqueued before it is noted.
    enqueued(on, false, nullptr);
    if (kind == Kind::egl_image)
      cross(tag::clEnqueueReleaseEGLObjectsKHR{}, on, {image});
    else if (external())
      cross(tag::clEnqueueReleaseExternalMemObjectsKHR{}, on, {image});
    else
      cross(tag::clEnqueueReleaseGLObjects{}, on, {image});
  }
  void release() { release(queue); }
  void refuse_release() {
    if (kind == Kind::egl_image)
      refused(tag::clEnqueueReleaseEGLObjectsKHR{}, queue, 1, &image);
    else if (external())
      refused(tag::clEnqueueReleaseExternalMemObjectsKHR{}, queue, 1, &image);
    else
      refused(tag::clEnqueueReleaseGLObjects{}, queue, 1, &image);
  }
  void compute(cl_command_queue on) {
    before(tag::clEnqueueNDRangeKernel{}, on, kernel);
    enqueued(on, false, nullptr);
  }
  void compute() { compute(queue); }
  void finish() { after(tag::clFinish{}, CL_SUCCESS, queue); }
  /// A marker behind all that the queue has been given.
  void mark() { enqueued(queue, false, &event); }
  /// Makes the other queue wait for all commands of the queue.
  void hand_to_other_queue() {
    mark();
    after(tag::clEnqueueBarrierWithWaitList{}, CL_SUCCESS, other_queue, 1, &event);
    enqueued(other_queue, false, nullptr);
  }
  void free_image() { released("clReleaseMemObject", image); }
  void free_all() {
    for (const void *context : {gl, other_gl}) gl_context_destroyed(context);
    for (const void *object : std::vector<const void *>{
             image, event, sync_event, queue, other_queue, foreign_queue, context, other_context})
      released("clRelease…", object);
  }

  const Kind kind;
  const void *gl = fresh<const void *>(), *other_gl = fresh<const void *>();
  cl_context context = fresh<cl_context>(), other_context = fresh<cl_context>();
  cl_command_queue queue = fresh<cl_command_queue>(), other_queue = fresh<cl_command_queue>(),
                   foreign_queue = fresh<cl_command_queue>();
  cl_kernel kernel = fresh<cl_kernel>();
  cl_event event = fresh<cl_event>(), sync_event = fresh<cl_event>();
  const void *display = fresh<const void *>(), *egl_image = fresh<const void *>(),
             *sync = fresh<const void *>();
  cl_mem image = fresh<cl_mem>();
  const TextureKey texture{gl, 7};
};

/// For which kinds a rule holds.
using Kinds = std::vector<Kind>;
const Kinds all = {Kind::texture, Kind::ordered_texture, Kind::known_memory, Kind::unknown_memory,
                   Kind::egl_image};
const Kinds textures = {Kind::texture, Kind::ordered_texture};
const Kinds of_textures = {Kind::texture, Kind::ordered_texture, Kind::egl_image};
const Kinds egl = {Kind::egl_image};
const Kinds host_ordered = {Kind::texture, Kind::known_memory, Kind::unknown_memory,
                            Kind::egl_image};
const Kinds imported = {Kind::known_memory, Kind::unknown_memory};
const Kinds traceable = {Kind::texture, Kind::ordered_texture, Kind::known_memory, Kind::egl_image};

struct Case {
  const char *rule;  // a part of what the checker says; empty for nothing
  Kinds kinds;
  std::function<void(World &)> act;
};

const Case cases[] = {
    {"", all,
     [](World &w) {
       for (int frame = 0; frame < 3; frame++) {
         w.draw();
         w.wait_for_gl();
         w.acquire();
         w.compute();
         w.release();
         w.finish();
       }
       w.draw();
     }},
    {"",
     {Kind::ordered_texture},
     [](World &w) {
       w.draw();
       w.acquire();
       w.compute();
       w.release();
       w.draw();
     }},
    {"", imported,
     [](World &w) {
       for (int frame = 0; frame < 3; frame++) {
         w.draw();
         w.wait_for_event();
         w.acquire();
         w.compute();
         w.wait_for_gl();
         w.complete_event();
         w.release();
         w.finish();
       }
     }},
    {"neither finished nor waited for", imported,
     [](World &w) {  // the event comes before OpenGL is done
       w.draw();
       w.wait_for_event();
       w.acquire();
       w.complete_event();
       w.release();
       w.finish();
       w.wait_for_gl();
     }},
    {"neither finished nor waited for", imported,
     [](World &w) {  // the queue has waited for an earlier event
       w.wait_for_event();
       w.complete_event();
       w.draw();
       w.acquire();
       w.release();
     }},
    {"", all,
     [](World &w) {  // a release that was made to fail is tried again
       w.acquire();
       w.refuse_release();
       w.release();
       w.finish();
       w.draw();
     }},
    {"", all,
     [](World &w) {  // on another queue
       w.acquire();
       w.refuse_release();
       w.hand_to_other_queue();
       w.release(w.other_queue);
       after(tag::clFinish{}, CL_SUCCESS, w.other_queue);
       w.draw();
     }},
    {"released without being acquired", all,
     [](World &w) {
       w.acquire();
       w.refuse_release();
       w.release();
       w.release();
     }},
    {"used without being acquired", all, [](World &w) { w.compute(); }},
    {"used without being acquired", all,
     [](World &w) { uses("clEnqueueMapImage", w.queue, w.image); }},
    {"used on a queue that does not wait for its last use", all,
     [](World &w) {
       w.acquire();
       w.compute(w.other_queue);
       w.release(w.other_queue);
     }},
    {"used on a queue that does not wait for its last use", all,
     [](World &w) {  // the other queue waits for what came before
       w.acquire();
       w.hand_to_other_queue();
       w.compute();
       w.compute(w.other_queue);
       w.release(w.other_queue);
     }},
    {"", all,
     [](World &w) {
       w.acquire();
       w.compute();
       w.hand_to_other_queue();
       w.compute(w.other_queue);
       w.release(w.other_queue);
     }},
    {"", all,
     [](World &w) {  // the host waits
       w.acquire();
       w.compute();
       w.finish();
       w.compute(w.other_queue);
       w.release(w.other_queue);
     }},
    {"acquired on a queue that does not wait for its release", all,
     [](World &w) {
       w.acquire();
       w.release();
       w.acquire(w.other_queue);
       w.release(w.other_queue);
     }},
    {"acquired already", all,
     [](World &w) {
       w.acquire();
       w.acquire();
       w.release();
     }},
    {"acquired already", all,
     [](World &w) {
       w.acquire_by(w.kind, w.queue, {w.image, w.image});
       w.release();
     }},
    {"is shared in another way", all,
     [](World &w) {
       w.acquire_by(w.external() ? Kind::egl_image : Kind::known_memory, w.queue, {w.image});
       w.release();
     }},
    {"belongs to another OpenCL context than the queue", all,
     [](World &w) {
       w.acquire(w.foreign_queue);
       w.release(w.foreign_queue);
     }},
    {"neither finished nor waited for", host_ordered,
     [](World &w) {
       w.draw();
       w.acquire();
       w.release();
     }},
    {"neither finished nor waited for", all,
     [](World &w) {  // by another GL context than the OpenCL context was made from
       current = w.other_gl;
       w.draw();
       current = w.gl;
       w.wait_for_gl();
       w.acquire();
       w.release();
     }},
    {"released without being acquired", all, [](World &w) { w.release(); }},
    {"released without being acquired", all,
     [](World &w) {
       w.acquire();
       w.release();
       w.release();
     }},
    {"released on a queue that does not wait for its last use", all,
     [](World &w) {
       w.acquire();
       w.release(w.other_queue);
     }},
    {"destroyed while acquired by a queue", all,
     [](World &w) {
       w.acquire();
       w.free_image();
     }},
    {"its context is destroyed while it is acquired", all,
     [](World &w) {
       w.acquire();
       released("clReleaseContext", w.context);
       w.release();
     }},
    {"used by OpenGL while acquired by a queue", traceable,
     [](World &w) {
       w.acquire();
       w.draw();
       w.release();
     }},
    {"used by OpenGL before OpenCL was finished",
     {Kind::texture, Kind::known_memory, Kind::egl_image},
     [](World &w) {
       w.acquire();
       w.release();
       w.draw();
     }},
    {"", all,
     [](World &w) {
       w.acquire();
       w.release();
       w.mark();
       after(tag::clWaitForEvents{}, CL_SUCCESS, 1, &w.event);
       w.draw();
     }},
    {"", all,
     [](World &w) {  // the wait was made to fail, which the application reports
       w.acquire();
       w.release();
       w.mark();
       refused(tag::clWaitForEvents{}, 1, &w.event);
       w.draw();
     }},
    {"", all,
     [](World &w) {
       w.acquire();
       w.release();
       refused(tag::clFinish{}, w.queue);
       w.draw();
     }},
    {"used by OpenGL before OpenCL was finished",
     {Kind::texture, Kind::known_memory, Kind::egl_image},
     [](World &w) {  // a wait for another queue that was made to fail
       w.acquire();
       w.release();
       enqueued(w.other_queue, false, &w.event);
       refused(tag::clWaitForEvents{}, 1, &w.event);
       w.draw();
     }},
    {"used by OpenGL before OpenCL was finished",
     {Kind::ordered_texture},
     [](World &w) {  // by another GL context than the OpenCL context was made from
       w.acquire();
       w.release();
       current = w.other_gl;
       w.draw();
     }},
    {"deleted or respecified by OpenGL while acquired", traceable,
     [](World &w) {
       w.acquire();
       gl_replaces("glDeleteTextures", w.texture);
       w.release();
     }},
    {"stale", of_textures,
     [](World &w) {
       gl_replaces("glTexImage2D", w.texture);
       w.acquire();
       w.release();
     }},
    {"outlived its texture", of_textures,
     [](World &w) {
       gl_replaces("glDeleteTextures", w.texture);
       w.free_image();
     }},
    {"", imported,
     [](World &w) {  // imported memory outlives the texture
       gl_replaces("glDeleteTextures", w.texture);
       w.acquire();
       w.release();
       w.free_image();
     }},
    {"", egl,
     [](World &w) {  // on any thread
       w.draw();
       w.wait_for_gl();
       current = nullptr;
       w.acquire();
       w.release();
       w.finish();
       current = w.gl;
     }},
    {"", egl,
     [](World &w) {
       w.draw();
       w.wait_for_sync();
       w.acquire();
       w.compute();
       w.release();
       w.finish();
       w.draw();
     }},
    {"neither finished nor waited for", egl,
     [](World &w) {  // the fence comes before OpenGL's work
       w.wait_for_sync();
       w.draw();
       w.acquire();
       w.release();
     }},
    {"neither finished nor waited for", egl,
     [](World &w) {  // another queue waits
       w.draw();
       w.wait_for_sync();
       w.acquire(w.other_queue);
       w.release(w.other_queue);
     }},
    {"has ended", egl,
     [](World &w) {
       w.wait_for_sync();
       egl_sync_ends(w.sync);
     }},
    {"", egl,
     [](World &w) {
       w.wait_for_sync();
       events_have_ended = true;
       egl_sync_ends(w.sync);
       events_have_ended = false;
     }},
    {"destroyed before OpenCL's image", egl, [](World &w) { egl_image_ends(w.egl_image); }},
    {"", egl,
     [](World &w) {
       w.free_image();
       egl_image_ends(w.egl_image);
     }},
    {"does not exist", egl,
     [](World &w) {
       before(tag::clCreateFromEGLImageKHR{}, w.context, w.display, fresh<const void *>());
     }},
    {"belongs to another display", egl,
     [](World &w) {
       before(tag::clCreateFromEGLImageKHR{}, w.context, fresh<const void *>(), w.egl_image);
     }},
    {"no GL context is current on this thread", textures,
     [](World &w) {
       current = nullptr;
       w.acquire();
       current = w.gl;
       w.release();
     }},
    {"another GL context is current", textures,
     [](World &w) {
       w.acquire();
       current = w.other_gl;
       w.release();
     }},
    {"enqueued on a thread of OpenGL", all,
     [](World &w) {
       kernels_off_gl() = true;
       w.acquire();
       w.compute();
       w.release();
       kernels_off_gl() = false;
     }},
    {"", all,
     [](World &w) {
       kernels_off_gl() = true;
       w.acquire();
       current = nullptr;
       w.compute();
       current = w.gl;
       w.release();
       kernels_off_gl() = false;
     }},
    {"the OpenCL context was not made from a GL context", textures,
     [](World &w) { before(tag::clCreateFromGLTexture{}, fresh<cl_context>()); }},
};

bool holds(const Case &the, Kind kind) {
  violations.clear();
  World world(kind);
  the.act(world);
  const bool right = *the.rule ? std::any_of(violations.begin(), violations.end(),
                                             [&](const std::string &said) {
                                               return said.find(the.rule) != std::string::npos;
                                             })
                               : violations.empty();
  if (!right) {
    std::printf("FAIL: %s: “%s” expected, but:\n", kind_names[static_cast<int>(kind)], the.rule);
    for (const std::string &said : violations) std::printf("  %s\n", said.c_str());
  }
  world.free_all();
  return right;
}

bool leaks_are_reported() {
  violations.clear();
  report_leaks();
  const bool clean = violations.empty();
  World world(Kind::texture);
  retained(world.queue);
  world.free_all();
  report_leaks();
  const bool reported =
      violations.size() == 1 && violations[0].find("leaked with 1 references") != std::string::npos;
  if (!clean || !reported) std::printf("FAIL: leaks: clean %d, reported %d\n", clean, reported);
  return clean && reported;
}

/// The rules of descriptors for an OpenCL driver, by name.
bool descriptors_are_watched() {
  constexpr int number = 77;
  int libraries[2];
  const Library driver = &libraries[0], application = &libraries[1];
  const auto object = fresh<cl_mem>(), other = fresh<cl_mem>();
  const auto closes = [](Library by, bool was_open = true) {
    descriptor_closes(number, by);
    descriptor_closed(number, by, was_open);
  };
  const auto release = [&](cl_mem released, bool last, bool close) {
    Releasing::begins(released, last);
    if (close) closes(driver);
    Releasing::ends();
  };
  struct Rule {
    const char *said;  // empty: nothing
    std::function<void()> act;
  };
  const Rule rules[] = {
      {"", [&] { release(object, true, true); }},
      {"",
       [&] {
         release(object, true, true);
         descriptor_opened(number, application);
         closes(application);
       }},
      {"that is not the last", [&] { release(object, false, true); }},
      {"with another object", [&] { release(other, true, true); }},
      {"belongs to the object", [&] { closes(application); }},
      {"left open", [&] { release(object, true, false); }},
      {"by the OpenCL driver",
       [&] {
         release(object, true, true);
         descriptor_opened(number, application);
         release(other, true, true);
       }},
      {"not open", [&] { release(object, true, true), closes(application, false); }},
  };
  descriptors_of_driver(driver);
  bool good = true;
  for (const Rule &rule : rules) {
    violations.clear();
    descriptor_opened(number, nullptr);
    descriptor_imported(number, object);
    rule.act();
    if (*rule.said) descriptor_closes(number, driver);  // forgets it
    const bool right =
        *rule.said ? !violations.empty() && violations[0].find(rule.said) != std::string::npos
                   : violations.empty();
    if (!right)
      std::printf("FAIL: descriptors: “%s” expected, not “%s”\n", rule.said,
                  violations.empty() ? "" : violations[0].c_str());
    good = good && right;
  }
  return good;
}

}  // namespace

namespace glcl_layer {

void violation(const std::string &call, const std::string &object, const std::string &rule) {
  violations.push_back(call + ": " + object + ": " + rule);
}
std::string hex(const void *) { return "it"; }
const void *current_gl_context() { return current; }
const cl_icd_dispatch &driver() {
  static const cl_icd_dispatch dispatch = [] {
    cl_icd_dispatch made{};
    made.clGetDeviceInfo = device_info;
    made.clGetEventInfo = event_info;
    made.clRetainEvent = made.clReleaseEvent = [](cl_event) -> cl_int { return CL_SUCCESS; };
    return made;
  }();
  return dispatch;
}

}  // namespace glcl_layer

int main() {
  int ran = 0, failed = 0;
  for (const Case &the : cases)
    for (Kind kind : the.kinds) {
      ran++;
      failed += !holds(the, kind);
    }
  failed += !leaks_are_reported();
  failed += !descriptors_are_watched();
  std::printf("%d cases, %d failed\n", ran + 2, failed);
  return failed != 0;
}
