// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

#include <sstream>

#include "opencl/drivers.h"
#include "opencl/error.h"
#include "opencl/flaws.h"
#include "report.h"
#include "sharing/sharing.h"

namespace glcl::info {

namespace {

using sharing::Choice;
using sharing::ProbeResult;
using sharing::SharingMethod;

// ---- OpenGL -------------------------------------------------------------------------

/// A driver's text in one line, without padding.
std::string tidy(const char *text) {
  std::istringstream words(text ? text : "");
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string tidy(const std::string &text) { return tidy(text.c_str()); }

std::string taken(gchar *text) {
  std::string copy = text ? text : "";
  g_free(text);
  return copy;
}

/// The contexts and their displays. The end of a display terminates EGL for the whole process. So
/// all displays, even those without a context, stay until the contexts are gone.
class GlContexts {
 public:
  GlContexts() = default;
  GlContexts(const GlContexts &) = delete;
  GlContexts &operator=(const GlContexts &) = delete;
  ~GlContexts() {
    for (GstGLContext *context : contexts_) gst_object_unref(context);
    for (GstGLDisplay *display : displays_) gst_object_unref(display);
  }

  /// Creates a context of these APIs; on failure returns null and sets `error`.
  GstGLContext *make(GstGLAPI apis, std::string &error) {
    GstGLDisplay *display = gst_gl_display_new();
    if (display) displays_.push_back(display);
    // Without a window system GStreamer returns a dummy display of this type, on which 1.22
    // crashes.
    if (!display || gst_gl_display_get_handle_type(display) == GST_GL_DISPLAY_TYPE_ANY) {
      error = "GStreamer finds no Wayland, X11, GBM or EGL display";
      return nullptr;
    }
    gst_gl_display_filter_gl_api(display, apis);
    GstGLContext *context = gst_gl_context_new(display);
    GError *failure = nullptr;
    if (context && gst_gl_context_create(context, nullptr, &failure)) {
      contexts_.push_back(context);
      return context;
    }
    error = failure ? tidy(failure->message) : "GStreamer supports no OpenGL on this display";
    g_clear_error(&failure);
    gst_clear_object(&context);
    return nullptr;
  }

  const std::vector<GstGLContext *> &all() const { return contexts_; }

 private:
  std::vector<GstGLDisplay *> displays_;
  std::vector<GstGLContext *> contexts_;
};

template <typename Work>
void on_gl_thread(GstGLContext *context, Work work) {
  gst_gl_context_thread_add(
      context, [](GstGLContext *, gpointer data) { (*static_cast<Work *>(data))(); }, &work);
}

std::string display_name(GstGLDisplay *display) {
  auto *types = static_cast<GFlagsClass *>(g_type_class_ref(GST_TYPE_GL_DISPLAY_TYPE));
  const GFlagsValue *type = g_flags_get_first_value(types, gst_gl_display_get_handle_type(display));
  std::string name = type ? type->value_nick : "unknown";
  g_type_class_unref(types);
  return name;
}

ContextInfo describe(GstGLContext *context) {
  ContextInfo info;
  info.api = taken(gst_gl_api_to_string(gst_gl_context_get_gl_api(context)));
  info.platform = taken(gst_gl_platform_to_string(gst_gl_context_get_gl_platform(context)));
  info.display = display_name(context->display);
  on_gl_thread(context, [&] {
    const auto text = [&](GLenum name) {
      return tidy(reinterpret_cast<const char *>(context->gl_vtable->GetString(name)));
    };
    info.version = text(GL_VERSION);
    info.vendor = text(GL_VENDOR);
    info.renderer = text(GL_RENDERER);
  });
  return info;
}

/// The context that GStreamer creates by itself, in the current environment or, if that fails, with
/// headless_variables.
GstGLContext *make_default_context(GlContexts &gl, Report &report) {
  if (GstGLContext *context = gl.make(GST_GL_API_ANY, report.gl_error)) return context;
  for (const auto &[name, value] : headless_variables) g_setenv(name, value, TRUE);
  GstGLContext *context = gl.make(GST_GL_API_ANY, report.headless_error);
  report.needs_variables = context;
  return context;
}

void gather_contexts(GlContexts &gl, Report &report) {
  GstGLContext *first = make_default_context(gl, report);
  if (!first) return;
  report.contexts.push_back(describe(first));
  report.contexts.back().is_default = true;
  for (GstGLAPI api : {GST_GL_API_OPENGL3, GST_GL_API_OPENGL, GST_GL_API_GLES2}) {
    if (gst_gl_context_get_gl_api(first) & api) continue;
    std::string reason;
    if (GstGLContext *context = gl.make(api, reason))
      report.contexts.push_back(describe(context));
    else
      report.missing.push_back({taken(gst_gl_api_to_string(api)), reason});
  }
}

// ---- OpenCL -------------------------------------------------------------------------

std::string type_name(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "GPU";
  if (type & CL_DEVICE_TYPE_CPU) return "CPU";
  return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
}

DeviceInfo describe(const Device &known) {
  DeviceInfo info;
  info.id = known.id();
  info.name = tidy(known.name);
  info.type = type_name(known.type);
  info.obstacle = obstacle(known);
  info.shortage = shortage(known);
  try {
    const cl::Device &device = known.device;
    info.vendor = tidy(device.getInfo<CL_DEVICE_VENDOR>());
    info.driver = tidy(device.getInfo<CL_DRIVER_VERSION>());
    info.version = tidy(device.getInfo<CL_DEVICE_VERSION>());
    info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    info.memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    info.images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>();
    if (!info.images) return info;
    info.max_image_width = device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
    info.max_image_height = device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  } catch (const cl::Error &) {
    // the rest stays empty
  }
  return info;
}

void gather_platforms(const std::vector<Device> &devices, Report &report) {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error &) {
    return;  // the loader reports "no platform" as an error
  }
  for (size_t index = 0; index < platforms.size(); index++) {
    const cl::Platform &platform = platforms[index];
    PlatformInfo info{index, {}, {}, {}, {}, {}};
    try {
      info.name = tidy(platform.getInfo<CL_PLATFORM_NAME>());
      info.vendor = tidy(platform.getInfo<CL_PLATFORM_VENDOR>());
      info.version = tidy(platform.getInfo<CL_PLATFORM_VERSION>());
    } catch (const cl::Error &) {
      // the rest stays empty
    }
    for (const Device &device : devices)
      if (static_cast<size_t>(device.platform_index) == index)
        info.devices.push_back(describe(device));
    if (info.devices.empty()) info.hint = hint_without_devices(info.name);
    report.platforms.push_back(std::move(info));
  }
}

// ---- both together ------------------------------------------------------------------

Pair try_pair(GstGLContext *context, const Device &device) {
  Pair pair{device.id(), {}, {}};
  for (const SharingMethod *method : SharingMethod::all) {
    const ProbeResult &found = sharing::probe(*method, context, device);
    pair.reasons.push_back(found.obstacle);
    pair.forms.push_back(found.factory.form);
  }
  return pair;
}

Automatic choose_automatically(GstGLContext *context) {
  try {
    const Choice choice = sharing::choose(
        context, "auto", {std::begin(SharingMethod::all), std::end(SharingMethod::all)});
    return {choice.device.id(),
            tidy(choice.device.name),
            choice.method->name,
            tidy(choice.fallback_reason),
            {}};
  } catch (const std::exception &error) {
    return {{}, {}, {}, {}, error.what()};
  }
}

void gather_pairs(const GlContexts &gl, const std::vector<Device> &devices, Report &report) {
  for (size_t i = 0; i < gl.all().size(); i++) {
    GstGLContext *context = gl.all()[i];
    ContextInfo &info = report.contexts[i];
    on_gl_thread(context, [&] {
      for (const Device &device : devices)
        if (obstacle(device).empty()) info.pairs.push_back(try_pair(context, device));
      info.automatic = choose_automatically(context);
    });
  }
}

/// The error that an element would report when it chooses a device.
std::string why_none_is_usable() {
  try {
    choose_device("auto");
  } catch (const Error &error) {
    return error.what();
  }
  return {};
}

void add_remedies(Report &report) {
  if (!report.has_device())
    report.remedies.push_back("No OpenCL device was found. " + remedy_without_devices());
  else if (!report.has_usable_device())
    report.remedies.push_back(why_none_is_usable());
  if (report.needs_variables)
    report.remedies.push_back(
        "GStreamer can't create an OpenGL context in the current environment (" + report.gl_error +
        "). The contexts above need " + headless_text() +
        ": set these variables to run the elements without a display.");
  else if (report.contexts.empty())
    report.remedies.push_back(
        "GStreamer can't create an OpenGL context, neither in the current environment (" +
        report.gl_error + ") nor without a display, with " + headless_text() + " (" +
        report.headless_error + "). " +
        (in_flatpak() ? "In a Flatpak sandbox a GPU needs the permission --device=dri; without "
                        "one, the runtime's extension org.freedesktop.Platform.GL.default renders "
                        "on the CPU."
                      : "Install the OpenGL driver of the GPU, or the packages libegl1 and "
                        "libgl1-mesa-dri to render on the CPU."));
}

std::string gstreamer_version() {
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
}

}  // namespace

std::string headless_text() {
  std::string text;
  for (const auto &[name, value] : headless_variables)
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  return text;
}

Report gather() {
  Report report;
  GlContexts gl;
  gather_contexts(
      gl,
      report);  // first, because it may set environment variables, and OpenCL drivers start threads
  const std::vector<Device> devices = glcl::devices();
  gather_platforms(devices, report);
  gather_pairs(gl, devices, report);
  add_remedies(report);
  report.gstreamer = gstreamer_version();
  return report;
}

}  // namespace glcl::info
