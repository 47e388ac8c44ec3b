// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eglobjects.h"

#include <map>

#include "functions.h"
#include "record.h"

namespace glcl_layer {

namespace {

struct State {
  std::map<const void *, EglImage> images;
  std::map<cl_mem, const void *> used;      // EGLImages by OpenCL's images
  std::map<cl_event, const void *> events;  // EGLSyncs by their events
  std::map<cl_event, Clock> work;           // the same for the work before them
};

State &state() {
  static auto *the = new State;
  return *the;
}

bool has_ended(cl_event event) {
  cl_int status = CL_COMPLETE;
  driver().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                          nullptr);
  return status <= CL_COMPLETE;
}

}  // namespace

void egl_image_created(const void *handle, const EglImage &image) {
  state().images[handle] = image;
}

const EglImage *egl_image(const void *handle) {
  const auto known = state().images.find(handle);
  return known != state().images.end() ? &known->second : nullptr;
}

void egl_image_used(const void *handle, cl_mem object) { state().used[object] = handle; }
void egl_image_unused(cl_mem object) { state().used.erase(object); }

void egl_image_ends(const void *handle) {
  for (const auto &[object, image] : state().used)
    if (image == handle)
      violation("eglDestroyImageKHR", "EGLImage " + hex(handle),
                "destroyed before OpenCL's image " + hex(object) + " of it");
  state().images.erase(handle);
}

void egl_event_created(cl_event event, const void *sync) {
  driver().clRetainEvent(event);
  state().events[event] = sync;
  state().work[event] = gl_work_before(sync);
}

Clock work_before(cl_event event) {
  const auto known = state().work.find(event);
  return known != state().work.end() ? known->second : Clock();
}

void egl_sync_ends(const void *sync) {
  for (auto entry = state().events.begin(); entry != state().events.end();) {
    const auto [event, of] = *entry;
    if (of != sync) {
      ++entry;
      continue;
    }
    if (!has_ended(event))
      violation("eglDestroySyncKHR", "EGLSync " + hex(sync),
                "destroyed before OpenCL's event " + hex(event) + " of it has ended");
    driver().clReleaseEvent(event);
    state().work.erase(event);
    entry = state().events.erase(entry);
  }
  gl_fence_deleted(sync);
}

}  // namespace glcl_layer
