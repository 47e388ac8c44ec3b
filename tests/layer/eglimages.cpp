// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eglimages.h"

#include <CL/cl_egl.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "deviceinfo.h"
#include "eglobjects.h"
#include "record.h"

namespace glcl_layer {

namespace {

cl_icd_dispatch real;
const char *extensions = "";

/// A function of EGL by its name, past the layer's wrappers.
template <class Result, class... Arguments>
Result egl(const char *name, Arguments... arguments) {
  using Get = void *(*)(const char *);
  static const auto get = reinterpret_cast<Get>(
      dlsym(dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL), "eglGetProcAddress"));
  return reinterpret_cast<Result (*)(Arguments...)>(get(name))(arguments...);
}

struct Objects {
  std::mutex mutex;
  std::set<cl_mem> images;
};
Objects &objects() {
  static auto *the = new Objects;
  return *the;
}

/// The rows of an EGLImage in host memory.
struct Rows {
  void *memory = MAP_FAILED;
  size_t bytes = 0, pitch = 0;
  cl_image_format format{};
};

constexpr unsigned fourcc(const char (&name)[5]) {
  return unsigned(name[0]) | unsigned(name[1]) << 8 | unsigned(name[2]) << 16 |
         unsigned(name[3]) << 24;
}

/// False for formats that OpenCL has no image of.
bool set_format(unsigned code, cl_image_format &format) {
  switch (code) {
    case fourcc("AB24"):
      format = {CL_RGBA, CL_UNORM_INT8};
      return true;
    case fourcc("R8  "):
      format = {CL_R, CL_UNORM_INT8};
      return true;
    case fourcc("GR88"):
      format = {CL_RG, CL_UNORM_INT8};
      return true;
    case fourcc("R16 "):
      format = {CL_R, CL_UNORM_INT16};
      return true;
    case fourcc("GR32"):
      format = {CL_RG, CL_UNORM_INT16};
      return true;
    default:
      return false;
  }
}

Rows map(void *display, void *image, int height) {
  Rows rows;
  int code = 0, planes = 0, number = -1, pitch = 0, offset = 0;
  uint64_t modifier = 0;
  if (!egl<unsigned>("eglExportDMABUFImageQueryMESA", display, image, &code, &planes, &modifier) ||
      planes != 1 || modifier != 0 || !set_format(static_cast<unsigned>(code), rows.format) ||
      !egl<unsigned>("eglExportDMABUFImageMESA", display, image, &number, &pitch, &offset))
    return rows;
  if (offset == 0) {
    rows.pitch = static_cast<size_t>(pitch);
    rows.bytes = rows.pitch * static_cast<size_t>(height);
    rows.memory = mmap(nullptr, rows.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
  }
  close(number);
  return rows;
}

void CL_CALLBACK unmap(cl_mem image, void *data) {
  const auto *rows = static_cast<Rows *>(data);
  munmap(rows->memory, rows->bytes);
  delete rows;
  const std::lock_guard lock(objects().mutex);
  objects().images.erase(image);
}

cl_mem CL_API_CALL create_image(cl_context context, CLeglDisplayKHR display, CLeglImageKHR handle,
                                cl_mem_flags flags, const cl_egl_image_properties_khr *properties,
                                cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  EglImage image{};
  {
    const std::lock_guard lock(state_mutex());
    if (const EglImage *known = egl_image(handle)) image = *known;
  }
  *status = CL_INVALID_EGL_OBJECT_KHR;
  if (!image.display || image.display != display) return nullptr;
  *status = CL_INVALID_VALUE;
  if ((flags != CL_MEM_READ_WRITE && flags != CL_MEM_READ_ONLY && flags != CL_MEM_WRITE_ONLY) ||
      (properties && *properties))
    return nullptr;
  Rows rows = map(display, handle, image.height);
  *status = CL_IMAGE_FORMAT_NOT_SUPPORTED;
  if (rows.memory == MAP_FAILED) return nullptr;
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = static_cast<size_t>(image.width);
  description.image_height = static_cast<size_t>(image.height);
  description.image_row_pitch = rows.pitch;
  const cl_mem made = real.clCreateImage(context, flags | CL_MEM_USE_HOST_PTR, &rows.format,
                                         &description, rows.memory, status);
  if (!made) {
    munmap(rows.memory, rows.bytes);
    return nullptr;
  }
  real.clSetMemObjectDestructorCallback(made, unmap, new Rows(rows));
  const std::lock_guard lock(objects().mutex);
  objects().images.insert(made);
  return made;
}

/// Acquire and release alike: the memory is the host's.
cl_int CL_API_CALL cross(cl_command_queue queue, cl_uint count, const cl_mem *images,
                         cl_uint events, const cl_event *wait, cl_event *event) {
  if (!count || !images) return CL_INVALID_VALUE;
  {
    const std::lock_guard lock(objects().mutex);
    for (cl_uint i = 0; i < count; i++)
      if (!objects().images.count(images[i])) return CL_INVALID_EGL_OBJECT_KHR;
  }
  return real.clEnqueueMarkerWithWaitList(queue, events, wait, event);
}

/// Waits for EGLSyncs on a thread of its own, and ends their events.
class SyncWaiter {
 public:
  struct Wait {
    CLeglDisplayKHR display;
    CLeglSyncKHR sync;
    cl_event event;
  };

  /// Never destroyed.
  static SyncWaiter &of_process() {
    static auto *the = new SyncWaiter;
    return *the;
  }

  void add(const Wait &wait) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(wait);
    added_.notify_one();
  }

 private:
  SyncWaiter() {
    std::thread([this] {
      for (;;) end(next());
    }).detach();
  }

  Wait next() {
    std::unique_lock lock(mutex_);
    added_.wait(lock, [this] { return !waits_.empty(); });
    const Wait wait = waits_.front();
    waits_.pop_front();
    return wait;
  }

  static void end(const Wait &wait) {
    constexpr int no_flush = 0, condition_satisfied = 0x30F6;
    constexpr uint64_t ten_seconds = 10'000'000'000;
    const int status =
        egl<int>("eglClientWaitSyncKHR", wait.display, wait.sync, no_flush, ten_seconds);
    const bool signalled = status == condition_satisfied;
    if (!signalled) std::fprintf(stderr, "glcl-checker: an EGLSync was not signalled in 10 s\n");
    real.clSetUserEventStatus(wait.event, signalled ? CL_COMPLETE : CL_OUT_OF_RESOURCES);
    real.clReleaseEvent(wait.event);
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Wait> waits_;
};

cl_event CL_API_CALL create_event(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                  cl_int *status) {
  cl_int ignored;
  if (!status) status = &ignored;
  *status = CL_INVALID_EGL_OBJECT_KHR;
  if (!sync || !display) return nullptr;
  const cl_event event = real.clCreateUserEvent(context, status);
  if (!event) return nullptr;
  real.clRetainEvent(event);
  SyncWaiter::of_process().add({display, sync, event});
  return event;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                   void *value, size_t *size_ret) {
  return device_info_with(real, extensions, device, what, size, value, size_ret);
}

void *CL_API_CALL function_address(cl_platform_id platform, const char *name) {
  struct Known {
    const char *name;
    void *function;
  };
  const Known functions[] = {
      {"clCreateFromEGLImageKHR", reinterpret_cast<void *>(create_image)},
      {"clEnqueueAcquireEGLObjectsKHR", reinterpret_cast<void *>(cross)},
      {"clEnqueueReleaseEGLObjectsKHR", reinterpret_cast<void *>(cross)},
      {"clCreateEventFromEGLSyncKHR", reinterpret_cast<void *>(create_event)},
  };
  for (const Known &known : functions)
    if (!std::strcmp(name, known.name)) return known.function;
  return real.clGetExtensionFunctionAddressForPlatform(platform, name);
}

}  // namespace

void share_egl_images(cl_icd_dispatch &driver) {
  const char *mode = std::getenv("GLCL_EGL_IMAGES");
  if (!mode) return;
  real = driver;
  extensions = std::strcmp(mode, "without-events") ? " cl_khr_egl_image cl_khr_egl_event"
                                                   : " cl_khr_egl_image";
  driver.clGetDeviceInfo = get_device_info;
  driver.clGetExtensionFunctionAddressForPlatform = function_address;
}

}  // namespace glcl_layer
