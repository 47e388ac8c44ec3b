// SPDX-License-Identifier: LGPL-2.1-or-later
// Sharing method `egl`: OpenCL uses an EGLImage of the texture (cl_khr_egl_image).
#include "functions.h"
#include "memory.h"
#include "opencl/error.h"
#include "opencl/waiting.h"
#include "texture.h"
#include "trial.h"

#include <CL/cl_egl.h>

#include <deque>
#include <optional>

namespace glcl::sharing {

namespace {

// Constants of EGL_KHR_gl_texture_2D_image, EGL_KHR_image_base and EGL_KHR_fence_sync.
constexpr unsigned egl_gl_texture_2d = 0x30B1, egl_sync_fence = 0x30F9;
constexpr int egl_image_preserved = 0x30D2, egl_true = 1, egl_none = 0x3038;

/// The functions of the extensions.
struct EglFunctions {
  cl_platform_id platform = nullptr;
  clCreateFromEGLImageKHR_fn create_image = nullptr;
  clEnqueueAcquireEGLObjectsKHR_fn acquire = nullptr;
  clEnqueueReleaseEGLObjectsKHR_fn release = nullptr;
  clCreateEventFromEGLSyncKHR_fn create_event = nullptr;  // of cl_khr_egl_event
};

/// The functions of the device's platform, looked up once per thread. Throws if one of
/// cl_khr_egl_image is missing.
const EglFunctions &functions_of(const Device &device) {
  thread_local std::optional<EglFunctions> known;
  const cl_platform_id platform = device.platform();
  if (known && known->platform == platform) return *known;
  EglFunctions found{platform};
  const auto get = [&](auto &function, const char *name, bool needed) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        clGetExtensionFunctionAddressForPlatform(platform, name));
    if (needed && !function) throw cl::Error(CL_INVALID_OPERATION, name);
  };
  get(found.create_image, "clCreateFromEGLImageKHR", true);
  get(found.acquire, "clEnqueueAcquireEGLObjectsKHR", true);
  get(found.release, "clEnqueueReleaseEGLObjectsKHR", true);
  get(found.create_event, "clCreateEventFromEGLSyncKHR", false);
  return known.emplace(found);
}

/// The OpenCL image of a texture. The EGLImage between them ends after it. On the thread of the GL
/// context. Throws Error::failed.
Image image_of(const Context &context, GstGLContext *gl_context, guint texture) {
  gpointer (*create)(gpointer, gpointer, unsigned, gpointer, const int *);
  unsigned (*destroy)(gpointer, gpointer);
  load(gl_context, create, "eglCreateImageKHR");
  load(gl_context, destroy, "eglDestroyImageKHR");
  const gpointer display = egl_display(gl_context);
  // Without this attribute the pixels of the texture become undefined.
  constexpr int attributes[] = {egl_image_preserved, egl_true, egl_none};
  const gpointer egl_image = create(
      display, reinterpret_cast<gpointer>(gst_gl_context_get_gl_context(gl_context)),
      egl_gl_texture_2d, reinterpret_cast<gpointer>(static_cast<guintptr>(texture)), attributes);
  if (!egl_image)
    throw Error(Error::Kind::failed,
                "OpenGL can't make an EGLImage of a texture. Use sharing=copy.",
                "eglCreateImageKHR, texture " + std::to_string(texture));
  cl_int status = CL_SUCCESS;
  const cl_mem image =
      functions_of(context.device())
          .create_image(context.cl()(), display, egl_image, CL_MEM_READ_WRITE, nullptr, &status);
  if (status != CL_SUCCESS) {
    destroy(display, egl_image);
    throw Error(
        Error::Kind::failed,
        "OpenCL can't share the OpenGL texture with " + context.device().name +
            ". Use sharing=copy.",
        "clCreateFromEGLImageKHR: " + error_name(status) + ", texture " + std::to_string(texture));
  }
  return {image, [=](cl_mem gone) {
            clReleaseMemObject(gone);
            destroy(display, egl_image);
          }};
}

class EglInterop : public Interop {
 public:
  Image image(const Context &context, GstGLMemory *memory) const override {
    return image_of(context, gst_gl_context_get_current(), memory->tex_id);
  }
  void acquire(Queue &queue, const std::vector<cl_mem> &images) const override {
    enqueue(queue, images, functions_of(queue.context().device()).acquire,
            "clEnqueueAcquireEGLObjectsKHR");
  }
  cl::Event release(Context &context, cl_mem image, const cl::Event &after) const override {
    return enqueue_release(context, image, after, functions_of(context.device()).release,
                           "clEnqueueReleaseEGLObjectsKHR");
  }
};

const EglInterop egl_interop;

/// The functions of EGL_KHR_fence_sync.
struct SyncFunctions {
  gpointer (*create)(gpointer, unsigned, const int *);
  unsigned (*destroy)(gpointer, gpointer);

  explicit SyncFunctions(GstGLContext *gl_context) {
    load(gl_context, create, "eglCreateSyncKHR");
    load(gl_context, destroy, "eglDestroySyncKHR");
  }
};

/// A fence behind OpenGL's work so far, and its event in OpenCL (cl_khr_egl_event). Destroyed on
/// any thread.
class Fence {
 public:
  /// On the thread of the GL context. Throws cl::Error.
  Fence(GstGLContext *gl_context, const Context &context, const SyncFunctions &functions);
  /// Waits for the event, which needs the EGLSync until it has ended.
  ~Fence();
  Fence(const Fence &) = delete;

  const cl::Event &event() const { return event_; }
  bool has_ended() const {
    return event_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE;
  }

 private:
  unsigned (*destroy_)(gpointer, gpointer);
  gpointer display_, sync_;
  cl::Event event_;
};

Fence::Fence(GstGLContext *gl_context, const Context &context, const SyncFunctions &functions)
    : destroy_(functions.destroy), display_(egl_display(gl_context)) {
  sync_ = functions.create(display_, egl_sync_fence, nullptr);
  if (!sync_)
    throw Error(Error::Kind::failed, "OpenGL can't create a fence. Use sharing=copy.",
                "eglCreateSyncKHR");
  gl_context->gl_vtable->Flush();  // OpenCL's wait does not flush
  cl_int status = CL_SUCCESS;
  event_ = cl::Event(
      functions_of(context.device()).create_event(context.cl()(), sync_, display_, &status));
  if (status == CL_SUCCESS) return;
  destroy_(display_, sync_);
  throw cl::Error(status, "clCreateEventFromEGLSyncKHR");
}

Fence::~Fence() {
  if (!wait_noexcept(event_)) return;  // the device is abandoned
  event_ = {};
  destroy_(display_, sync_);
}

class EglSharing : public TextureSharing {
 public:
  explicit EglSharing(bool has_events) : TextureSharing(egl_interop), has_events_(has_events) {}

  GstBufferPool *make_pool(GstGLContext *context, ErrorHandler report) override {
    return sharing::make_pool(context, nullptr, std::move(report));
  }

 private:
  bool ordered_after_gl(Queue &queue) override;

  bool has_events_;
  std::optional<SyncFunctions> functions_;
  std::deque<Fence> fences_;  // in the order of OpenGL's work
};

bool EglSharing::ordered_after_gl(Queue &queue) {
  if (!has_events_) return false;
  while (!fences_.empty() && fences_.front().has_ended()) fences_.pop_front();
  GstGLContext *gl_context = gst_gl_context_get_current();
  if (!functions_) functions_.emplace(gl_context);
  fences_.emplace_back(gl_context, queue.context(), *functions_);
  const std::vector<cl::Event> before{fences_.back().event()};
  queue.cl().enqueueBarrierWithWaitList(&before);
  return true;
}

/// True if OpenGL and OpenCL read each other's pixels in a texture.
bool shares_pixels(GstGLContext *gl_context, const Device &device) {
  const GstGLFuncs *gl = gl_context->gl_vtable;
  guint texture = 0;
  gl->GenTextures(1, &texture);
  gl->BindTexture(GL_TEXTURE_2D, texture);
  gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, trial_width, trial_height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 nullptr);
  set_parameters(gl_context);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  try {
    Queue queue(Context::of_device(device));
    const bool same = same_pixels(gl_context, texture, queue,
                                  image_of(queue.context(), gl_context, texture)(), egl_interop);
    gl->DeleteTextures(1, &texture);
    return same;
  } catch (...) {
    gl->DeleteTextures(1, &texture);
    throw;
  }
}

/// True if OpenCL can wait for a fence of OpenGL.
bool has_events(GstGLContext *gl_context, const Device &device) {
  if (!device.has_extension("cl_khr_egl_event") || !functions_of(device).create_event ||
      !gst_gl_context_check_feature(gl_context, "EGL_KHR_fence_sync"))
    return false;
  try {
    const auto context = Context::of_device(device);
    wait(Fence(gl_context, *context, SyncFunctions(gl_context)).event());
    return true;
  } catch (const std::exception &error) {
    GST_WARNING("the host waits for OpenGL, because OpenCL can't: %s", error.what());
    return false;
  }
}

Factory probe_egl(GstGLContext *gl_context, const Device &device) {
  const auto refuse = [](const std::string &reason) {
    throw Error(Error::Kind::not_found, reason);
  };
  if (!device.has_extension("cl_khr_egl_image"))
    refuse("the OpenCL driver of " + device.name + " does not offer cl_khr_egl_image");
  if (gst_gl_context_get_gl_platform(gl_context) != GST_GL_PLATFORM_EGL || !egl_display(gl_context))
    refuse("OpenGL runs without EGL");
  if (!gst_gl_context_check_feature(gl_context, "EGL_KHR_gl_texture_2D_image"))
    refuse("the OpenGL driver does not offer EGL_KHR_gl_texture_2D_image");
  try {
    if (!shares_pixels(gl_context, device))
      refuse("OpenCL on " + device.name + " reads wrong pixels from an EGLImage of OpenGL");
  } catch (const cl::Error &error) {
    refuse("OpenCL on " + device.name + " can't use an EGLImage (" + error.what() + ": " +
           error_name(error.err()) + ")");
  }
  const bool events = has_events(gl_context, device);
  return {[events] { return std::make_unique<EglSharing>(events); }};
}

}  // namespace

const SharingMethod SharingMethod::egl = {
    "egl", "OpenCL uses EGLImages of the OpenGL textures (cl_khr_egl_image)", probe_egl};

}  // namespace glcl::sharing
